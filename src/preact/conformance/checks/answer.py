"""How a question is answered: yes, no or could not tell, and why."""

from collections.abc import Callable
from typing import Any, NamedTuple

from preact.conformance.report import Finding, Property, Verdict
from preact.conformance.traced import TracedNetwork

SHOWN = 8  # parameters in one answer
BN_PAPER = "Ioffe & Szegedy 2015"


class Answer(NamedTuple):
    """A finding, but for its question; without a source it has that's."""

    verdict: Verdict
    reason: str
    evidence: dict[str, Any]
    places: tuple[str, ...] = ()
    source: str = ""
    row: str = ""

    def at(
        self, places: tuple[str, ...] = (), *, source: str = "", row: str = ""
    ) -> "Answer":
        """The same answer at these places, for this place of the paper."""
        return self._replace(places=places, source=source, row=row)


def yes(reason: str, **evidence: Any) -> Answer:
    """Answer with yes."""
    return Answer(Verdict.YES, reason, evidence)


def no(reason: str, **evidence: Any) -> Answer:
    """Answer with no."""
    return Answer(Verdict.NO, reason, evidence)


def unknown(reason: str, **evidence: Any) -> Answer:
    """Answer that nobody can tell."""
    return Answer(Verdict.UNKNOWN, reason, evidence)


Question = Callable[[TracedNetwork], Answer | None]
CHECKS: dict[Property, tuple[Question, str]] = {}
"""What answers each question, and where the paper asks it."""


def asks(question: Property, source: str) -> Callable[[Question], Question]:
    """Let a function answer a question; None if there is nothing to ask."""

    def add(check: Question) -> Question:
        CHECKS[question] = check, source
        return check

    return add


def ask(question: Property, network: TracedNetwork) -> Finding | None:
    """Ask one question."""
    check, source = CHECKS[question]
    answer = check(network)
    if answer is None:
        return None
    return Finding(
        property=question,
        **answer._asdict() | {"source": answer.source or source},
    )
