"""What a reader meets: each claim in a real browser."""

import html
import re
from urllib.parse import urlsplit

import brotli
import pytest

from book.tools.places import site_url, wheel_name
from paths import ROOT
from preact.strings import LANGUAGES

PAGES = sorted(p.stem for p in (ROOT / "book/en").glob("*.md"))
SITE = ROOT / "_build/html"
PLACES = [(language, name) for language in LANGUAGES for name in PAGES]
EVERY_PAGE = pytest.mark.parametrize(
    "place", PLACES, indirect=True, ids="-".join
)
CJK = re.compile(r"[\u3400-\u9fff]")


def address(place):
    return "/{}/{}.html".format(*place)


@EVERY_PAGE
def test_no_page_shows_what_its_prose_was_handed(place):
    text = (SITE / place[0] / f"{place[1]}.html").read_text("utf-8")
    assert re.findall(r"<code>[\w-]+</code>: [^<]*<", text) == []


@EVERY_PAGE
def test_a_page_asks_no_other_host_and_has_no_error(read_page, place):
    language, _ = place
    page = read_page(address(place))
    hosts = {urlsplit(url).hostname for url in page.requested}
    assert hosts <= {"127.0.0.1", None}
    assert page.problems == []
    assert all(r.status < 400 for r in page.loaded)
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("math").count() > 5 or place[1] == "glossary"


def downloaded(response):
    """Bytes of what a server that compresses sends for a file."""
    body = response.body()
    is_text = response.url.partition("?")[0].endswith((".html", ".css", ".js"))
    return len(brotli.compress(body)) if is_text else len(body)


@EVERY_PAGE
def test_a_page_is_150_kb_to_download_besides_the_faces_all_pages_share(
    read_page, place
):
    page = read_page(address(place))
    size = sum(
        downloaded(response)
        for response in page.loaded
        if not response.url.endswith((".woff2", "search-index.js"))
    )
    assert 20e3 < size <= 150e3


@EVERY_PAGE
@pytest.mark.parametrize("width", [360, 1300])
def test_a_page_never_scrolls_sideways(read_page, place, width):
    page = read_page(address(place), viewport={"width": width, "height": 800})
    wide = page.evaluate(
        "document.documentElement.scrollWidth > window.innerWidth"
    )
    assert not wide


@pytest.mark.parametrize(
    "place",
    [p for p in PLACES if p[1] not in ("claims", "glossary")],
    indirect=True,
    ids="-".join,
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_have_words_and_ink_that_shows(read_page, place, theme):
    language, _ = place
    page = read_page(address(place), color_scheme=theme)
    figures = page.locator(".preact-figure svg")
    assert figures.count() >= 1
    for i in range(figures.count()):
        label = figures.nth(i).get_attribute("aria-label")
        # A Chinese character says about what two letters say.
        assert len(label) > (20 if language == "en" else 10)
        assert bool(CJK.search(label)) == (language != "en")
    ink, paper = page.evaluate(
        """() => {
          const text = document.querySelector(".preact-figure svg text");
          const fill = getComputedStyle(text).fill;
          const page = getComputedStyle(document.body).backgroundColor;
          const light = (c) => c.match(/[0-9.]+/g).slice(0, 3)
            .reduce((a, b) => a + Number(b), 0) / 765;
          return [light(fill), light(page)];
        }"""
    )
    assert abs(ink - paper) > 0.5
    assert (paper < 0.5) == (theme == "dark")


@EVERY_PAGE
def test_the_switch_leads_to_the_same_page(read_page, place):
    _, name = place
    page = read_page(address(place))
    for other in LANGUAGES:
        link = page.locator(f".language-switch a[hreflang='{other}']")
        assert link.get_attribute("href") == f"../{other}/{name}.html"
        alternate = page.locator(f"link[rel=alternate][hreflang='{other}']")
        assert alternate.count() == 1


@EVERY_PAGE
def test_previous_and_next_stay_in_the_language(read_page, place):
    language, _ = place
    page = read_page(address(place))
    for link in page.locator(".prev-next-footer a").all():
        target = page.evaluate("(a) => a.href", link.element_handle())
        assert urlsplit(target).path.startswith(f"/{language}/")


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("en-US", "en"),
        ("fr-FR", "en"),
        ("zh-CN", "zh-Hans"),
        ("zh-TW", "zh-Hant"),
        ("zh-HK", "zh-Hant"),
    ],
)
def test_the_front_page_follows_the_browser(open_page, locale, language):
    page = open_page("/", locale=locale)
    page.wait_for_url(f"**/{language}/index.html")


def test_a_chosen_language_is_remembered_and_keeps_the_place(open_page):
    page = open_page("/en/04-units.html#units-bn")
    page.click(".language-switch a[hreflang='zh-Hant']")
    page.wait_for_url("**/zh-Hant/04-units.html#units-bn")
    assert page.locator("#units-bn").count() == 1
    page.goto(page.url.split("/zh-Hant")[0] + "/")
    page.wait_for_url("**/zh-Hant/index.html")


