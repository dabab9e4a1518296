"""Marks of punctuation in the Chinese editions."""

import pytest
from docutils import nodes

from book.site.chinese import hold_marks, widen_brackets


def line(before, after):
    formula = nodes.math("", "x_l")
    row = nodes.paragraph("", "", nodes.Text(before), formula)
    row += nodes.Text(after)
    hold_marks(formula)
    return row


def held(row):
    return [node.astext() for node in row.findall(nodes.inline)]


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("單元", "，其間", "x_l，"),
        ("（", "）。其間", "（x_l）。"),
        ("單元「", "其間", "「x_l"),
    ],
)
def test_a_formula_is_held_with_the_marks_beside_it(before, after, kept):
    row = line(before, after)
    assert held(row) == [kept]
    assert row.astext() == f"{before}x_l{after}"


def test_a_formula_between_words_is_left_alone():
    row = line("單元", "其間，")
    assert held(row) == []
    assert row.astext() == "單元x_l其間，"


def test_brackets_of_a_title_are_as_wide_as_its_characters():
    title = nodes.title("", "", *map(nodes.Text, ("練習", " (", "數", ")")))
    widen_brackets(title)
    assert title.astext() == "練習（數）"
