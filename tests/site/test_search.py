"""The search: the right section, in three languages, also from a file."""

import tomllib
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from book.tools import language
from built import LANGUAGES, SITE, load, settle

INDEX = "search-index.js"
MARKED = "CSS.highlights.get('search')?.size"
TERMS = [t for t in language.glossary()["term"] if "chapter" in t]
SEARCHES = tomllib.loads(
    Path(__file__).with_name("searches.toml").read_text("utf-8")
)
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
    """Return the name of the page that a result opens."""
    return href.split("?")[0].removesuffix(".html")


def search_page(open_page, edition, query, **options):
    page = open_page(f"/{edition}/search.html?q={quote(query)}", **options)
    page.locator("#search-results li").first.wait_for()
    return page


def search_dialog(page):
    """Open the dialog by its key; return its input."""
    page.keyboard.press("Control+k")
    dialog = page.locator("#pst-search-dialog[open] input")
    dialog.wait_for()
    return dialog


def first_section(page, query):
    """Return page and section of the first result, without its marks."""
    href = page.evaluate(ASK, query)[0]
    return page_of(href), href.split("#")[1]


# ------------------------------------------------------------- what is found
@pytest.mark.parametrize("edition", LANGUAGES)
def test_what_readers_ask_for_is_in_the_first_three_besides_the_glossary(
    open_page, edition
):
    page = search_page(open_page, edition, "ReLU")
    assert len(SEARCHES[edition]) == 33
    lost = []
    for query, pages in SEARCHES[edition].items():
        found = [page_of(href) for href in page.evaluate(ASK, query)]
        found = [name for name in found if name != "glossary"][:3]
        if not set(found) & set(pages):
            lost.append((query, pages, found))
    assert lost == []


@pytest.mark.parametrize("edition", LANGUAGES)
def test_every_glossary_term_finds_its_chapter_in_the_first_five(
    open_page, edition
):
    page = search_page(open_page, edition, "ReLU")
    lost = []
    for term in TERMS:
        own = term[language.glossary_key(edition)].split(" (")[0]
        others = (*term.get("synonyms", ()), *term.get("related", ()))
        for query in (own, *others):
            found = [page_of(href) for href in page.evaluate(ASK, query)]
            pages = list(dict.fromkeys(found))[:5]  # several sections of one
            if term["chapter"] not in pages:
                lost.append((query, term["chapter"], pages))
    assert lost == []


def test_a_term_of_the_glossary_finds_its_entry_first(open_page):
    page = search_page(open_page, "en", "ReLU")
    for query, entry in (
        ("final BN", "term-final-bn"),
        ("what is the final BN", "term-final-bn"),
        ("Open share", "term-open-share"),
    ):
        assert first_section(page, query) == ("glossary", entry)
    page = search_page(open_page, "zh-Hans", "ReLU")
    assert first_section(page, "末尾 BN") == ("glossary", "term-final-bn")


def test_either_script_of_chinese_finds_the_same_sections(open_page):
    for edition in LANGUAGES[1:]:
        page = search_page(open_page, edition, "ReLU")
        for simplified, traditional in (
            ("残差单元", "殘差單元"),
            ("门控", "門控"),
            ("恒等映射", "恆等映射"),
        ):
            found = page.evaluate(ASK, simplified)
            assert found
            assert found == page.evaluate(ASK, traditional)


def test_spelling_and_number_of_a_word_do_not_matter(open_page):
    page = search_page(open_page, "en", "ReLU")
    for one, other in (
        ("initialisation", "initialization"),
        ("gates", "gate"),
        ("pre-activation", "preactivations"),
        ("lambda", "λ"),
        ("Eq. (5)", "equation 5"),
        ("BATCH NORMALISATION", "batch normalization"),
        ("behaviour", "behavior"),
        ("optimiser", "optimizer"),
        ("colour", "color"),
        ("matrices", "matrix"),
        ("in-place", "inplace"),
        ("in place", "inplace"),
        ("mini batch", "mini-batch"),
        ("warm up", "warm-up"),
        ("weightdecay", "weight-decay"),
    ):
        assert first_section(page, one) == first_section(page, other)
    for signs in ("<img src=x onerror=alert(1)>", "((", "\\", '"', "*"):
        page.evaluate(ASK, signs)
        assert page.locator("#search-results img").count() == 0
    assert page.problems == []


def test_what_is_nowhere_can_be_looked_for_in_another_language(open_page):
    page = open_page("/en/03-gradient.html")
    search_dialog(page).fill("手写")
    others = page.locator(".search-elsewhere")
    assert others.inner_text().startswith("Look in another language:")
    others.locator("a[lang=zh-Hant]").click()
    page.wait_for_url("**/zh-Hant/search.html?q=*")
    page.locator("#search-results li").first.wait_for()
    assert page.locator(".search-elsewhere a").count() == 0


