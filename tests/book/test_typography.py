"""How lines and titles are set: what is not parted, brackets in Chinese."""

import pytest

import small_book
from book.site.typography import FIXED, MARK, fix_spaces


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
