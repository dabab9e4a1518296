"""A number typed into the page is judged as the checker would judge it."""

import html
import json
import math
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


def of_any(said, answer):
    """A verdict without the answer it is on."""
    return said.replace(f"got {answer}", "").replace("\xa0", " ")


@needs_node
def test_the_page_judges_as_the_checkers_do(capsys):
    questions, wanted = [], []
    for label, expected in NUMERIC.items():
        edges = [
            case.value + way * case.margin
            for case in expected.cases
            for way in (-1.001, -0.999, 0.999, 1.001)
        ]
        for answer in filter(math.isfinite, [*ANSWERS[label], *edges]):
            questions.append((data_of(label), repr(answer)))
            right = bool(check(label, answer))
            said = capsys.readouterr().out.strip()
            wanted.append((right, of_any(said, f"{answer:g}")))
    judged = [
        (v["right"], of_any(v["said"], text))
        for v, (_, text) in zip(verdicts(questions), questions, strict=True)
    ]
    assert judged == wanted
    assert {right for right, _ in wanted} == {True, False}
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
        ("paths-1", ["3,125e-2", "0,3125E-1"]),
        ("afterlife-1", ["3,6e-15", "3.6e-15", "36e-16"]),
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
        "A number alone is asked for"
    }


@needs_node
@pytest.mark.parametrize(
    ("label", "slip", "typed"),
    [
        ("summary-1", "sign", "7.82"),
        ("summary-1", "sign", "7.8"),
        ("imagenet-3", "hundredfold", "37.9"),
        ("why-2", "hundredth", "0.353"),
        ("signal-1", "sign", "-19"),
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


RIGHT, CLOSE, NOT_YET = "Right.", "Close:", "Not yet:"


@needs_node
@pytest.mark.parametrize(
    ("label", "typed", "said"),
    [
        # 35.35 % to two digits
        *[("why-2", text, RIGHT) for text in ("35", "35.3", "35.84")],
        *[("why-2", text, CLOSE) for text in ("36", "34", "36.0")],
        *[("why-2", text, NOT_YET) for text in ("33", "37", "40", "353")],
        # 1.41421 to three
        *[("depth-1", text, RIGHT) for text in ("1.41", "1.419", "√2")],
        *[("depth-1", text, CLOSE) for text in ("1.42", "1.40", "1.4")],
        *[("depth-1", text, NOT_YET) for text in ("1.5", "1.44", "1.39", "1")],
        # 0.986759 to four
        *[("bugs-1", text, RIGHT) for text in ("0.9868", "0.98676")],
        *[("bugs-1", text, CLOSE) for text in ("0.9867", "0.9870", "0.99")],
        ("bugs-1", "0.9872", NOT_YET),  # that of all 54 units
        # −7.8202 to three
        *[("summary-1", text, RIGHT) for text in ("-7.82", "−7.82")],
        *[("summary-1", text, CLOSE) for text in ("-7.83", "-7.80", "-8")],
        *[("summary-1", text, NOT_YET) for text in ("-7.84", "-782")],
        # 0.73347 and 0.64494 to two
        *[("depth-2", text, CLOSE) for text in ("0.7", "0.70", "0.74")],
        *[("summary-4", text, CLOSE) for text in ("0.6", "0.65")],
        ("summary-4", "0.645", RIGHT),
        # 18.98 to within 15 %
        *[("signal-1", text, RIGHT) for text in ("17", "20", "21.8")],
        *[("signal-1", text, NOT_YET) for text in ("16", "22", "400")],
    ],
)
def test_right_to_its_digits_is_right_and_nearly_so_is_close(
    label, typed, said
):
    (got,) = verdicts([(data_of(label), typed)])
    assert got["said"].startswith(said)
    assert got["right"] == (said == RIGHT)


@needs_node
@pytest.mark.parametrize(
    ("label", "typed", "said"),
    [
        # asked for in percent: the sign changes nothing
        *[("why-2", text, RIGHT) for text in ("35%", "35 percent", "~35 ％")],
        ("why-2", "0.35", "A hundred times too small"),
        ("why-2", "0.35%", "A hundred times too small"),
        # a share: the sign divides by a hundred
        *[("paths-1", text, RIGHT) for text in ("0.031", "3.1%", "100/32 %")],
        ("paths-1", "3.1", "A hundred times too large"),
        ("paths-1", "0.031%", NOT_YET),
        # anything else has no sign
        *[("gradient-1", text, "No percentage") for text in ("6.6%", "660%")],
        ("signal-1", "19%", "No percentage"),
        ("why-1", "5 %", "No percentage"),
        ("gradient-1", "660", NOT_YET),
    ],
)
def test_a_percent_sign_is_read_by_what_is_asked_for(label, typed, said):
    (got,) = verdicts([(data_of(label), typed)])
    assert said in got["said"]
    assert got["right"] == (said == RIGHT)


@needs_node
def test_a_hundredfold_bias_or_count_is_not_asked_for_its_percent():
    asked = [("summary-1", "-782"), ("gradient-1", "658"), ("units-3", "704")]
    for got in verdicts([(data_of(label), text) for label, text in asked]):
        assert "percent" not in got["said"]


def test_a_field_says_how_exact_and_in_what_an_answer_is_to_be():
    said = {
        "depth-1": "Answer, right to 3 significant digits or more",
        "why-1": "Answer, a whole number",
        "why-2": "Answer in percent, right to 2 significant digits or more",
        "signal-1": "Answer, to within 15\N{NO-BREAK SPACE}%",
    }
    for label, text in said.items():
        assert data_of(label)["words"]["label"] == text


def test_what_is_rounded_to_the_digits_asked_for_is_right():
    for label, exercise in NUMERIC.items():
        if digits := exercise.digits:
            assert check(label, float(f"{exercise.value:.{digits}g}"))


@needs_node
def test_a_decimal_comma_is_no_comma_between_thousands():
    share = data_of("imagenet-3")
    for text in ("0,3793", "37.93%", "37,93 %"):
        assert verdicts([(share, text)])[0]["right"], text
    for text in ("70,4", "70400 %"):  # a count is no share
        assert not verdicts([(data_of("units-3"), text)])[0]["right"]


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
