"""Exercises: each says whether an answer is right, and why.

An answer is a number or the reader's own function, which is run on random
input from a fixed seed and compared with the package. Each chapter's room has
a module `exercises` with a table `EXERCISES`, from a label, as "signal-4", to
what judges it: a `Number`, or a function of the answer. A label begins with
its room, whose module is imported when it is asked for: a chapter depends on
no other chapter's exercises.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from typing import Any, Literal, NamedTuple

import numpy as np

from preact.book.explorers import Explorer
from preact.book.page import show, words

ROOMS = (
    *("why", "signal", "gradient", "units", "shortcuts", "activations"),
    *("depth", "paths", "training", "imagenet", "afterlife", "bugs"),
    "summary",
)
"""The chapters' rooms, in the order of the book."""

NEAR = 0.1  # relative
# Whether it is right and what was got; or the key of what is said of it.
Answer = tuple[bool, str] | str
Unit = Literal["", "share", "percent"]


class Case(NamedTuple):
    """Answers of which the same is said: near a value, or it with few digits.

    The key is "right", "close", or that of a mistake's words.
    """

    key: str
    value: float
    margin: float
    few: Sequence[float] = ()

    def holds(self, answer: float) -> bool:
        """Whether it speaks of an answer; never of NaN."""
        return abs(answer - self.value) <= self.margin or answer in self.few


@dataclass(frozen=True)
class Number:
    """An exercise answered by one number, which the page judges as well.

    What has to be measured is a function that returns what is expected.
    `digits` significant digits are asked for, so an answer is right if it is
    off by half of the last of them at most. It is close if it is off by no
    more than one and a half, or right but for missing digits and not far off.
    What is only roughly known has, instead, a share `within` which an answer
    may be off. With neither, the answer is a whole number.

    A percent sign belongs to a number whose `unit` is a share or percent.
    `mistakes` are wrong answers that have a sentence of their own, by its key.
    Where some of `sentences` are to be chosen, the answer is their numbers,
    one after the other.
    """

    expected: float | Callable[[], float]
    digits: int = 0
    mistakes: Mapping[str, float] = field(default_factory=dict)
    unit: Unit = ""
    within: float = 0.0
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
        for case in self.cases:
            if case.holds(value):
                right = case.key == "right"
                return (True, f"{value:g}") if right else case.key
        return False, f"{value:g}"

    @property
    def cases(self) -> list[Case]:
        """What is said of answers; the first that holds counts."""
        right = self.value
        margin, near = self._margin(right), self._shorter(right, 1)
        cases = [Case("right", right, margin)]
        for key, made in {**self.mistakes, **self._slips}.items():
            few = [one for one in self._shorter(made, 2) if one not in near]
            cases.append(Case(key, made, self._margin(made), few))
        if self.digits:
            cases.append(Case("close", right, 3 * margin, near))
        return cases

    @property
    def _slips(self) -> dict[str, float]:
        """Common slips.

        Among few whole numbers a double or a half is no slip but a guess, and
        of what is known only roughly nothing is exactly the double.
        """
        right = self.value
        if self.within:
            return {"slip_sign": -right}
        if not self.digits and right < 100:
            return {}
        slips = {
            "slip_sign": -right,
            "slip_twice": 2 * right,
            "slip_half": right / 2,
            "slip_reciprocal": 1 / right,
        }
        if self.unit == "share":
            slips["slip_hundredfold"] = 100 * right
        if self.unit == "percent":
            slips["slip_hundredth"] = right / 100
        return slips

    def _margin(self, value: float) -> float:
        """How far off an answer may be; a formula's rounding is no mistake."""
        if self.digits and value:
            last = math.floor(math.log10(abs(value))) - self.digits + 1
            return 0.5 * 10.0**last * (1 + 1e-9)
        return (self.within or 1e-12) * abs(value)

    def _shorter(self, value: float, fewest: int) -> list[float]:
        """Return a number with fewer digits than are asked for, if near it."""
        few = [float(f"{value:.{n}g}") for n in range(fewest, self.digits)]
        return [one for one in few if abs(one - value) <= NEAR * abs(value)]


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
    if isinstance(verdict, str):
        got = f"{answer:g}" if isinstance(judge, Number) else ""
        return False, _said(label, judge, verdict).replace("{got}", got)
    right, got = verdict
    said = _said(label, judge, "right" if right else "wrong")
    return right, said.replace("{got}", got)


def _said(label: str, judge: Any, key: str) -> str:
    """Return what is said of an answer, but for the answer itself."""
    say = words()
    own = {word: say(f"exercise.{label}.{word}") for word in ("why", "hint")}
    if key in ("right", "wrong", "close"):
        digits = getattr(judge, "digits", 0)
        text = say.table[f"check.{key}"]
        return text.format(got="{got}", n=digits, **own)
    wrong = say.table["check.wrong"]
    if key.startswith("slip_"):
        return wrong.format(got="{got}", hint=say(f"check.{key}"))
    return wrong.format(got=say(f"exercise.{label}.{key}"), hint=own["hint"])


FIELD_WORDS = (
    *("title", "button", "wrong", "empty", "none"),
    *("no_number", "no_percent"),
)


def answer_field(label: str, exercise: Number) -> Explorer:
    """Return a field that judges a number without a kernel.

    Where no script runs, it says how to answer in the cell.
    """
    say = words()
    if exercise.within:
        how = say("check.within", n=f"{100 * exercise.within:g}")
    elif exercise.digits:
        how = say("check.digits", n=exercise.digits)
    else:
        how = say("check.whole")
    data = {
        "cases": [
            {**case._asdict(), "said": _said(label, exercise, case.key)}
            for case in exercise.cases
        ],
        "unit": exercise.unit,
        "sentences": exercise.sentences,
        "words": {
            **{word: say.table[f"check.{word}"] for word in FIELD_WORDS},
            "hint": say(f"exercise.{label}.hint"),
            "label": say(f"check.answer_{exercise.unit or 'number'}", how=how),
        },
    }
    prompt = say("check.prompt")
    text = escape(json.dumps(data, ensure_ascii=False), quote=True)
    return Explorer(
        f'<div class="preact-explorer preact-answer" data-answer="{text}">'
        f"<p>{escape(prompt)}</p></div>",
        prompt,
    )
