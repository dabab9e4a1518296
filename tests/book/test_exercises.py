"""Checkers: wrong answers are told so, right ones are, in three languages."""

import re
from collections import ChainMap
from itertools import pairwise

import numpy as np
import pytest

from book.tools.myst import KINDS, STAGES, chapters, directive, tokens
from preact.book import check, setup
from preact.book.exercises import labels
from rooms import gathered
from sampled import sampled


@pytest.fixture(autouse=True)
def english():
    yield setup("en")
    setup("en")


def slips(words):
    """What is said of slips that any number may have."""
    return [v for k, v in words.table.items() if k.startswith("check.slip_")]


def said(capsys):
    return capsys.readouterr().out


ANSWERED = gathered("answers")
EACH_CHAPTER = pytest.mark.parametrize(
    "answers",
    [*sampled([module.ANSWERS for module in ANSWERED.values()], 4)],
    ids=[*ANSWERED],
)
ANSWERS = {
    label: answers
    for module in ANSWERED.values()
    for label, answers in module.ANSWERS.items()
}


def of_chapters(*names):
    """Directives of these names in the English chapters, in their order."""
    return [
        made
        for text in chapters("en").values()
        for token in tokens(text)
        if (made := directive(token)) and made.name in names
    ]


def test_every_exercise_but_an_investigation_has_a_checker_and_a_test():
    exercises = {
        made.options["label"]: made.options.get("class", KINDS[0])
        for made in of_chapters("exercise")
    }
    assert labels() == list(ANSWERS)  # in the order of the book
    assert set(labels()) <= set(exercises)
    open_ended = exercises.keys() - set(labels())
    assert {exercises[label] for label in open_ended} == {"investigate"}


def test_every_exercise_has_two_or_three_hints_and_then_a_solution():
    made = of_chapters("exercise", "hint", "solution", "solution-start")
    starts = [i for i, m in enumerate(made) if m.name == "exercise"]
    for start, end in pairwise([*starts, len(made)]):
        exercise, *hints, solution = made[start:end]
        label = exercise.options["label"]
        assert {hint.name for hint in hints} == {"hint"}, label
        assert len({hint.body.strip() for hint in hints}) == len(hints), label
        assert 2 <= len(hints) <= len(STAGES), label
        assert solution.name.startswith("solution"), label
        assert solution.argument == label


def one_nan(values):
    values = np.array(values, dtype=float)
    values.flat[0] = np.nan
    return values


def all_nan(values):
    return np.full_like(values, np.nan, dtype=float)


def endless(values):
    return np.full_like(values, np.inf, dtype=float)


def flat(values):
    return np.append(values.ravel(), 0.0)


def spoiled(answer):
    """The same answer with values that are none, or of another shape."""
    if not callable(answer):
        return [how(np.float64(answer)) for how in (all_nan, endless)]
    return [
        lambda *arguments, how=how: how(np.array(answer(*arguments)))
        for how in (one_nan, all_nan, endless, flat)
    ]


@EACH_CHAPTER
def test_a_value_that_is_none_is_never_right(answers, capsys):
    for exercise in answers:
        for answer in answers[exercise][0]:
            for wrong in spoiled(answer):
                assert not check(exercise, wrong)
                assert "Not yet: got " in said(capsys)


@EACH_CHAPTER
def test_right_answers_are_accepted_and_explained(answers, english, capsys):
    for exercise in answers:
        for answer in answers[exercise][0]:
            assert check(exercise, answer)
            assert english(f"exercise.{exercise}.why") in said(capsys)


@EACH_CHAPTER
def test_wrong_answers_are_refused_with_value_and_hint(
    answers, english, capsys
):
    """Twice in the same words: the input that tries an answer is fixed."""
    for exercise in answers:
        for answer in answers[exercise][1]:
            assert not check(exercise, answer)
            told = said(capsys)
            assert not check(exercise, answer)
            assert said(capsys) == told
            if told.startswith("Close: got "):
                continue
            assert told.startswith("Not yet: got ")
            hints = [english(f"exercise.{exercise}.hint"), *slips(english)]
            assert any(hint in told for hint in hints)


def test_one_letter_mends_the_unit_that_the_chapter_prints(capsys):
    text = chapters("en")["04-units"]
    (code,) = re.findall(r"```python\n(def bn.*?)```", text, re.S)
    names = {"np": np}
    exec(code, names)
    assert not check("units-4", names["unit"])
    exec(code.replace("return a +", "return x +"), names)
    assert check("units-4", names["unit"])


@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant"])
def test_verdicts_are_in_the_pages_language(language, capsys):
    words = setup(language)
    for exercise, (_, wrong) in [*ANSWERS.items()][::6]:
        check(exercise, wrong[0])
        assert words(f"exercise.{exercise}.hint") in said(capsys)


def test_an_open_exercise_says_what_to_do(capsys):
    assert not check("units-1", ...)
    assert "three dots" in said(capsys)


def test_a_failing_answer_is_reported_and_does_not_stop_the_notebook(capsys):
    assert not check("units-2", lambda *_: 1 / 0)
    assert "ZeroDivisionError" in said(capsys)


def test_an_unknown_exercise_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"one of why-1, .*got 'units-0'"):
        check("units-0", 1)


def test_a_known_mistake_is_called_by_its_name(english, capsys):
    own = [getattr(m, "OWN_SENTENCES", {}) for m in ANSWERED.values()]
    assert any(own)
    for (exercise, answer), mistake in ChainMap(*own).items():
        assert not check(exercise, answer)
        assert english(f"exercise.{exercise}.{mistake}") in said(capsys)
