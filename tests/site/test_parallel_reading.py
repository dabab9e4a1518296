"""Two languages on a page: what says the same stands side by side."""

import re
import shutil

import pytest

from book.site.parallel import pair_page, read_page
from built import LANGUAGES, NIGHTLY, PAGES, SITE, html, load, settle
from paths import ROOT

AXE = ROOT / "node_modules/axe-core/axe.min.js"
WIDE = {"viewport": {"width": 1400, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 800}}
CHOICE = ".parallel-choice button"
LOOKS = [
    ("zh-Hans/03-gradient", "en", WIDE, "light"),
    ("zh-Hant/05-shortcuts", "en", PHONE, "dark"),
    pytest.param("en/01-why", "zh-Hans", WIDE, "dark", marks=NIGHTLY),
    pytest.param("en/13-summary", "zh-Hant", PHONE, "light", marks=NIGHTLY),
]


def copied(name, tmp_path):
    for language in LANGUAGES:
        (tmp_path / language).mkdir(exist_ok=True)
        page = f"{language}/{name}.html"
        shutil.copy(SITE / page, tmp_path / page)


# ------------------------------------------------------------ when it is built
@pytest.mark.parametrize("name", PAGES)
def test_nearly_every_block_has_a_twin_of_its_own(tmp_path, name):
    """Of the pairs with formulas, most have the same, in any order.

    The numbers of the pairs are all that is new on a page.
    """
    copied(name, tmp_path)
    text = html(f"en/{name}")
    assert re.sub(r' data-twin="\d+"', "", text) == read_page(text).text
    own, loose = pair_page(tmp_path, name)
    assert own >= 6
    assert own / (own + loose) > 0.95
    pages = [read_marked(language, name) for language in LANGUAGES]
    assert all(page.keys() == pages[0].keys() for page in pages)
    both = [
        [set(re.findall(r"<math.*?</math>", page[n], re.S)) for page in pages]
        for n in pages[0]
        if all("<math" in page[n] for page in pages)
    ]
    same = sum(bool(a & b & c) for a, b, c in both)
    assert same >= 0.9 * len(both)


def read_marked(language, name):
    parts = re.split(r' data-twin="(\d+)"', html(f"{language}/{name}"))[1:]
    return dict(zip(parts[::2], (t[:4000] for t in parts[1::2]), strict=True))


# ------------------------------------------------------------- when it is read
@pytest.mark.parametrize(("path", "other", "look", "theme"), LOOKS)
def test_each_block_stands_beside_its_twin_or_above_it(
    open_page, path, other, look, theme
):
    page = open_page(f"/{path}.html", color_scheme=theme, **look)
    assert page.locator(".twin").count() == 0
    page.locator(f"{CHOICE}[lang={other}]").click()
    page.locator(".twin").first.wait_for()
    blocks = page.locator("[data-twin]").count()
    assert page.locator(f"[data-twin] > .twin[lang={other}]").count() == blocks
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    beside = page.evaluate(
        """() => [...document.querySelectorAll(".bd-article p > .twin-own")]
        .filter((own) => own.getClientRects().length)
        .map((own) => [own, own.nextSibling].map(
          (node) => node.getBoundingClientRect()))
        .map(([own, twin]) => twin.left >= own.right
          ? "beside" : twin.top >= own.bottom - 1 ? "below" : "upon")"""
    )
    assert set(beside) == {"beside" if look is WIDE else "below"}
    assert page.problems == []
    page.add_script_tag(path=AXE)
    findings = page.evaluate(
        """async () => (await axe.run({resultTypes: ["violations"]}))
        .violations.filter((v) => /serious|critical/.test(v.impact))
        .map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html)])"""
    )
    assert findings == []


def test_the_choice_is_undone_without_a_trace(open_page):
    """Meanwhile explorers are there once, and paper shows the same."""
    page = open_page("/zh-Hans/03-gradient.html")
    content = (  # but for what the theme says of tables that scroll
        "document.querySelector('.bd-article > section').innerHTML"
        ".replaceAll(' tabindex=\"-1\"', '')"
    )
    count = "document.querySelectorAll('.preact-explorer, input').length"
    before = page.evaluate(content), page.evaluate(count)
    page.locator(CHOICE).click()
    page.locator(".twin").first.wait_for()
    assert "with=en" in page.url
    assert page.evaluate(count) == before[1]
    assert page.locator(".twin [id]").count() == 0
    page.emulate_media(media="print")
    assert page.locator("section > p > .twin").first.is_visible()
    assert not page.locator(".parallel-choice").is_visible()
    page.emulate_media(media="screen")
    page.locator(CHOICE).click()
    page.wait_for_function("!document.querySelector('.twin')")
    assert (page.evaluate(content), page.evaluate(count)) == before
    assert "with=" not in page.url


def test_the_choice_holds_on_the_next_page_and_in_the_other_language(
    open_page,
):
    page = open_page("/zh-Hant/03-gradient.html")
    page.locator(CHOICE).click()
    page.locator(".twin").first.wait_for()
    load(page, page.url.split("?")[0].replace("03-gradient", "04-units"))
    page.locator(".twin[lang=en]").first.wait_for()
    page.locator(".language-switch a[hreflang=en]").click()
    page.wait_for_url("**/en/04-units.html*")
    page.locator(".twin[lang=zh-Hant]").first.wait_for()
    pressed = page.locator(f"{CHOICE}[aria-pressed=true]")
    assert pressed.get_attribute("lang") == "zh-Hant"


def test_a_shared_address_shows_both_at_its_section_with_marks(open_page):
    page = open_page(
        "/zh-Hans/05-shortcuts.html?mark=门&with=en#shortcuts-gates"
    )
    page.locator(".twin").first.wait_for()
    settle(page)
    top = page.evaluate(
        "document.getElementById('shortcuts-gates')"
        ".getBoundingClientRect().top"
    )
    assert -5 <= top < 300
    marks = "CSS.highlights.get('search').size"
    assert page.evaluate(marks) > 0
    page.keyboard.press("Escape")
    assert page.evaluate(marks) == 0


def test_an_edition_that_is_not_there_is_said_to_be_missing(open_page):
    page = open_page("/zh-Hans/03-gradient.html")
    page.route("**/_parallel/**", lambda route: route.abort())
    page.locator(CHOICE).click()
    status = page.locator(".parallel-choice [role=status]")
    page.wait_for_function(
        "document.querySelector('.parallel-choice [role=status]').textContent"
    )
    assert status.inner_text().endswith("。")
    assert page.locator(".twin").count() == 0


def test_a_page_without_twins_offers_none(open_page):
    for name in ("search", "api/index"):
        page = open_page(f"/en/{name}.html")
        assert page.locator(".parallel-choice").count() == 0
