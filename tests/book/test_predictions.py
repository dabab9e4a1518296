"""A prediction's axis, and what the pages measure for it."""

import numpy as np
import pytest

from engine.calls import call, evaluate, needs_node
from preact.book import predict, setup
from preact.strings import LANGUAGES, Strings


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_script_every_row_says_what_was_measured(language):
    setup(language)
    made = predict(
        "lambda_ask",
        {"lambda_direct": 2.66e-5, "lambda_gradient": 3.4e4},
        limits=(1e-8, 1e8),
        log=True,
    )._repr_html_()
    setup("en")
    assert made.count("<li>") == 2
    assert "2.7 × 10⁻⁵</li>" in made
    assert "34,000</li>" in made
