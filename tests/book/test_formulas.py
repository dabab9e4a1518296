"""From TeX to MathML, and to a page."""

import re
import shutil

import pytest
import small_book
from docutils import nodes
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

from book.site.assets import MATH_FACE, cut_math_face
from book.site.math import mathml
from book.site.typography import hold_marks

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


def test_without_node_the_build_says_what_to_install(page_of, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ExtensionError, match="install npm"):
        page_of("# T\n\n$$\na = b\n$$\n")


# ---------------------------------------------------------------- one formula
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


@pytest.mark.parametrize(
    ("tex", "spaces"),
    [("h = f =", [None, "0"]), ("= 0", ["0"]), ("a + b", [None])],
)
def test_a_sign_at_a_formulas_end_has_the_lines_own_space(tex, spaces):
    signs = re.findall(r"<mo([^>]*)>", mathml(tex))
    found = [re.search(r'[lr]space="(\w+)"', sign) for sign in signs]
    assert [space and space[1] for space in found] == spaces


@pytest.mark.parametrize("tex", [r"\sqrt{l + 1}", r"\sqrt[3]{l}"])
def test_a_root_keeps_its_sign(tmp_path, tex):
    (tmp_path / "page.html").write_text(mathml(tex))
    face = tmp_path / MATH_FACE.name
    cut_math_face(face, tmp_path)
    with TTFont(face) as kept:
        assert ord("√") in kept.getBestCmap()


@pytest.mark.parametrize("tex", [r"\frac{1", r"\nosuch x", "x_1_2", "a & b}"])
def test_what_is_no_tex_is_refused(tex):
    with pytest.raises(ValueError, match=r"."):
        mathml(tex)


@pytest.mark.parametrize("tex", ["f'(y)", "g'", r"\hat f'", r"\sqrt{h'}"])
def test_a_prime_is_drawn_where_the_face_has_it(tex):
    assert "\u2032" in mathml(tex)
    assert "<msup" not in mathml(tex)  # it would be raised a second time


def test_a_sign_in_a_script_takes_no_space():
    assert '<mo lspace="0" rspace="0">+</mo>' in mathml("x_{l+1}")
    assert "<mo>+</mo>" in mathml("x + 1")
