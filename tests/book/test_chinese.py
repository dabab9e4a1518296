"""How titles are set in the Chinese editions."""

import io

import pytest
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

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
    (tmp_path / edition).mkdir()
    (tmp_path / edition / "index.md").write_text(PAGE, "utf-8")
    extensions = ["myst_parser", "sphinx_exercise", "book.site.chinese"]
    settings = {
        "extensions": extensions,
        "myst_enable_extensions": ["colon_fence"],
        "html_theme": "basic",
        "source_suffix": {".md": "markdown"},  # its default is shared
    }
    folders = (tmp_path / name for name in ("html", "trees"))
    with docutils_namespace():
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
