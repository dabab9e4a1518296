"""From TeX to MathML, and to a page."""

import re
import shutil

import pytest
from sphinx.errors import ExtensionError

import small_book
from book.site.math import mathml

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


def test_without_node_the_build_says_what_to_install(page_of, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ExtensionError, match="install npm"):
        page_of("# T\n\n$$\na = b\n$$\n")


# ---------------------------------------------------------------- one formula


@pytest.mark.parametrize("tex", [r"\frac{1", r"\nosuch x", "x_1_2", "a & b}"])
def test_what_is_no_tex_is_refused(tex):
    with pytest.raises(ValueError, match=r"."):
        mathml(tex)
