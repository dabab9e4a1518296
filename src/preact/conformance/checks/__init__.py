"""The questions, each a function from a traced network to an answer."""

from collections.abc import Iterator

from preact.conformance.checks import (  # noqa: F401  each adds its own
    boundaries,
    interior,
    layers,
    size,
)
from preact.conformance.checks.answer import CHECKS, unknown
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Finding, Property, Verdict

OF_MODES = {Property.STATISTICS, Property.EVALUATION, Property.UNUSED}
"""What is asked of all passes together; the others are of the structure."""
WORST_FIRST = [Verdict.NO, Verdict.UNKNOWN, Verdict.YES]


def answers(network: TracedNetwork) -> Iterator[Finding]:
    """Ask every question of both modes; the worse answer counts.

    Where passes of one mode differ, a question cannot be answered with yes.
    """
    evaluation = network.evaluation or network
    for question in Property:
        check, source = CHECKS[question]
        if (found := check(network)) is None:
            continue
        if question not in OF_MODES:
            other = check(evaluation) if evaluation.units else None
            found = min(
                found,
                other or found,
                key=lambda one: WORST_FIRST.index(one.verdict),
            )
            if not (network.steady and evaluation.steady):
                found = unknown("passes-differ")
            elif found.verdict is Verdict.YES and len(network.units) != len(
                evaluation.units
            ):
                found = unknown("modes-differ")
        facts = found._asdict() | {"source": found.source or source}
        yield Finding(property=question, **facts)
