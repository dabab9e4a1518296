"""Captions, kinds of exercises and staged hints, as a page shows them."""

import nbformat
import pytest
import small_book
from bs4 import BeautifulSoup

from book.site.words import WORDS
from book.tools.plain import Page, plain
from preact.book import predict, setup
from preact.strings import LANGUAGES

FIGURE = """(part)=
## Part

See {numref}`a-figure`.
"""
CAPTION = """:::{caption} a-figure
What was *found*.

Of which network.
:::
"""
EXERCISE = """:::{exercise} Count
:label: a-1
:class: diagnose

How many?
:::

:::{hint}
:class: dropdown

Think.
:::

:::{hint}
:class: dropdown

Divide.
:::

:::{hint}
:class: dropdown

`a / b`
:::

:::{solution} a-1
:class: dropdown

Two.
:::
"""


def shown(text):
    if not text.startswith("<"):
        return nbformat.v4.new_output("stream", text=text)
    return nbformat.v4.new_output("display_data", {"text/html": text})


def build(folder, language, *cells):
    """The page of a notebook whose code cells show what they hold."""
    made = [
        nbformat.v4.new_code_cell(
            "draw()",
            outputs=[shown(cell[1:])] if cell[1:] else [],
            execution_count=1,
        )
        if cell.startswith("!")
        else nbformat.v4.new_markdown_cell(cell)
        for cell in ("# Title", *cells)
    ]
    book = nbformat.v4.new_notebook(cells=made)
    book.metadata["language_info"] = {"name": "python"}
    extensions = ["myst_nb", "sphinx_exercise"]
    extensions += ["book.site.figures", "book.site.exercises"]
    pages, warnings = small_book.build(
        folder, language, {"index.ipynb": nbformat.writes(book)}, extensions
    )
    return BeautifulSoup(pages["index"], "html.parser"), warnings


@pytest.mark.parametrize(
    ("language", "number"), [("en", "Fig. 1"), ("zh-Hant", "圖 1")]
)
def test_a_cells_output_becomes_a_numbered_figure(tmp_path, language, number):
    page, warnings = build(tmp_path, language, FIGURE, "!drawn", CAPTION)
    assert warnings == ""
    figure = page.select_one(".cell_output > figure#a-figure")
    assert "drawn" in figure.select_one(".output").text
    assert "draw()" not in figure.text
    caption = figure.select_one("figcaption")
    assert caption.select_one(".caption-number").text.strip() == number
    assert "What was found." in caption.text
    assert "Of which network." in caption.select_one(".legend").text
    assert page.select_one("a[href='#a-figure'] .std-numref").text == number


def test_what_a_prediction_conceals_is_named(tmp_path):
    setup("en")
    asked = {"lambda_direct": 0.5}, {"limits": (0.1, 9), "log": True}
    asks = [
        "!" + predict("lambda_ask", asked[0], **asked[1], **hidden).markup
        for hidden in ({"conceal": True}, {})
    ]
    page, warnings = build(
        *(tmp_path, "en", asks[0], "!first"),
        *("!second", asks[1], "!third", asks[0], "A sentence."),
    )
    assert warnings == ""
    (cell,) = page.select(".concealed")
    assert cell.select_one(".output").text.strip() == "first"


@pytest.mark.parametrize(
    "between", [["Only words."], ["!drawn", "A sentence."], ["!"]]
)
def test_a_caption_of_nothing_is_refused(tmp_path, between):
    _, warnings = build(tmp_path, "en", FIGURE, *between, CAPTION)
    assert "directly after a cell with an output; a-figure does" in warnings


@pytest.mark.parametrize("language", LANGUAGES)
def test_kind_and_stages_are_named_in_the_pages_language(tmp_path, language):
    page, warnings = build(tmp_path, language, EXERCISE)
    assert warnings == ""
    words = WORDS[language]
    title = page.select_one(".exercise .admonition-title")
    kind = title.select_one(".exercise-kind").text
    assert kind == words["@exercise-diagnose"]
    hints = page.select(".admonition.hint.dropdown")
    assert [hint.select_one(".admonition-title").text for hint in hints] == [
        words[f"@hint-{stage}"] for stage in ("idea", "formula", "code")
    ]
    assert [hint.select("p")[-1].text for hint in hints] == [
        "Think.",
        "Divide.",
        "a / b",
    ]
    assert kind not in page.select_one(".solution .admonition-title").text


def test_a_fourth_hint_is_refused(tmp_path):
    more = EXERCISE.replace(":::{solution}", ":::{hint}\nMore.\n:::\n\n\\g", 1)
    text = more.split("\\g")[0]
    _, warnings = build(tmp_path, "en", text)
    assert "at most 3 hints; got 4" in warnings


def test_a_notebook_says_all_of_it_in_plain_words(tmp_path):
    equations = "$$\nx\n$$ (one)\n\n$$\ny\n$$ (two)\n\nBy {eq}`two`.\n"
    text = f"{equations}\n{FIGURE}\n{CAPTION}\n{EXERCISE}"
    chapter = tmp_path / "book/en/03-a.md"
    chapter.parent.mkdir(parents=True)
    chapter.write_text(text, "utf-8")
    got = plain(text, Page(chapter))
    assert "$$\ny\n\\tag{3.2}\n$$\n\nBy (3.2)." in got
    assert "See Figure 3.1." in got
    assert "**Figure 3.1.** What was *found*.\n\nOf which network.\n" in got
    assert "**Exercise 3.1.** Count\n\nHow many?\n" in got
    assert ":::" not in got
    assert ":class:" not in got
