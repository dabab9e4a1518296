"""Checkers: wrong answers are told so, right ones are, in three languages."""

import re

import numpy as np
import pytest

from paths import ROOT
from preact.book import check, setup
from preact.book.exercises import CHECKERS


@pytest.fixture(autouse=True)
def english():
    yield setup("en")
    setup("en")


def said(capsys):
    return capsys.readouterr().out


def right_bn(dout, x_hat, gamma, sigma):
    kept = {"axis": (0, 2, 3), "keepdims": True}
    away = dout.mean(**kept) + x_hat * (dout * x_hat).mean(**kept)
    return (gamma / sigma)[:, None, None] * (dout - away)


def half_bn(dout, x_hat, gamma, sigma):
    mean = dout.mean((0, 2, 3), keepdims=True)
    return (gamma / sigma)[:, None, None] * (dout - mean)


def norm(x):
    return (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5)


def right_unit(x, W1, W2):
    a = np.maximum(norm(x), 0)
    return x + np.maximum(norm(a @ W1.T), 0) @ W2.T


def wrong_unit(x, W1, W2):
    a = np.maximum(norm(x), 0)
    return a + np.maximum(norm(a @ W1.T), 0) @ W2.T


def copy_unit(x, W1, W2):
    return np.maximum(x + np.maximum(x @ W1.T, 0) @ W2.T, 0)


def early_relu(x, W1, W2):
    return x + np.maximum(np.maximum(x @ W1.T, 0) @ W2.T, 0)


def telescope(x0, branches):
    return [x0, *(x0 + np.cumsum(branches, axis=0))]


def forgetful(x0, branches):
    return [x0, *(x0 + F for F in branches)]


def direct(factors):
    return [np.prod(factors[i:]) for i in range(len(factors) + 1)]


def from_the_start(factors):
    return [np.prod(factors[:i]) for i in range(len(factors) + 1)]


def back(dout, y, J):
    return (dout * (y > 0)) @ (np.eye(len(y)) + J)


def mask_last(dout, y, J):
    return (dout @ (np.eye(len(y)) + J)) * (y > 0)


ANSWERS = {  # exercise: right ones, wrong ones
    "why-1": ([5], [4, 6]),
    "why-2": ([2.69], [2.99, 0.24]),
    "why-3": ([108], [54, 110]),
    "why-4": ([copy_unit], [early_relu]),
    "signal-1": ([20], [399, 8]),
    "signal-2": ([telescope], [forgetful]),
    "signal-3": ([0.399], [0.5, 0.798]),
    "signal-4": ([1431], [2916, 2862]),
    "gradient-1": ([6.58], [5.0, 100]),
    "gradient-2": ([direct], [from_the_start]),
    "gradient-3": ([back], [mask_last]),
    "gradient-4": ([0.875], [0.9975, 0.126]),
    "units-1": ([600, 600.0], [601, 400]),
    "units-2": ([right_bn], [half_bn]),
    "units-3": ([70_400], [69_632]),
    "units-4": ([right_unit], [wrong_unit]),
    "units-5": ([10.0, 10.4], [1.0, 33.0]),
}


def test_every_exercise_has_a_checker_and_a_test():
    labels = set()
    for path in ROOT.glob("book/en/*.md"):
        labels |= set(re.findall(r"^:label: (.*)$", path.read_text(), re.M))
    assert labels == set(CHECKERS) == set(ANSWERS)


@pytest.mark.parametrize("exercise", ANSWERS)
def test_right_answers_are_accepted_and_explained(exercise, english, capsys):
    for answer in ANSWERS[exercise][0]:
        assert check(exercise, answer)
        assert english(f"exercise.{exercise}.why") in said(capsys)


@pytest.mark.parametrize("exercise", ANSWERS)
def test_wrong_answers_are_refused_with_value_and_hint(
    exercise, english, capsys
):
    for answer in ANSWERS[exercise][1]:
        assert not check(exercise, answer)
        told = said(capsys)
        assert told.startswith("Not yet: got ")
        assert english(f"exercise.{exercise}.hint") in told


@pytest.mark.parametrize("exercise", ANSWERS)
@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant"])
def test_verdicts_are_in_the_pages_language(exercise, language, capsys):
    words = setup(language)
    check(exercise, ANSWERS[exercise][1][0])
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
