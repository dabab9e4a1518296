"""What a page of the site carries: its head, its buttons, its address."""

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

import small_book
from book.site.head import head_of_page
from book.site.pages import (
    LabelFirst,
    dress_page,
    launch_buttons,
    source_options,
)
from preact.strings import LANGUAGES


def a_document():
    document = new_document("page")
    section = nodes.section(ids=["a-title", "why-label"], names=["a title"])
    document += section
    document.nameids = {"a title": "a-title", "why-label": "why-label"}
    document.nametypes = {"a title": False, "why-label": True}
    return document, section


def test_the_label_of_a_section_is_its_address():
    document, section = a_document()
    LabelFirst(document).apply()
    assert section["ids"] == ["why-label", "a-title"]


def test_the_description_of_a_page_is_its_question():
    document, section = a_document()
    section += nodes.paragraph("", "", nodes.emphasis("", "Draft."))
    section += nodes.paragraph(
        "",
        "",
        nodes.strong("", "Question."),
        nodes.Text(' What is "left"\nat the end?'),
    )
    tags = head_of_page("en", "01-why", "../", "Why?", document)
    told = 'name="description" content="What is &quot;left&quot; at the end?"'
    assert told in tags


def test_the_head_names_every_edition_and_one_for_all_others():
    tags = head_of_page("en", "01-why", "https://a.example/", "Why?", None)
    for code in LANGUAGES:
        assert f'hreflang="{code}" href="https://a.example/{code}/01' in tags
    assert 'hreflang="x-default" href="https://a.example/en/01-why' in tags
    assert 'name="description"' not in tags


# ---------------------------------------------------------------- its buttons
SOURCE = "---\nkernelspec:\n  name: python3\n---\n\n# A chapter\n\nText.\n"


def links_of(folder, language):
    """Addresses of a small page of an edition, in the book's theme."""
    pages, _ = small_book.build(
        folder,
        language,
        {"index.md": SOURCE},
        ["myst_nb"],
        dress_page,
        html_theme="sphinx_book_theme",
        html_theme_options=source_options(language),
    )
    page = BeautifulSoup(pages["index"], "html.parser")
    return {a["href"] for a in page.select("a[href]")}


@pytest.mark.slow
def test_a_page_can_be_run_mended_and_reported_if_there_is_a_repository(
    tmp_path, monkeypatch
):
    for name in ("GITHUB_REF_NAME", "SITE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_REPOSITORY", "")
    links = " ".join(links_of(tmp_path, "en"))
    assert not any(name in links for name in ("github", "colab", "binder"))
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    monkeypatch.setenv("GITHUB_BASE_REF", "next")  # where it will land
    links = links_of(tmp_path, "zh-Hant")
    home = "https://github.com/a/b"
    assert {home, f"{home}/edit/next/book/zh-Hant/index.md"} <= links
    assert any(link.startswith(f"{home}/issues/new") for link in links)
    colab, binder = launch_buttons("zh-Hant", "index")["buttons"]
    assert {colab["url"], binder["url"]} <= links
    assert colab["url"].endswith("/a/b/blob/notebooks/zh-Hant/index.ipynb")
    assert binder["url"].endswith(
        "/a/b/next?urlpath=lab/tree/notebooks/zh-Hant/index.ipynb"
    )
    assert colab["tooltip"] != "Colab"
