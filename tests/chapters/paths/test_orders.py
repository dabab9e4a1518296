"""The explorer of chapter 08: every order of the units is there, and right."""

import json
import re
from html import unescape
from itertools import permutations

import numpy as np
import pytest

from engine.calls import evaluate, needs_node
from preact.book.page import setup
from preact.book.paths.orders import every_order, order_explorer
from preact.strings import LANGUAGES

IMAGES = 360


def arm(seed, *, units=3, seeds=4):
    """Errors of an arm that nobody trained, by order, as the chapter's."""
    rng = np.random.default_rng(seed)
    return {
        order: 100 * rng.integers(0, IMAGES + 1, seeds) / IMAGES
        for order, _ in every_order(units, None, lambda x, i: x)
    }


def data_of(page):
    text = page.markup.split("data-subnetworks='")[1].split("'>")[0]
    return json.loads(unescape(text))


def test_every_order_of_every_selection_is_walked_through_once():
    calls = []
    walk = every_order(6, None, lambda x, i: calls.append(i))
    walked = [order for order, _ in walk]
    wanted = [o for k in range(7) for o in permutations(range(6), k)]
    assert sorted(walked) == sorted(wanted)
    assert len(walked) == len(calls) + 1  # a unit is run once for each


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_script_a_table_stays(language):
    say, errors = setup(language), arm(0)
    page = order_explorer({"original+final-bn": errors}, IMAGES)
    assert f"<caption>{say('orders.medians')}</caption>" in page.markup
    assert page.markup.count("<tr>") == 1 + 1 + 3 + 2 + 1
    for order in ((0, 1, 2), (1, 2), (0, 2, 1), (2, 1, 0)):
        row = say("punctuation.list").join(map(str, order))
        value = f"{np.median(errors[order]):.1f}"
        assert re.search(rf">{row}</td><td[^>]*>{value}</td>", page.markup)
    assert "input" not in page.markup  # nothing that would do nothing


@needs_node
def test_the_page_reads_every_order_as_it_was_tested():
    names = ("original+final-bn", "full-preactivation+final-bn")
    arms = {name: arm(i, units=5) for i, name in enumerate(names)}
    page = data_of(order_explorer(arms, IMAGES))
    orders = list(arms[names[0]])
    spreads = evaluate(
        "{ errorsOf }",
        "src/preact/book/paths/explorer.js",
        """({ page, orders }) => page.arms.map((arm) =>
            orders.map((order) => errorsOf(arm, order, page)))""",
        {"page": page, "orders": orders},
    )
    for errors, found in zip(arms.values(), spreads, strict=True):
        for order, spread in zip(orders, found, strict=True):
            wanted = np.percentile(errors[order], [0, 50, 100])
            np.testing.assert_allclose(spread, wanted)