@pytest.mark.parametrize("depth", ["", "deep/", "en/deep/er/"])
@pytest.mark.parametrize("base", ["", "book/preact/"])
def test_the_page_without_a_page_has_a_way_home(browser, base, depth):
    """At any depth, below any path, as a host serves it."""
    if site_url():  # then the path is known, and written into the page
        base = urlsplit(site_url()).path.strip("/") + "/"
    page = browser.new_context().new_page()

    def answer(route):
        path = urlsplit(route.request.url).path
        file = SITE / path.removeprefix(f"/{base}")
        if path.startswith(f"/{base}") and file.is_file():
            return route.fulfill(path=file)
        return route.fulfill(status=404, path=SITE / "404.html")

    page.route("**/*", answer)
    page.goto(f"http://a.example/{base}{depth}none.html")
    page.wait_for_load_state("networkidle")
    for language in LANGUAGES:
        link = page.locator(f"p[lang={language}] a")
        address = page.evaluate("(a) => a.href", link.element_handle())
        assert address == f"http://a.example/{base}{language}/index.html"
    page.context.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_choice_of_engine_holds_for_all_tabs(open_page, language):
    page = open_page(f"/{language}/04-units.html")
    shown = page.locator(".sd-tab-content:visible")
    assert "forward(plan.pre" in shown.first.inner_text()
    page.locator("label", has_text="PyTorch").first.click()
    assert "self.pre(x)" in shown.first.inner_text()
    page.reload()
    assert "self.pre(x)" in shown.first.inner_text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_solutions_are_folded_and_open_on_a_click(open_page, language):
    page = open_page(f"/{language}/04-units.html")
    solutions = page.locator(".admonition.solution")
    assert solutions.count() == 6
    code = solutions.first.locator(".cell")
    assert not code.is_visible()
    solutions.first.locator("button.toggle-button").click()
    assert code.is_visible()


@pytest.mark.parametrize(
    ("language", "query"),
    [
        ("en", "batch normalization"),
        ("zh-Hans", "批量归一化"),
        ("zh-Hant", "批次正規化"),
    ],
)
def test_search_finds_the_chapter(open_page, language, query):
    page = open_page(f"/{language}/search.html?q={query}")
    results = page.locator("#search-results li a")
    results.first.wait_for()
    hrefs = [a.get_attribute("href") for a in results.all()[:5]]
    assert any(href.startswith("04-units.html") for href in hrefs)


# ------------------------------------------------------- the files themselves
@pytest.mark.parametrize("place", PLACES, ids="-".join)
def test_a_page_offers_its_own_notebook_and_says_its_version(place):
    language, name = place
    text = (SITE / language / f"{name}.html").read_text("utf-8")
    offered = f'href="_notebooks/{name}.ipynb"' in text
    assert offered == (SITE / language / f"_notebooks/{name}.ipynb").exists()
    assert offered == (ROOT / f"notebooks/{language}/{name}.ipynb").exists()
    footer = text.partition('class="extra_footer"')[2]
    assert re.search(r"\d+\.\d+\.\d+.*<time>\d{4}-\d\d-\d\d</time>", footer)


def test_the_wheel_stands_on_the_site():
    assert [p.name for p in (SITE / "_wheel").iterdir()] == [wheel_name()]


@EVERY_PAGE
def test_no_page_shows_a_warning_or_the_building_machine(place):
    language, name = place
    text = (SITE / language / f"{name}.html").read_text("utf-8")
    assert str(ROOT) not in text
    assert not re.search(r"/(?:home|root|Users|tmp)/\w", text)
    for word in ("Traceback", "Warning:", "stderr", "OWNER"):
        assert word not in text


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize("name", PAGES)
def test_a_chinese_page_has_chinese_controls(language, name):
    """Titles, aria-labels, placeholders and admonitions; symbols may stay."""
    text = (SITE / language / f"{name}.html").read_text("utf-8")
    found = re.findall(r'(?:title|aria-label|placeholder)="([^"]+)"', text)
    found += re.findall(r'class="admonition-title">([^<]+)<', text)
    english = {
        html.unescape(t)
        for t in found
        if re.search("[A-Za-z]", t)
        and not CJK.search(t)
        and "arXiv" not in t  # the title of a citation is its reference
    }
    assert english == set()


def test_no_simplified_control_on_a_traditional_page():
    simplified = set("页动链显隐标题览顶导览复制级录宽设")
    traditional = set("頁動鏈顯隱標題覽頂導複製級錄寬設")
    text = (SITE / "zh-Hant/04-units.html").read_text("utf-8")
    found = re.findall(r'(?:title|aria-label|placeholder)="([^"]+)"', text)
    found = [t for t in found if "简体中文" not in t and "语言" not in t]
    used = set("".join(found)) & (simplified - traditional)
    assert used == set()
