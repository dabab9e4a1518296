"""What a probe found: typed, without words of any language."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """The answer to a property's question.

    Examples
    --------
    >>> from preact.conformance import Verdict
    >>> [str(verdict) for verdict in Verdict]
    ['yes', 'no', 'could not tell']
    """

    YES = "yes"
    NO = "no"
    UNKNOWN = "could not tell"


class Property(StrEnum):
    """The questions, in the order in which a report answers them.

    Examples
    --------
    >>> from preact.conformance import Property
    >>> Property("clear-stream") is Property.STREAM, len(Property)
    (True, 17)
    """

    ROW = "row"
    SHORTCUT = "identity-shortcut"
    STREAM = "clear-stream"
    SAME = "one-unit"
    SIGN = "signed-branch"
    FIRST = "first-unit"
    WIDTH = "width-change"
    LAST = "last-unit"
    STAGES = "stages"
    SIZE = "size"
    NORM = "batch-norm"
    BIAS = "bias-before-norm"
    STATISTICS = "statistics"
    EVALUATION = "evaluation"
    OWN = "own-weights"
    UNUSED = "all-parameters"
    GRADIENT = "gradient"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One property and the evidence for it.

    Parameters
    ----------
    property : Property
        The question.
    verdict : Verdict
        The answer.
    reason : str
        Key of the sentences in `preact/strings`.
    evidence : mapping of str to number or str
        What was counted or measured; the sentence's values too.
    places : tuple of str
        Where: "unit 3 (layer2.0)".
    source : str
        Equation, figure or section of the paper; of batch normalization's
        own paper where it is named.
    row : str
        The row of the paper that the network equals in this, or "".

    Examples
    --------
    >>> from preact import Network, cifar_plan
    >>> from preact.conformance import probe
    >>> plan = cifar_plan("relu-before-addition", depth=20, convs=2)
    >>> finding = probe(Network(plan, seed=0), (3, 8, 8))["signed-branch"]
    >>> str(finding.verdict), finding.source
    ('no', 'Fig. 4(c)')
    """

    property: Property
    verdict: Verdict
    reason: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[str, ...] = ()
    source: str = ""
    row: str = ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """All findings on one network.

    Parameters
    ----------
    network : str
        What was probed: the name that was given, or that of the class.
    image : sequence of int
        Shape of one input without the batch; of an image channels, height and
        width.
    unit : str
        The unit that most units are, read aloud as `UnitSpec` is.
    row : str
        Its row in the paper, or "".
    units, stages : int and tuple of int
        Residual units, and how they are spread over sizes.
    additions : int
        All sums of two signals, units or not.
    parameters, multiply_adds : int
        Of the whole network, for one image; multiply-adds of convolutions
        and linear layers.
    findings : tuple of Finding
        The answers, in the order of `Property`; a question that means nothing
        for the network has none.
    meant : str
        The row that it was to be compared with, or "".

    Examples
    --------
    >>> from preact import Network, cifar_plan
    >>> from preact.conformance import probe
    >>> plan = cifar_plan("full-preactivation", depth=20, convs=2)
    >>> report = probe(Network(plan, seed=0), image=(3, 8, 8))
    >>> report.unit, report.units, report.stages
    ('BN ReLU conv BN ReLU conv (+)', 9, (3, 3, 3))
    >>> report.parameters == plan.parameters, report.faults
    (True, ())
    >>> list(report.counts.values())  # yes, no, could not tell
    [17, 0, 0]
    """

    network: str
    image: tuple[int, ...]
    unit: str
    row: str
    units: int
    stages: tuple[int, ...]
    additions: int
    parameters: int
    multiply_adds: int
    findings: tuple[Finding, ...]
    meant: str = ""

    def __getitem__(self, name: Property | str) -> Finding:
        """Return the finding on a property; a KeyError if there is none."""
        for finding in self.findings:
            if finding.property == name:
                return finding
        raise KeyError(str(name))

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings whose answer is no."""
        return tuple(f for f in self.findings if f.verdict is Verdict.NO)

    @property
    def unasked(self) -> tuple[Property, ...]:
        """The questions that were not asked: there is nothing to ask about."""
        answered = {finding.property for finding in self.findings}
        return tuple(p for p in Property if p not in answered)

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many answers are yes, no and could not tell."""
        verdicts = [finding.verdict for finding in self.findings]
        return {verdict: verdicts.count(verdict) for verdict in Verdict}
