"""Every term of the glossary leads to the chapter that defines it."""

import pytest

from book.tools import language
from preact.strings import LANGUAGES

TERMS = [t for t in language.glossary()["term"] if "chapter" in t]
RESULTS = """async (query) => {
  document.getElementById("search-results").replaceChildren();
  Search.performSearch(query);
  for (let i = 0; i < 100; i++) {
    await new Promise((done) => setTimeout(done, 20));
    if (Search._pulse_status < 0 &&
        document.querySelector("#search-results p.search-summary")) break;
  }
  await new Promise((done) => setTimeout(done, 30));
  return [...document.querySelectorAll("#search-results li > a")]
    .map((a) => a.getAttribute("href"));
}"""


@pytest.mark.parametrize("edition", LANGUAGES)
def test_every_glossary_term_finds_its_chapter_in_the_first_five(
    open_page, edition
):
    page = open_page(f"/{edition}/search.html?q=ReLU")
    lost = []
    for term in TERMS:
        query = term[language.glossary_key(edition)].split(" (")[0]
        found = page.evaluate(RESULTS, query)
        pages = [href.split("#")[0].split("?")[0] for href in found]
        pages = list(dict.fromkeys(pages))[:5]  # several sections of one
        if f"{term['chapter']}.html" not in pages:
            lost.append((query, term["chapter"], pages))
    assert lost == []
