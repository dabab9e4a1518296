"""How lines and titles are set: what is not parted, brackets in Chinese."""

import pytest
import small_book
from docutils import nodes

from book.site.typography import FIXED, MARK, fix_spaces, keep_together


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("4.62 % of 8 × 8", "4.62_% of 8_×_8"),
        ("19.7 GB in 3 s, 3 steps", "19.7_GB in 3_s, 3 steps"),
        ("Figs. 2 and 3, Eq. (4.1)", "Figs._2 and 3, Eq._(4.1)"),
        ("b = −1, 72.6 ± 5.8", "b_=_−1, 72.6_±_5.8"),
        ("第 3 章的图 3.2、式 (4)", "第_3_章的图_3.2、式_(4)"),
        (f"It holds. {MARK} So", f"It holds._{MARK} So"),
        ("in 2016 the best of 64 × n", "in 2016 the best of 64_× n"),
    ],
)
def test_the_space_between_a_number_and_its_sign_is_fixed(line, fixed):
    assert fix_spaces(line) == fixed.replace("_", FIXED)


def test_of_two_ends_of_lines_the_one_before_a_mark_is_fixed():
    mark = nodes.reference("", "measured", classes=["claim-mark"])
    texts = [nodes.Text(text) for text in ("One", "\n", "two.", "\n")]
    line = nodes.paragraph("", "", *texts, mark)
    keep_together(line)
    assert line.astext() == f"One\ntwo.{FIXED}measured"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("On CIFAR-10 a ResNet-110 is", ["CIFAR-10", "ResNet-110"]),
        ("在ResNet-110上，WRN-28-10 的", ["ResNet-110", "WRN-28-10"]),
        ("from 3-4 to x − 1, pre-activation", []),
    ],
)
def test_a_name_with_a_number_is_in_one_piece(text, names):
    line = nodes.paragraph("", "", nodes.emphasis("", "", nodes.Text(text)))
    keep_together(line)
    assert [one.astext() for one in line.findall(nodes.inline)] == names
    assert line.astext() == text


def test_a_citation_stays_and_after_a_formula_a_line_may_end():
    line = nodes.paragraph(
        "",
        "",
        nodes.math("", "n"),
        nodes.Text(" 個單元 "),
        nodes.footnote_reference("", "2"),
    )
    keep_together(line)
    assert line.astext() == f"n 個單元{FIXED}2"


PAGE = """# 書

:::{exercise} 數
:label: one
:::

:::{solution} one
:::
"""


@pytest.mark.parametrize(
    ("edition", "title"), [("zh-Hant", "（數）"), ("en", " (數)")]
)
def test_a_page_is_set_in_its_language(tmp_path, edition, title):
    extensions = ["myst_nb", "sphinx_exercise", "book.site.typography"]
    sources = {"index.md": PAGE}
    pages, _ = small_book.build(tmp_path, edition, sources, extensions)
    page = pages["index"]
    assert page.count(title) == 2
