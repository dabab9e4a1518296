"""Charts of the built pages: read in gray, taken as numbers, set in type."""

import csv
import io
import xml.etree.ElementTree as ET

import pytest

from drawings import alike
from paths import ROOT
from preact.strings import LANGUAGES

SITE = ROOT / "_build/html"
NAMES = sorted(p.stem for p in (ROOT / "book/en").glob("*.md"))
PLACES = [(language, name) for language in LANGUAGES for name in NAMES]
LEGEND = {
    "en": "Data (CSV)",
    "zh-Hans": "数据（CSV）",
    "zh-Hant": "資料（CSV）",
}
FIGURES = """() => [...document.querySelectorAll('.preact-figure')].map(
  (box) => ({
    charts: [...box.querySelectorAll('svg')].some((svg) =>
      svg.matches('.wide, .narrow') || svg.closest('.preact-training')),
    link: box.querySelector('.preact-data')?.textContent,
    href: box.querySelector('a.preact-data')?.getAttribute('href'),
    svgs: [...box.querySelectorAll('svg:not(.unit)')].map((s) => {
      const whole = s.cloneNode(true);
      for (const use of whole.querySelectorAll('use')) {
        const line = document.querySelector(
          '.bd-article > svg > defs > ' + use.getAttribute('href'));
        if (line) use.replaceWith(line.cloneNode());  // lent by the page
      }
      return whole.outerHTML;
    }),
  }))"""


def rows(text):
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))


@pytest.mark.parametrize("place", PLACES, indirect=True, ids="/".join)
def test_every_chart_of_a_page_offers_its_numbers(read_page, place):
    language, name = place
    page = read_page(f"/{language}/{name}.html")
    for figure in page.evaluate(FIGURES):
        if not figure["charts"]:
            continue
        assert figure["link"] == LEGEND[language]
        if figure["href"]:
            path = SITE / language / figure["href"]
            head, *lines = rows(path.read_text("utf-8"))
            assert lines
            assert all(len(line) == len(head) for line in lines)
            assert "@" not in "".join(head)


# Words of drawings that leave them by more than two pixels, and are cut.
CUT = """() => [...document.querySelectorAll('.preact-figure svg')]
  .filter((svg) => svg.checkVisibility())
  .flatMap((svg) => {
    const box = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter((text) => {
      const own = text.getBoundingClientRect();
      return own.width && (own.left < box.left - 2 || own.top < box.top - 2
        || own.right > box.right + 2 || own.bottom > box.bottom + 2);
    }).map((text) => text.textContent);
  })"""


@pytest.mark.parametrize("place", PLACES, indirect=True, ids="/".join)
def test_no_word_of_a_figure_is_cut_at_its_edge(read_page, place):
    page = read_page("/{}/{}.html".format(*place))
    for width in (360, 390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_two_curves_of_a_page_differ_by_color_alone(read_page, name):
    for figure in read_page(f"/en/{name}.html").evaluate(FIGURES):
        for svg in figure["svgs"]:
            root = ET.fromstring(svg.replace("&nbsp;", " "))
            assert alike(root) == [], root.get("aria-label")


def test_an_explorer_hands_over_what_it_shows(open_page):
    page = open_page("/en/03-gradient.html")
    box = page.locator(".preact-stack")
    box.locator("[name=units]").fill("7")
    page.settle()
    link = box.locator(".preact-data")
    with page.expect_download() as waiting:
        link.focus()
        page.keyboard.press("Enter")
    text = waiting.value.path().read_text("utf-8")
    head, *lines = rows(text)
    assert head == ["panel", "series", "number", "unit l", "y"]
    series = {(panel, name) for panel, name, *_ in lines}
    assert len(series) == 4  # two panels, the unit chosen and its ghost
    assert len(lines) == 4 * 8
    path = box.locator("svg .curve path").first.get_attribute("d")
    assert len(path.split("L")) == 8
    ratio = next(
        float(line[4]) for line in lines if "∂E" in line[0] and line[3] == "0"
    )
    facts = box.locator(".facts").text_content()
    assert f"{ratio:.3g}" in facts or f"{ratio:.1f}" in facts


def test_an_index_in_an_explorer_stands_below_its_letter(read_page):
    page = read_page("/en/02-signal.html")
    title = page.locator(".preact-growth svg text").first
    assert title.text_content() == "signal: rms of xl"
    assert title.locator("tspan").count() == 2
