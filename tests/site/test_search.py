"""Every term of the glossary leads to the chapter that defines it."""

import pytest

import language

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


@pytest.mark.parametrize("edition", ["en", "zh-Hans", "zh-Hant"])
def test_every_glossary_term_finds_its_chapter_in_the_first_five(
    open_page, edition
):
    page = open_page(f"/{edition}/search.html?q=ReLU")
    lost = []
    for term in TERMS:
        key = "en" if edition == "en" else language.KEY[edition]
        query = term[key].split(" (")[0]
        found = page.evaluate(RESULTS, query)[:5]
        pages = [href.split("#")[0].split("?")[0] for href in found]
        if f"{term['chapter']}.html" not in pages:
            lost.append((query, term["chapter"], pages))
    assert lost == []
