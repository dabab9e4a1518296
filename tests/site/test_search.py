"""The search: the right section, on both its places."""

import pytest
from book.tools import language
from preact.strings import LANGUAGES

TERMS = [t for t in language.glossary()["term"] if "chapter" in t]
ASK = """async (query) => {
  const input = document.querySelector(".bd-search-container input");
  const found = document.querySelector("#search-results");
  input.value = query;
  input.form.requestSubmit();
  while (found.dataset.query !== query) {
    await new Promise((done) => setTimeout(done, 5));
  }
  return [...found.querySelectorAll("ol a")]
    .map((a) => a.getAttribute("href"));
}"""


def page_of(href):
    """Return the page that a result opens, without `.html`."""
    return href.split("?")[0].removeprefix("./").removesuffix(".html")


@pytest.mark.parametrize("edition", LANGUAGES)
def test_every_glossary_term_finds_its_chapter_in_the_first_five(
    open_page, edition
):
    page = open_page(f"/{edition}/search.html?q=ReLU")
    lost = []
    for term in TERMS:
        query = term[language.glossary_key(edition)].split(" (")[0]
        found = [page_of(href) for href in page.evaluate(ASK, query)]
        pages = list(dict.fromkeys(found))[:5]  # several sections of one
        if term["chapter"] not in pages:
            lost.append((query, term["chapter"], pages))
    assert lost == []
