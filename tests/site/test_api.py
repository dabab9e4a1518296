"""The package reference in the built site, and the names that lead to it."""

import re

import pytest

from paths import ROOT
from preact.strings import LANGUAGES

SITE = ROOT / "_build/html"
NAMES = sorted(p.stem for p in (SITE / "en/api").glob("*.html"))
CHAPTERS = sorted(p.stem for p in (ROOT / "book/en").glob("[0-9]*.md"))
PLACES = [(language, name) for language in LANGUAGES for name in NAMES]
EVERY_PAGE = pytest.mark.parametrize(
    "place", PLACES, indirect=True, ids="-".join
)
LINK = re.compile(r'class="api-link[^"]*" href="([^"#]*)#?([^"]*)"')


def address(place):
    return "/{}/api/{}.html".format(*place)


@EVERY_PAGE
def test_a_page_of_the_reference_never_scrolls_sideways(read_page, place):
    page = read_page(address(place), viewport={"width": 360, "height": 800})
    wide = page.evaluate(
        "document.documentElement.scrollWidth > window.innerWidth"
    )
    assert not wide
    assert page.problems == []


@EVERY_PAGE
def test_a_page_of_the_reference_is_light(read_page, place):
    """At most 950 kB, scripts included: it has no mathematics."""
    page = read_page(address(place), viewport={"width": 360, "height": 800})
    sizes = [
        len(response.body())
        for response in page.loaded
        if not response.url.endswith("searchindex.js")
    ]
    assert 0 < sum(sizes) <= 0.95e6


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_of_the_reference_is_marked_as_english(language):
    for name in NAMES:
        html = (SITE / language / "api" / f"{name}.html").read_text("utf-8")
        inside = html.split('<div lang="en">', 1)[1]
        assert 'class="py ' not in html.split('<div lang="en">', 1)[0]
        assert 'class="py ' in inside or name in ("index", "commands")


def links(language, page):
    """Pages and anchors of the reference to which a page's code leads."""
    html = (SITE / language / f"{page}.html").read_text("utf-8")
    return [
        (target, anchor)
        for target, anchor in LINK.findall(html)
        if "://" not in target
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_name_in_a_chapter_leads_to_its_entry(language, chapter):
    found = links(language, chapter)
    assert found
    assert set(found) == set(links("en", chapter))
    for target, anchor in found:
        html = (SITE / language / target).read_text("utf-8")
        assert f'id="{anchor}"' in html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_link_inside_the_reference_arrives(language, name):
    folder = SITE / language / "api"
    for target, anchor in links(language, f"api/{name}"):
        path = folder / (target or f"{name}.html")
        html = path.resolve().read_text("utf-8")
        assert not anchor or f'id="{anchor}"' in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reader_gets_from_a_name_in_a_chapter_to_its_entry(
    open_page, language
):
    page = open_page(f"/{language}/04-units.html")
    page.locator("a.api-link[href='api/spec.html#api-spec']").first.click()
    page.wait_for_url(f"**/{language}/api/spec.html#api-spec")
    page.locator("a.api-link", has_text="Op").first.click()
    page.wait_for_url(f"**/{language}/api/spec.html#preact.spec.Op")
    assert page.problems == []
