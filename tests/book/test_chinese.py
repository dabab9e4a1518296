"""How titles are set in the Chinese editions."""

import pytest
import small_book
from docutils import nodes

from book.site.chinese import widen_brackets


def test_brackets_of_a_title_are_as_wide_as_its_characters():
    parts = map(nodes.Text, ("練習", " (", "數", ")"))
    link = nodes.reference("", "", *parts)
    title = nodes.title("", "", nodes.Text("解答："), link)
    widen_brackets(title)
    assert title.astext() == "解答：練習（數）"


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
    extensions = ["myst_nb", "sphinx_exercise", "book.site.chinese"]
    sources = {"index.md": PAGE}
    pages, _ = small_book.build(tmp_path, edition, sources, extensions)
    page = pages["index"]
    assert page.count(title) == 2
