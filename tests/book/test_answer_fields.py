"""A number typed into the page is judged as the checker would judge it."""

import html
import json
import re

import pytest

from engine.calls import call, needs_node
from preact.book import check, setup
from preact.book.exercises import (
    Number,
    answer_field,
    find_exercise,
    labels,
)
from preact.strings import LANGUAGES, Strings
from rooms import gathered

ANSWERS = {
    label: [*right, *wrong]
    for module in gathered("answers").values()
    for label, (right, wrong) in module.ANSWERS.items()
}


NUMERIC = {
    label: exercise
    for label in labels()
    if isinstance(exercise := find_exercise(label), Number)
}


def data_of(exercise):
    markup = answer_field(exercise, NUMERIC[exercise])._repr_html_()
    return json.loads(html.unescape(re.search(r'answer="(.*?)"', markup)[1]))


def verdicts(questions):
    """What the page says to pairs of an exercise's data and a typed text."""
    pairs = [[text, exercise] for exercise, text in questions]
    return call("answer.judge", pairs)


def test_exercises_answered_by_a_number_have_a_field_and_others_not():
    assert set(NUMERIC) == {
        label
        for label, answers in ANSWERS.items()
        if all(isinstance(answer, (int, float)) for answer in answers)
    }


@needs_node
def test_the_page_judges_as_the_checkers_do():
    questions, wanted = [], []
    for label, expected in NUMERIC.items():
        edge = expected.value * (1 + 0.999 * expected.rtol)
        beyond = expected.value * (1 + 1.001 * expected.rtol) + 1e-9
        for answer in [*ANSWERS[label], expected.value, edge, beyond]:
            questions.append((data_of(label), repr(answer)))
            right = check(label, answer)
            wanted.append(bool(right))
    assert [v["right"] for v in verdicts(questions)] == wanted
    assert set(wanted) == {True, False}
    typed = ["70400", " 70400.0 ", "70,400", "7.04e4", "+70400", "７０４００"]
    typed += ["140800/2", "140,800 / 2", "70400^1", "704/10**-2"]
    typed += ["70 400", "7.04 × 10⁴", "7.04*10^4"]
    asked = [(data_of("units-3"), text) for text in typed]
    assert all(verdict["right"] for verdict in verdicts(asked))


@needs_node
def test_a_decimal_comma_is_no_comma_between_thousands():
    share = data_of("imagenet-3")
    right = f"{share['expected']:.4g}"
    for text in (right.replace(".", ","), f"{100 * share['expected']:.4g}%"):
        assert verdicts([(share, text)])[0]["right"], text
    for text in ("70,4", "70400 %"):  # a count is no share
        assert not verdicts([(data_of("units-3"), text)])[0]["right"]


@needs_node
def test_an_answer_that_lacks_digits_hears_so_and_a_count_never(capsys):
    asked = [("depth-1", "1.4"), ("depth-1", "1.5"), ("units-3", "70401")]
    got = verdicts([(data_of(label), text) for label, text in asked])
    assert [v["said"].split(":")[0] for v in got] == [
        "Close",
        *["Not yet"] * 2,
    ]
    for (label, text), verdict in zip(asked, got, strict=True):
        assert not check(label, float(text))
        assert capsys.readouterr().out.strip() == verdict["said"]


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_number_is_refused_with_a_sentence(language):
    setup(language)
    data, say = data_of("units-3"), Strings(language)
    setup("en")
    texts = ["NaN", "seven", "7 thousand", "1/0", "1e999", "Infinity", "0x10"]
    got = verdicts([(data, text) for text in ["", "  ", *texts]])
    assert not any(verdict["right"] for verdict in got)
    assert [verdict["said"] for verdict in got] == [
        say("check.empty"),
        say("check.empty"),
        *(say("check.no_number", got=text) for text in texts),
    ]
