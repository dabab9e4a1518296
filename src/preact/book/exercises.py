"""Exercises: each says whether an answer is right, and why.

An answer is a number or the reader's own function, which is run on random
input from a fixed seed and compared with the package. Each chapter's room has
a module `exercises` with a table `EXERCISES`, from a label, as "signal-4", to
what judges it: a `Number`, or a function of the answer. A label begins with
its room, whose module is imported when it is asked for: a chapter depends on
no other chapter's exercises.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import Any

import numpy as np

from preact.book.explorers import Explorer
from preact.book.page import show, words

ROOMS = (
    *("why", "signal", "gradient", "units", "shortcuts", "activations"),
    *("depth", "paths", "training", "imagenet", "afterlife", "bugs"),
    "summary",
)
"""The chapters' rooms, in the order of the book."""

ROUGH = 0.05  # relative
# Significant digits that are asked for at least, even of what is measured.
DIGITS = 2
# Whether it is right and what was got; or the key of a known mistake's words.
Answer = tuple[bool, str] | str


@dataclass(frozen=True)
class Number:
    """An exercise answered by one number, which the page judges as well.

    What has to be measured is a function that returns what is expected. An
    answer may be off by `rtol`, relative; `mistakes` are wrong ones that have
    a sentence of their own, by its key. An answer without `rtol` is a whole
    number. Where some of `sentences` are to be chosen, the answer is their
    numbers, one after the other.
    """

    expected: float | Callable[[], float]
    rtol: float = 0.0
    mistakes: Mapping[str, float] = field(default_factory=dict)
    sentences: int = 0

    @property
    def value(self) -> float:
        """What is right."""
        given = self.expected
        return float(given() if callable(given) else given)

    def __call__(self, answer: Any) -> Answer:
        """Judge an answer; NaN is never right."""
        try:
            value = float(answer)
        except (TypeError, ValueError):
            say = words()
            raise NoNumber(say("check.no_number", got=repr(answer))) from None
        if self._holds(value, self.value):
            return True, f"{value:g}"
        for mistake, made in self.known.items():
            if self._holds(value, made):
                return mistake
        return False, f"{value:g}"

    @property
    def known(self) -> dict[str, float]:
        """Wrong answers that have a sentence: its own, and common slips.

        Among few whole numbers a double or a half is no slip but a guess, and
        of what is known only roughly nothing is exactly the double.
        """
        right, own = self.value, dict(self.mistakes)
        if self.rtol > ROUGH or (not self.rtol and right < 100):
            return own
        return own | {
            "slip_sign": -right,
            "slip_hundredfold": 100 * right,
            "slip_hundredth": right / 100,
            "slip_twice": 2 * right,
            "slip_half": right / 2,
            "slip_reciprocal": 1 / right,
        }

    @property
    def digits(self) -> int:
        """Significant digits that are asked for; 0 of a whole number."""
        if not self.rtol:
            return 0
        digits = DIGITS
        while not self._holds(self._rounded(digits), self.value):
            digits += 1
        return digits

    @property
    def few(self) -> list[float]:
        """What is right but for digits that are missing."""
        return [self._rounded(n) for n in range(DIGITS, self.digits)]

    def _rounded(self, digits: int) -> float:
        return float(f"{self.value:.{digits}g}")

    def _holds(self, value: float, expected: float) -> bool:
        return abs(value - expected) <= self.rtol * abs(expected)


class NoNumber(TypeError):
    """An answer that is no number where one is asked for."""


def agrees(
    got: Any, expected: Any, what: str = "x", mistakes: Mapping[str, Any] = {}
) -> Answer:
    """Compare an array with what is expected; NaN is never right.

    It is right if the norm of the difference is that of rounding, relative to
    that of `expected`, which the message calls `what`. `mistakes` are wrong
    answers that have a sentence of their own, by its key.
    """
    values = np.asarray(got, dtype=np.float64)

    def is_(wanted: Any) -> bool:
        if values.shape != np.shape(wanted):
            return False
        return off(wanted) <= 1e-9 * float(np.linalg.norm(wanted))

    def off(wanted: Any) -> float:
        return float(np.linalg.norm(values - wanted))

    for mistake, made in mistakes.items():
        if is_(made):
            return mistake
    if values.shape != np.shape(expected):
        shapes = {"got": values.shape, "wanted": np.shape(expected)}
        return False, words()("check.shape", **shapes)
    error = off(expected) / float(np.linalg.norm(expected))
    return is_(expected), f"|Δ|/|{what}| = {error:.2g}"


def exercises_of(room: str) -> dict[str, Any]:
    """Return what judges the exercises of a chapter, by label."""
    if room not in ROOMS:
        return {}
    module = import_module(f"preact.book.{room}.exercises")
    return dict(module.EXERCISES)


