"""Captions, kinds of exercises and staged hints, as a page shows them."""

import nbformat
import pytest
from bs4 import BeautifulSoup

import small_book
from book.site.words import WORDS
from book.tools.plain import Page, plain
from preact.book import predict, setup

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


def made_of(cell):
    if cell.startswith("check("):
        return nbformat.v4.new_code_cell(cell, outputs=[shown("To do.")])
    if not cell.startswith("!"):
        return nbformat.v4.new_markdown_cell(cell)
    outputs = [shown(cell[1:])] if cell[1:] else []
    return nbformat.v4.new_code_cell("draw()", outputs=outputs)


def build(folder, language, *cells):
    """The page of a notebook whose code cells show what they hold."""
    made = [made_of(cell) for cell in ("# Title", *cells)]
    book = nbformat.v4.new_notebook(cells=made)
    book.metadata["language_info"] = {"name": "python"}
    extensions = ["myst_nb", "sphinx_exercise"]
    extensions += ["book.site.figures", "book.site.exercises"]
    pages, warnings = small_book.build(
        folder, language, {"index.ipynb": nbformat.writes(book)}, extensions
    )
    return BeautifulSoup(pages["index"], "html.parser"), warnings


def test_a_cells_output_becomes_a_numbered_figure(tmp_path):
    page, warnings = build(tmp_path, "zh-Hant", FIGURE, "!drawn", CAPTION)
    assert warnings == ""
    figure = page.select_one(".cell_output > figure#a-figure")
    assert "drawn" in figure.select_one(".output").text
    assert "draw()" not in figure.text
    assert figure.select_one(".caption-number").text.strip() == "圖 1"
    assert "What was found." in figure.select_one("figcaption").text
    assert page.select_one("a[href='#a-figure'] .std-numref").text == "圖 1"


def test_the_page_of_runs_counts_its_own_figures(tmp_path):
    figure = "```{figure} none.png\n:name: NAME\n\nFound.\n```\n"
    toc = "# Title\n\n" + figure.replace("NAME", "first")
    toc += "\n```{toctree}\nruns\n```\n"
    runs = "# Runs\n\nSee {numref}`second`.\n\n"
    runs += figure.replace("NAME", "second")
    pages, _ = small_book.build(
        *(tmp_path, "en", {"index.md": toc, "runs.md": runs}),
        ["myst_nb", "book.site.figures"],
    )
    page = BeautifulSoup(pages["runs"], "html.parser")
    (number,) = page.select("figcaption .caption-number")
    assert number.text.strip() == "Fig. R.1"
    assert page.select_one("a[href='#second']").text == "Fig. R.1"


def test_a_prediction_conceals_all_that_is_left_of_its_section(tmp_path):
    setup("en")
    asked = {"lambda_direct": 0.5}, {"limits": (0.1, 9), "log": True}
    asks, open_ = (
        "!" + predict("lambda_ask", asked[0], **asked[1], conceal=hide).markup
        for hide in (True, False)
    )
    page, warnings = build(
        *(tmp_path, "en", "## Asked", asks, "!first", "A sentence."),
        *("### Within", "(label)=\n## Next"),
        *(open_, "!second", "## Last", asks),
    )
    assert warnings == ""
    (box,) = page.select(".concealed")
    assert box.select_one(".output").text.strip() == "first"
    assert "A sentence." in box.text
    assert "Within" in box.text
    assert "Next" not in box.text
    assert page.find(id="label")
    assert not box.find(id="label")


@pytest.mark.parametrize(
    "between", [["Only words."], ["!drawn", "A sentence."], ["!"]]
)
def test_a_caption_of_nothing_is_refused(tmp_path, between):
    _, warnings = build(tmp_path, "en", FIGURE, *between, CAPTION)
    assert "directly after a cell with an output; a-figure does" in warnings


def test_kind_and_stages_are_named_in_the_pages_language(tmp_path):
    page, warnings = build(tmp_path, "zh-Hant", EXERCISE)
    assert warnings == ""
    words = WORDS["zh-Hant"]
    kind = page.select_one(".exercise .admonition-title .exercise-kind").text
    assert kind == words["@exercise-diagnose"]
    assert kind not in page.select_one(".solution .admonition-title").text
    hints = page.select(".admonition.hint.dropdown")
    assert [[p.text for p in hint.select("p")] for hint in hints] == [
        [words[f"@hint-{stage}"], said]
        for stage, said in (
            ("idea", "Think."),
            ("formula", "Divide."),
            ("code", "a / b"),
        )
    ]


def test_a_page_names_a_cell_to_fill_in_and_shows_any_other(tmp_path):
    asked, answered = 'check("a-1", ...)', 'check("a-1", 2)'
    page, warnings = build(tmp_path, "en", EXERCISE, asked, answered)
    assert warnings == ""
    (cell,) = page.select(".cell")
    assert answered in cell.text
    said = WORDS["en"]["@exercise-cell"].format(asked)
    assert said in [p.text for p in page.select("p")]


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
    assert "### Exercise 3.1. Count\n\nHow many?\n" in got
    assert ":::" not in got
    assert ":class:" not in got
