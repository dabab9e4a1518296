"""How a question is answered: yes, no or could not tell, and why."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from preact.conformance.network import TracedNetwork
from preact.conformance.report import Property, Verdict


class Answer(NamedTuple):
    """A finding, but for its question; without a source it has that's."""

    verdict: Verdict
    reason: str
    evidence: dict[str, Any]
    places: tuple[str, ...] = ()
    source: str = ""
    row: str = ""


def answer(
    verdict: Verdict,
    reason: str,
    *,
    places: tuple[str, ...] = (),
    source: str = "",
    row: str = "",
    **evidence: Any,
) -> Answer:
    """Answer a question with a reason, whose words the evidence completes."""
    return Answer(verdict, reason, evidence, places, source, row)


yes: Callable[..., Answer] = partial(answer, Verdict.YES)
no: Callable[..., Answer] = partial(answer, Verdict.NO)
unknown: Callable[..., Answer] = partial(answer, Verdict.UNKNOWN)
Question = Callable[[TracedNetwork], Answer | None]
CHECKS: dict[Property, tuple[Question, str]] = {}
"""What answers each question, and where the paper asks it."""


def asks(question: Property, source: str) -> Callable[[Question], Question]:
    """Let a function answer a question; None if there is nothing to ask."""

    def add(check: Question) -> Question:
        CHECKS[question] = check, source
        return check

    return add
