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


DIGITS = "significant digits."
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
@pytest.mark.parametrize(
    ("label", "typed"),
    [
        ("depth-1", ["√2", "sqrt(2)", "2^0.5", "√ 2", "2^(1/2)", "１.４１４"]),
        ("paths-1", ["1/32", "2⁻⁵", "2^-5", "3.125%", "3.125e-2"]),
        ("signal-4", ["1,431", "54*53/2", "54×53÷2", "(54^2 − 54)/2"]),
        ("gradient-1", ["log(0.5)/log(0.9)", "ln 2/-ln 0.9", "6,58"]),
        ("depth-2", ["0.5π/(π-1)", "pi/2/(pi-1)"]),
        ("activations-4", ["0.01 * 2√2", "√8/100"]),
    ],
)
def test_an_answer_may_be_a_formula(label, typed):
    asked = [(data_of(label), text) for text in typed]
    assert [v["right"] for v in verdicts(asked)] == [True] * len(typed)


@needs_node
def test_what_only_looks_like_a_formula_is_no_number():
    texts = ["2 +", "(2", "2)", "√", "1,2,3", "x", "constructor", "2 3"]
    got = verdicts([(data_of("depth-1"), text) for text in texts])
    assert {verdict["said"].split(",")[0] for verdict in got} == {
        "A number is asked for"
    }


@needs_node
@pytest.mark.parametrize(
    ("label", "slip", "typed"),
    [
        ("summary-1", "sign", "7.82"),
        ("imagenet-3", "hundredfold", "37.9"),
        ("why-2", "hundredth", "0.353"),
        ("signal-4", "twice", "2862"),
        ("depth-1", "half", "0.7071"),
        ("training-3", "reciprocal", "0.0671"),
    ],
)
def test_a_common_slip_has_a_sentence_of_its_own(label, slip, typed, capsys):
    (got,) = verdicts([(data_of(label), typed)])
    assert not check(label, float(typed))
    said = capsys.readouterr().out.strip()
    assert said == got["said"]
    assert said.endswith(Strings("en")(f"check.slip_{slip}"))


@needs_node
def test_among_few_whole_numbers_the_double_is_no_slip():
    (got,) = verdicts([(data_of("activations-5"), "2")])
    assert got["said"].endswith(Strings("en")("exercise.activations-5.hint"))


@needs_node
def test_a_chapters_own_mistake_is_known_to_the_page(capsys):
    typed = repr(-NUMERIC["shortcuts-1"].value)
    (got,) = verdicts([(data_of("shortcuts-1"), typed)])
    assert Strings("en")("exercise.shortcuts-1.sign") in got["said"]
    check("shortcuts-1", float(typed))
    assert capsys.readouterr().out.strip() == got["said"]


@needs_node
def test_the_digits_that_are_asked_for_are_enough_and_fewer_are_close():
    enough, few = [], []
    for label, exercise in NUMERIC.items():
        data = data_of(label)
        if exercise.sentences:
            continue
        if not exercise.digits:
            assert data["words"]["label"] == "Answer, a whole number"
            continue
        said = f"Answer, to {exercise.digits} significant digits"
        assert data["words"]["label"] == said
        enough.append((data, f"{exercise.value:.{exercise.digits}g}"))
        few += [(data, repr(value)) for value in data["few"]]
    assert all(verdict["right"] for verdict in verdicts(enough))
    assert few
    for (data, _), verdict in zip(few, verdicts(few), strict=True):
        assert verdict["said"].startswith("Close")
        assert verdict["said"].endswith(
            f"Give {len(data['few']) + 2} " + DIGITS
        )


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
