"""From TeX to a page: a small book, built for each claim."""

import re
import shutil

import pytest
import small_book
from sphinx.errors import ExtensionError

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None, reason="formulas are rendered in Node"
)


@pytest.fixture
def page_of(tmp_path):
    """Build a page from Markdown; return its HTML."""

    def built(text):
        extensions = ["myst_nb", "book.site.math"]
        sources = {"index.md": text}
        pages, _ = small_book.build(tmp_path, "en", sources, extensions)
        return pages["index"]

    return built


def test_tex_that_is_none_ends_the_build_with_file_and_formula(page_of):
    with pytest.raises(ExtensionError) as error:
        page_of("# Title\n\nSome $x_1$ and\n\n$$\\frac{1}{$$\n")
    assert re.search(r"index\.md:\d", str(error.value))
    assert r"\frac{1}{" in str(error.value)


def test_a_label_gives_an_equation_its_number_and_its_link(page_of):
    page = page_of("# T\n\n$$\na = b\n$$ (sum)\n\nSee {eq}`sum`.\n")
    assert page.count('class="eqno">(1)<') == 1
    assert 'id="equation-sum"' in page
    assert 'href="#equation-sum">(1)</a>' in page


def test_a_tag_is_the_number_and_no_part_of_the_formula(page_of):
    page = page_of("# T\n\n$$\na = b \\tag{1, 2}\n$$\n")
    assert page.count('<span class="eqno">(1, 2)</span>') == 1
    assert page.count("1, 2") == 1


def test_lines_of_align_are_aligned_and_numbered_once(page_of):
    page = page_of(
        "# T\n\n\\begin{align}\na &= b \\\\\n&= c\n\\end{align}\n\n"
        "$$\nd &= e \\\\\n&= f\n$$\n"
    )
    assert page.count("<mtr") == 4
    assert "tml-eqn" not in page
    assert page.count('class="eqno"') <= 1


def test_headings_and_their_entries_hold_formulas(page_of):
    page = page_of("# T $x_l$\n\n## Unit $y_l$\n")
    assert re.search(r"<h1>.*<math", page)
    assert re.search(r"<h2>.*<math", page)
    assert "\\(" not in page


def test_without_node_the_build_says_what_to_install(page_of, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ExtensionError, match="install npm"):
        page_of("# T\n\n$$\na = b\n$$\n")
