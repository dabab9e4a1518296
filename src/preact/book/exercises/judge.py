"""How an answer is judged: as a number, or by what it returns.

A label, as "signal-4", begins with the name of its chapter's room, whose
module `exercises` is imported when it is asked for: a chapter depends on no
other chapter's exercises.

Every chapter with exercises.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from typing import Any

import numpy as np

from preact.book.page import words

Answer = tuple[bool, str]  # right or not, what was got
Checker = Callable[[Any], Answer]

ROOMS = (
    *("why", "signal", "gradient", "units", "shortcuts", "activations"),
    *("depth", "training", "imagenet", "afterlife", "bugs", "summary"),
)
"""The chapters' rooms, in the order of the book."""

CHECKERS: dict[str, Checker] = {}
"""What judges an answer, by the label of its exercise: of rooms in use."""


def exercise(label: str) -> Callable[[Checker], Checker]:
    """Register the checker of an exercise under its label.

    Raises
    ------
    ValueError
        If the label has a checker.
    """
    if label in CHECKERS:
        raise ValueError(f"an exercise has one checker; got two for {label!r}")

    def register(checker: Checker) -> Checker:
        CHECKERS[label] = checker
        return checker

    return register


def checker(label: str) -> Checker | None:
    """Return what judges an answer to an exercise; None if nothing does."""
    _open(label.rpartition("-")[0])
    return CHECKERS.get(label)


def labels() -> list[str]:
    """Return the labels of all exercises with a checker, as in the book."""
    for room in ROOMS:
        _open(room)
    return sorted(CHECKERS, key=lambda n: ROOMS.index(n.rpartition("-")[0]))


def _open(room: str) -> None:
    """Import a room's exercises, which registers them."""
    place = files("preact.book") / room / "exercises.py"
    if room in ROOMS and place.is_file():
        import_module(f"preact.book.{room}.exercises")


class Expected(Exception):
    """What a number would be compared with: the reply to an open answer.

    The page asks for it, to judge a number where no kernel runs.
    """

    def __init__(self, value: float, rtol: float) -> None:
        self.value, self.rtol = float(value), rtol


class NoNumber(TypeError):
    """An answer that is no number where one is asked for."""


def number(answer: Any, expected: float, rtol: float = 0.0) -> Answer:
    """Compare a number; NaN is never right.

    Raises
    ------
    Expected
        If the answer is still open, `...`.
    NoNumber
        If it is neither open nor a number.
    """
    if answer is ...:
        raise Expected(expected, rtol)
    try:
        value = float(answer)
    except (TypeError, ValueError):
        raise NoNumber(repr(answer)) from None
    return abs(value - expected) <= rtol * abs(expected), f"{value:g}"


def agrees(*pairs: tuple[Any, Any], what: str = "x") -> Answer:
    """Compare arrays with what is expected; a value that is none is wrong.

    Parameters
    ----------
    pairs : (got, expected)
        Of one shape; right if the norm of the difference is that of rounding,
        relative to what is expected, in every pair.
    what : str
        What the norm is relative to, for the message.
    """
    errors = []
    for got, expected in pairs:
        values = np.asarray(got, dtype=np.float64)
        if values.shape != np.shape(expected):
            wanted = np.shape(expected)
            return False, f"shape {values.shape}, not {wanted}"
        difference = np.linalg.norm(values - expected)
        errors.append(difference / np.linalg.norm(expected))
    worst = np.max(errors)  # NaN if one is
    return bool(worst < 1e-9), f"|Δ|/|{what}| = {worst:.2g}"


def named(label: str, verdict: Answer, mistakes: dict[str, Answer]) -> Answer:
    """Call a wrong answer by the mistake that gives it, if it is known."""
    if not verdict[0]:
        for mistake, (made, _) in mistakes.items():
            if made:
                return False, words()(f"exercise.{label}.{mistake}")
    return verdict