# --------------------------------------------------------- what a result does
@pytest.mark.parametrize(
    ("edition", "query"),
    [
        ("en", "initialisation"),
        ("zh-Hant", "批量归一化"),
    ],
)
def test_a_result_opens_its_section_with_the_words_marked(
    open_page, edition, query
):
    page = search_page(open_page, edition, query)
    result = page.locator("#search-results ol a").first
    place = result.get_attribute("href").split("#")[1]
    assert result.locator("mark").count() > 0
    result.click()
    page.wait_for_url(f"**#{place}")
    page.wait_for_function(MARKED)
    settle(page)
    top = page.evaluate(
        "(id) => document.getElementById(id).getBoundingClientRect().top",
        place,
    )
    assert -5 <= top < 720
    page.keyboard.press("Escape")
    assert page.evaluate(MARKED) == 0
    assert page.problems == []


# ---------------------------------------------------------------- both places


def test_the_dialog_is_used_with_the_keyboard_alone(open_page):
    """The index is asked for when it is used first, and once."""
    page = open_page("/en/03-gradient.html")
    assert not any("search" in urlsplit(url).path for url in page.requested)
    search_dialog(page)
    page.keyboard.type("doubly stochastic")
    page.locator("#search-found li").first.wait_for()
    assert "section" in page.get_by_role("status").first.inner_text()
    focused = "document.activeElement.getAttribute('href')"
    first, second = (
        page.locator("#search-found ol a").nth(i).get_attribute("href")
        for i in range(2)
    )
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == first
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == second
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.press("Escape")
    assert page.locator("#pst-search-dialog[open]").count() == 0
    search_dialog(page)
    page.keyboard.type("doubly stochastic")
    names = [Path(urlsplit(url).path).name for url in page.requested]
    assert names.count(INDEX) == 1
    page.locator("#search-found li").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/glossary.html?mark=*")


@pytest.mark.parametrize("typed", ["gradient", "projection", "projection "])
def test_an_arrow_right_after_a_key_steps_into_the_new_results(
    cold_page, site, typed
):
    """Both events come in one task, before the list is made anew."""
    page = cold_page()  # a clock that was replaced stays so in its tab
    load(page, f"{site}/en/03-gradient.html")
    search_dialog(page)
    page.keyboard.type("projection")
    page.locator("#search-found[data-query=projection] li").first.wait_for()
    page.clock.install()  # it cannot take back what was set before
    page.evaluate(
        """(typed) => {
          const input = document.activeElement;
          input.value = typed;
          input.dispatchEvent(new Event("input", { bubbles: true }));
          input.dispatchEvent(
            new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }),
          );
        }""",
        typed,
    )
    page.clock.run_for(1000)  # longer than the box waits for more keys
    first = page.locator("#search-found a").first
    assert first.evaluate("link => link === document.activeElement")


def test_enter_in_the_dialog_leads_to_all_results(open_page):
    page = open_page("/zh-Hant/03-gradient.html")
    search_dialog(page)
    page.keyboard.type("梯度")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    page.locator("#search-results li").nth(9).wait_for()
    assert page.locator(".bd-search-container input").input_value() == "梯度"


def test_the_language_switch_keeps_what_was_typed(open_page):
    page = search_page(open_page, "en", "dropout")
    page.locator(".bd-search-container input").fill("ReLU")
    page.wait_for_url("**?q=ReLU")
    page.locator(".language-switch a[hreflang=zh-Hans]").click()
    page.wait_for_url("**/zh-Hans/search.html?q=ReLU")


def test_the_search_works_on_pages_opened_as_files(open_page):
    edition = "zh-Hant"
    page = open_page((SITE / edition / "index.html").as_uri())
    search_dialog(page).fill("bn_backward")
    result = page.locator("#search-found ol a").first
    result.click()
    page.wait_for_url("**/04-units.html?mark=*")
    page.wait_for_function(MARKED)
    load(page, (SITE / edition / "search.html").as_uri() + "?q=ReLU")
    page.locator("#search-results li").first.wait_for()
    assert page.problems == []
    asked = {urlsplit(url).scheme for url in page.requested}
    assert asked <= {"file", "data"}


def test_results_stay_within_a_phone(open_page):
    width = 360
    look = {"viewport": {"width": width, "height": 800}}
    page = search_page(open_page, "zh-Hans", "bn_backward", **look)
    over = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(over) <= 0
    page = open_page("/en/03-gradient.html", **look)
    search_dialog(page).fill("test_names_of_claims gate")
    page.locator("#search-found li").first.wait_for()
    box = page.locator("#pst-search-dialog").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    inner = "(node) => node.scrollWidth - node.clientWidth"
    assert page.locator("#pst-search-dialog").evaluate(inner) <= 1
