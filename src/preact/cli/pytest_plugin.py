"""A report card as tests: `pytest --preact-check package.module:factory`.

Each question that the probe answers becomes one test, named by its address
and its property: passed if the answer is yes, failed with the evidence if it
is no, skipped if the probe could not tell. pytest loads this file by itself;
nothing else is imported unless the option is given, and PyTorch never: the
probe runs in a process of its own.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from preact.cli import BAD_INPUT

if TYPE_CHECKING:
    from preact.conformance import Finding, Report

OPTION = "--preact-check"


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
        """Pass, skip or fail as the probe has answered."""
        from preact.conformance import Verdict
        from preact.conformance.words import finding_lines
        from preact.strings import Strings

        card = finding_lines(self.finding, Strings("en"), self.meant)
        text = "\n".join(card)
        if self.finding.verdict is Verdict.UNKNOWN:
            pytest.skip(text)
        if self.finding.verdict is Verdict.NO:
            pytest.fail(text, pytrace=False)

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
        help="row of the paper that the networks are meant to be; to be "
        "another unit is then a failure",
    )
    group.addoption(
        "--preact-limit",
        type=float,
        default=600,
        metavar="SECONDS",
        help="how long the probe of one network may take (default: 600)",
    )


CHOSEN = pytest.StashKey[dict[str, list[str]]]()
"""Answers that were asked for by name, by address."""
NAME = re.compile(r"(\w[\w.]*:\w[\w.-]*)::([a-z-]+)")


@pytest.hookimpl(tryfirst=True)  # before pytest looks for files
def pytest_collection(session: pytest.Session) -> None:
    """Take names of answers out of the paths that pytest shall collect.

    So that `pytest my_models:net::row` runs a test again by its name.
    """
    config = session.config
    chosen: dict[str, list[str]] = {}
    for name in list(config.args):
        if named := NAME.fullmatch(name):
            chosen.setdefault(named[1], []).append(named[2])
            config.args.remove(name)
    config.stash[CHOSEN] = chosen


@pytest.hookimpl(tryfirst=True)  # before -k and --deselect choose
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the answers on each network. Refuse what cannot be probed."""
    chosen = config.stash[CHOSEN]
    for address in chosen or dict.fromkeys(config.getoption(OPTION)):
        card = Card.from_parent(session, name=address, nodeid=address)
        try:
            card.report = _report(address, config)
            wanted = chosen.get(address) or _names(card)
            if missing := set(wanted) - set(_names(card)):
                raise ValueError(
                    f"{address}:: must be followed by one of "
                    f"{', '.join(_names(card))}; got {missing.pop()}"
                )
        except BAD_INPUT as error:
            raise pytest.UsageError(f"{OPTION}: {error}") from None
        collected = card.ihook.pytest_make_collect_report(collector=card)
        collected.result = [a for a in collected.result if a.name in wanted]
        card.ihook.pytest_collectreport(report=collected)  # it counts them
        items.extend(collected.result)


def _names(card: Card) -> list[str]:
    """What a network's answers are called."""
    return [str(finding.property) for finding in card.report.findings]


def _report(address: str, config: pytest.Config) -> "Report":
    """Probe a network, in another process."""
    from preact.cli.check import read_image
    from preact.conformance.isolated import probe_isolated
    from preact.spec import find_row

    image = read_image(config.getoption("--preact-image"), "--preact-image")
    row = config.getoption("--preact-row")
    if row:
        find_row(row)
    limit = config.getoption("--preact-limit")
    return probe_isolated(address, image, row=row, seconds=limit)
