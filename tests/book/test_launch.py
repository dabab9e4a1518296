"""Buttons of a page: all of them with a repository, none without."""

import pytest
import small_book
from bs4 import BeautifulSoup

from book.site.pages import (
    dress_page,
    launch_buttons,
    source_options,
    state_of_book,
)
from preact import __version__
from preact.strings import LANGUAGES

SOURCE = "---\nkernelspec:\n  name: python3\n---\n\n# A chapter\n\nText.\n"


@pytest.fixture(autouse=True)
def nobody_says_where_the_book_is(monkeypatch):
    for name in ("GITHUB_REPOSITORY", "GITHUB_REF_NAME", "GITHUB_BASE_REF"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("SITE_URL", raising=False)


def page_of(folder, language):
    """A small page of an edition, in the book's theme."""
    options = source_options(language)
    options["extra_footer"] = state_of_book(language)
    pages, _ = small_book.build(
        folder,
        language,
        {"index.md": SOURCE},
        ["myst_nb"],
        dress_page,
        html_theme="sphinx_book_theme",
        html_theme_options=options,
    )
    return BeautifulSoup(pages["index"], "html.parser")


def addresses(page):
    return {a["href"] for a in page.select(".bd-header-article a[href]")}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_a_page_without_a_repository_speaks_of_none(tmp_path, language):
    page = page_of(tmp_path, language)
    links = " ".join(a["href"] for a in page.select("a[href]"))
    for word in ("github", "colab", "binder"):
        assert word not in links
    assert "Colab" not in page.text


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_a_page_with_one_can_be_run_mended_and_reported(
    tmp_path, monkeypatch, language
):
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    links = addresses(page_of(tmp_path, language))
    home = "https://github.com/a/b"
    assert home in links
    assert f"{home}/edit/main/book/{language}/index.md" in links
    assert any(link.startswith(f"{home}/issues/new") for link in links)
    launched = {link for link in links if "github.com" not in link}
    launched |= {link for link in links if "colab" in link}
    for button in launch_buttons(language, "index")["buttons"]:
        assert button["url"] in launched


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_launch_button_opens_the_editions_notebook(monkeypatch, language):
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    colab, binder = launch_buttons(language, "01-why")["buttons"]
    assert colab["url"].endswith(
        f"/github/a/b/blob/notebooks/{language}/01-why.ipynb"
    )
    assert binder["url"].endswith(
        f"/gh/a/b/main?urlpath=lab/tree/notebooks/{language}/01-why.ipynb"
    )
    assert colab["tooltip"] != "Colab"


def test_a_pull_request_is_edited_where_it_will_land(monkeypatch):
    monkeypatch.setenv("GITHUB_REPOSITORY", "a/b")
    monkeypatch.setenv("GITHUB_REF_NAME", "12/merge")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert source_options("en")["repository_branch"] == "main"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_footer_has_the_version_and_a_day(language):
    said = state_of_book(language)
    assert __version__ in said
    assert "<time>20" in said
    assert state_of_book(language) == said