def find_exercise(label: str) -> Any:
    """Return what judges an answer to an exercise; None if nothing does."""
    return exercises_of(label.rpartition("-")[0]).get(label)


def labels() -> list[str]:
    """Return the labels of all exercises with a checker, as in the book."""
    return [label for room in ROOMS for label in exercises_of(room)]


class Verdict:
    """Truth of a check; a cell that ends in one shows nothing more.

    Parameters
    ----------
    right : bool
        Whether the answer is right.

    Examples
    --------
    >>> import math
    >>> from preact.book import check
    >>> verdict = check("signal-4", math.comb(54, 2))  # doctest: +ELLIPSIS
    Right. 1,431 of nearly 2 × 10¹⁶; the most numerous ...
    >>> bool(verdict)
    True
    """

    def __init__(self, right: bool) -> None:
        self.right = right

    def __bool__(self) -> bool:
        return self.right

    def _ipython_display_(self) -> None:
        pass


def check(exercise: str, answer: object) -> Verdict:
    """Judge an answer, print the verdict in the page's language, return it.

    Parameters
    ----------
    exercise : str
        Its label, for example "units-1".
    answer : object
        A number or a function, as the exercise asks; `...` says what to do,
        and shows a field for a number.

    Raises
    ------
    ValueError
        If there is no such exercise.

    Examples
    --------
    >>> from preact.book import check
    >>> verdict = check("signal-4", 54)  # doctest: +ELLIPSIS
    Not yet: got 54. Which two, of how many? And does it ... named first?
    >>> verdict = check("signal-4", 54 * 53 / 2)  # doctest: +ELLIPSIS
    Right. 1,431 of nearly 2 × 10¹⁶; the most numerous ...
    """
    say, judge = words(), find_exercise(exercise)
    if judge is None:
        known = ", ".join(labels())
        raise ValueError(say("check.unknown", known=known, got=repr(exercise)))
    if answer is ... and isinstance(judge, Number):
        show(answer_field(exercise, judge))
        return Verdict(False)
    right, said = False, say("check.prompt")
    if answer is not ...:
        right, said = _judge(exercise, judge, answer)
    print(said)  # noqa: T201
    return Verdict(right)


def _judge(label: str, judge: Any, answer: Any) -> tuple[bool, str]:
    """Return whether an answer is right, and a sentence on it."""
    say = words()
    hint = say(f"exercise.{label}.hint")
    if not isinstance(judge, Number) and not callable(answer):
        return False, say("check.no_function", got=repr(answer))
    try:
        verdict = judge(answer)
    except NoNumber as error:
        return False, str(error)
    except NotImplementedError:  # a function that a notebook leaves to write
        return False, say("check.unwritten")
    except Exception as error:  # the reader's own code may fail in any way
        text = f"{type(error).__name__}: {error}"
        return False, say("check.error", error=text, hint=hint)
    if isinstance(verdict, str) and verdict.startswith("slip_"):
        verdict, hint = (False, f"{answer:g}"), say(f"check.{verdict}")
    elif isinstance(verdict, str):
        verdict = False, say(f"exercise.{label}.{verdict}")
    right, got = verdict
    if right:
        return True, say("check.right", why=say(f"exercise.{label}.why"))
    if isinstance(judge, Number) and float(answer) in judge.few:
        return False, say("check.close", got=got, n=judge.digits)
    return False, say("check.wrong", got=got, hint=hint)


FIELD_WORDS = (
    *("title", "button", "right", "wrong", "empty", "none", "no_number"),
)


def answer_field(label: str, exercise: Number) -> Explorer:
    """Return a field that judges a number without a kernel.

    Where no script runs, it says how to answer in the cell.
    """
    say, digits = words(), exercise.digits
    own = {word: say(f"exercise.{label}.{word}") for word in ("why", "hint")}

    def said(key: str) -> str:
        """What is said of a known mistake, but for what was typed."""
        wrong = say.table["check.wrong"]
        if key.startswith("slip_"):
            return wrong.replace("{hint}", say(f"check.{key}"))
        return wrong.format(got=say(f"exercise.{label}.{key}"), **own)

    data = {
        "expected": exercise.value,
        "rtol": exercise.rtol,
        "few": exercise.few,
        "known": [[made, said(key)] for key, made in exercise.known.items()],
        "sentences": exercise.sentences,
        "words": {word: say.table[f"check.{word}"] for word in FIELD_WORDS}
        | own
        | {
            "label": say(
                "check.digits" if digits else "check.whole", n=digits
            ),
            "close": say.table["check.close"].replace("{n}", str(digits)),
        },
    }
    prompt = say("check.prompt")
    text = escape(json.dumps(data, ensure_ascii=False), quote=True)
    return Explorer(
        f'<div class="preact-explorer preact-answer" data-answer="{text}">'
        f"<p>{escape(prompt)}</p></div>",
        prompt,
    )
