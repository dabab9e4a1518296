"""Marks of punctuation in the Chinese editions."""

import io

import pytest
from docutils import nodes
from sphinx.application import Sphinx

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
    parts = map(nodes.Text, (" 練習", " (", "數", ")"))
    link = nodes.reference("", "", *parts)
    title = nodes.title("", "", nodes.Text("解答："), link)
    widen_brackets(title)
    assert title.astext() == "解答：練習（數）"


PAGE = """# 書

單元 $l$，其間 $L$ 都

:::{exercise} 數
:label: one
:::

:::{solution} one
:::
"""


@pytest.mark.parametrize(
    ("edition", "title", "formulas"),
    [("zh-Hant", "（數）", 1), ("en", " (數)", 0)],
)
def test_a_page_is_set_in_its_language(tmp_path, edition, title, formulas):
    (tmp_path / edition).mkdir()
    (tmp_path / edition / "index.md").write_text(PAGE, "utf-8")
    extensions = ["myst_parser", "sphinx_exercise", "book.site.chinese"]
    settings = {
        "extensions": extensions,
        "myst_enable_extensions": ["colon_fence", "dollarmath"],
        "html_theme": "basic",
    }
    folders = (tmp_path / name for name in ("html", "trees"))
    app = Sphinx(
        tmp_path / edition,
        None,
        *folders,
        "html",
        settings,
        status=None,
        warning=io.StringIO(),
    )
    app.build()
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert page.count(title) == 2
    assert page.count('class="held"') == formulas
