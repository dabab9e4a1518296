"""A prediction's axis, and what the pages measure for it."""

import re

import numpy as np
import pytest

from book.tools.myst import chapters
from engine.calls import call, evaluate, needs_node
from preact.book import predict, setup
from preact.strings import LANGUAGES, Strings


def test_what_is_asked_for_is_one_of_what_was_measured():
    measured = {"depth_fresh": 2e7, "depth_one": 30.0}
    limits = (1, 1e8)
    with pytest.raises(ValueError, match=r"depth_one; got 'depth_two'"):
        predict("depth_ask", measured, limits=limits, asked="depth_two")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_follows_a_question_waits_for_the_guess(language):
    text = "\n".join(chapters(language).values())
    asked = re.findall(r"^predict\(.*?^\)", text, re.MULTILINE | re.DOTALL)
    open_ = {re.search('"(.*?)"', c)[1] for c in asked if "conceal" not in c}
    # what follows these two does not show it
    assert (len(asked), open_) == (17, {"place_ask", "mutants_ask"})


@pytest.mark.parametrize(
    ("language", "said"), [("en", "5 %"), ("zh-Hans", "5%")]
)
def test_percent_is_written_as_the_language_does(language, said):
    setup(language)
    made = predict("rate_ask", {"rate_original": 5}, limits=(0, 9), unit="%")
    setup("en")
    assert said in made.markup


@needs_node
def test_a_number_and_its_unit_stay_on_one_line():
    label = "both identities, BN before the classifier: 0\N{NO-BREAK SPACE}%"
    (lines,) = call("bars.linesOf", [[f"{label} ← your guess"]])
    assert any("0\N{NO-BREAK SPACE}%" in line for line in lines)
    assert len(lines) == 2


@needs_node
def test_an_axis_leads_from_a_place_to_a_value_and_back():
    axes = [
        {"limits": [0, 54], "log": False},
        {"limits": [1e-8, 1e8], "log": True},
        {"limits": [1, 1e5], "log": True},
    ]
    linear, wide, narrow = evaluate(
        "{ scale }",
        "book/scripts/predict.js",
        """(axes) => axes.map(({ limits, log }) => {
            const { marks, value, place } = scale(limits, log);
            const values = marks.map(value);
            return { marks, values, places: values.map(place) };
        })""",
        axes,
    )

    def texts(axis):
        return call("charts.numberText", [[v] for v in axis["values"]])

    for got in (linear, wide, narrow):
        np.testing.assert_allclose(got["places"], got["marks"], atol=1e-12)
    assert linear["values"] == [0, 10, 20, 30, 40, 50]
    assert texts(wide) == [
        "1 × 10⁻⁸",
        "0.0001",
        "1",
        "10,000",
        "1 × 10⁸",
    ]
    np.testing.assert_allclose(narrow["values"], [1, 100, 1e4])
    for axis in (linear, wide, narrow):
        same = [Strings("en").two_digits(v) for v in axis["values"]]
        assert texts(axis) == same
