"""A report card as tests: `pytest --preact-check package.module:factory`.

Each question that the probe answers becomes one test, named by its address
and its property: passed if the answer is yes, failed with the evidence if it
is no, skipped if the probe could not tell. pytest loads this file by itself;
nothing else is imported, PyTorch least of all, unless the option is given.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from preact.conformance import Finding, Report

OPTION = "--preact-check"


class WrongAnswer(Exception):
    """A question whose answer is no; its text is the finding in words."""


class Card(pytest.Collector):
    """One network; its children are the probe's answers."""

    report: "Report"

    def collect(self) -> Iterator["Answer"]:
        """One item for each finding, in the report's order."""
        for finding in self.report.findings:
            answer = Answer.from_parent(self, name=str(finding.property))
            answer.finding, answer.meant = finding, self.report.meant
            yield answer


class Answer(pytest.Item):
    """One finding as a test."""

    finding: "Finding"
    meant: str

    def runtest(self) -> None:
        """Pass, skip or fail as the probe has answered.

        Raises
        ------
        WrongAnswer
            If the answer is no.
        """
        from preact.conformance import Verdict
        from preact.conformance.words import finding_lines
        from preact.strings import Strings

        finding, words = self.finding, Strings("en")
        card = finding_lines(finding, words, finding.row, self.meant)
        text = "\n".join(card)
        if finding.verdict is Verdict.UNKNOWN:
            pytest.skip(text)
        if finding.verdict is Verdict.NO:
            raise WrongAnswer(text)

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,
    ) -> Any:
        """Show the finding, not the lines of this file."""
        if isinstance(excinfo.value, WrongAnswer):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        """Where it stands, and how it is called."""
        return str(self.path), None, self.nodeid


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what `preact check` asks for, too."""
    group = parser.getgroup("preact", "residual networks")
    group.addoption(
        OPTION,
        action="append",
        default=[],
        metavar="ADDRESS",
        help="probe this network (package.module:factory, timm:NAME), one "
        "test for each property; may be repeated. Imports and runs its code",
    )
    group.addoption(
        "--preact-image",
        default="3x32x32",
        metavar="SHAPE",
        help="shape of one input, such as 3x224x224 (default: 3x32x32)",
    )
    group.addoption(
        "--preact-row",
        default="",
        metavar="ROW",
        help="row of the paper that the networks are meant to be",
    )


@pytest.hookimpl(tryfirst=True)  # before -k and --deselect choose
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the answers on each network to what was collected.

    Raises
    ------
    pytest.UsageError
        If there is nothing to probe: one sentence says why.
    """
    for address in config.getoption(OPTION):
        card = Card.from_parent(session, name=address, nodeid=address)
        try:
            card.report = _report(address, config)
        except ValueError as error:
            raise pytest.UsageError(f"{OPTION}: {error}") from None
        items.extend(card.collect())


def _report(address: str, config: pytest.Config) -> "Report":
    """Make a network and probe it."""
    from preact.cli.check import read_image
    from preact.conformance import probe
    from preact.conformance.address import load

    image = read_image(config.getoption("--preact-image"))
    row = config.getoption("--preact-row")
    return probe(load(address), image, row=row, name=address)
