"""The ranking of Table 1, in the page."""

import pytest

from engine.calls import call, needs_node
from preact.book.shortcuts.ranking import FORMULAS, marker_in_page


@needs_node
def test_the_page_draws_or_writes_every_marker_of_the_ranking():
    marks = [marker_in_page(row) for row in FORMULAS]
    glyphs = call("charts.glyphOf", [[mark] for mark in marks])
    assert len({*glyphs}) == len({*marks})
    written = [
        mark
        for mark, glyph in zip(marks, glyphs, strict=True)
        if mark == glyph
    ]
    assert written
    assert all(mark[0].isdigit() for mark in written)


@needs_node
@pytest.mark.parametrize(
    ("order", "right"), [("abcd", 5), ("dcba", 0), ("abdc", 5), ("bacd", 4)]
)
def test_pairs_are_counted_and_two_fails_are_none(order, right):
    errors = {"a": 6.6, "b": 6.9, "c": None, "d": None}
    found = call("ranking.pairs", [[[*order], errors]])
    assert found == [{"right": right, "all": 5}]
