"""What holds on every page: one visit each, and every finding has a name."""

import csv
import io
import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import brotli
import pytest

from built import API, EVERY_PAGE, SITE, each, resize
from paths import ROOT

RULES = Path(__file__).with_name("rules.js").read_text("utf-8")
AXE = ROOT / "node_modules/axe-core/axe.min.js"
PHONE, DESK, SHEET = 360, 1280, 660
OTHER_WIDTHS = (320, 390, 414, 768, 1024, 1920)
CJK = re.compile(r"[\u3400-\u9fff]")
PACKED = {".html", ".css", ".js", ".json", ".svg", ".csv"}
# Bytes that a reader downloads. Faces come once for the whole book.
HEAVIEST, FACES = 150e3, 95e3
# Of the reference the text is English everywhere: of the Chinese editions two
# pages are looked at.
REFERENCE = [f"en/api/{name}" for name in API]
REFERENCE += ["zh-Hans/api/conformance", "zh-Hant/api/plan"]
# Axe looks at the original, and at one page of each translation; nightly at
# all.
AXE_DAILY = ("zh-Hans/05-shortcuts", "zh-Hant/07-depth")
AXE_NIGHTLY = [
    path
    for path in EVERY_PAGE
    if not path.startswith("en/") and path not in AXE_DAILY
]
WITHOUT_FORMULAS = ("bibliography", "playground", "runs", "teachers")
WITHOUT_FIGURES = ("bibliography", "claims", "glossary", "teachers")
LEGEND = {
    "en": "Data (CSV)",
    "zh-Hans": "数据（CSV）",
    "zh-Hant": "資料（CSV）",
}
FILES = """() => [location.href, ...performance.getEntriesByType("resource")
  .map((one) => one.name)]"""
# Of a drawing axe asks for its name alone; most nodes of a page are in them.
FINDINGS = """async ([theme, only]) => {
  for (const svg of document.querySelectorAll("svg[role=img]"))
    svg.replaceChildren();
  document.documentElement.dataset.theme = theme;
  const rules = only ? { runOnly: only } : {};
  const { violations } = await axe.run(
    { resultTypes: ["violations"], ...rules });
  return Object.fromEntries(violations
    .filter((v) => /serious|critical/.test(v.impact))
    .map((v) => [v.id, v.nodes.slice(0, 3).map(
      (n) => n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200))]));
}"""
COLORS = {
    "type": "rule",
    "values": ["color-contrast", "link-in-text-block"],
}
THEME = "(theme) => { document.documentElement.dataset.theme = theme }"
FIGURES = """() => [...document.querySelectorAll('.preact-figure')].map(
  (box) => ({
    link: box.querySelector('.preact-data')?.textContent,
    href: box.querySelector('a.preact-data')?.getAttribute('href'),
    labels: [...box.querySelectorAll('svg')].map((svg) => svg.ariaLabel),
  }))"""


def broken(page, *kinds):
    """Rules of `rules.js` that a page breaks, and by what."""
    asked = ", ".join(map(repr, kinds))
    return page.evaluate(f"() => {{ {RULES} return broken({asked}); }}")


def told(path, found):
    """What is broken, one line a finding: page, look, rule, place."""
    return "\n".join(
        f"{path}, {look}: {rule}: {place}"
        for look, rules in found.items()
        for rule, places in rules.items()
        for place in places
    )


@cache
def transferred(path):
    """Bytes of a file as a server sends it: brotli, if it is text."""
    data = (SITE / path).read_bytes()
    if Path(path).suffix in PACKED:
        data = brotli.compress(data, quality=5)
    return len(data)


def assert_light(page, heaviest):
    """The files that a page asks for, as a server sends them, are small."""
    parts = {urlsplit(url) for url in page.evaluate(FILES)}
    paths = {unquote(url.path)[1:] for url in parts if url.netloc}
    sent = {path: transferred(path) for path in sorted(paths)}
    assert any(path.endswith(".css") for path in sent), sent
    faces = sum(n for path, n in sent.items() if path.endswith(".woff2"))
    assert faces <= FACES, sent
    assert sum(sent.values()) - faces <= heaviest, sent


@each(EVERY_PAGE)
def test_a_page_holds_in_every_look(read_page, path):
    """Whole and light; on a screen, in the dark, on a phone and on paper."""
    page = read_page(path)
    assert_whole(page)
    language, _, name = path.partition("/")
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("math").count() > 5 or name in WITHOUT_FORMULAS
    resize(page, DESK)
    found = {"screen": broken(page, "anyWidth", "wide", "theme")}
    if name not in WITHOUT_FIGURES:
        assert_figures(page, language)
    page.evaluate(THEME, "dark")
    found["dark"] = broken(page, "theme")
    resize(page, SHEET)
    page.emulate_media(media="print")
    found["paper, from the dark"] = broken(page, "paper")
    page.emulate_media(media="screen")
    page.evaluate(THEME, "light")
    resize(page, PHONE)
    found["phone"] = broken(page, "anyWidth", "phone")
    assert not told(path, found), told(path, found)


def assert_whole(page):
    """All that a page asks for comes, from one host, and is light."""
    assert page.problems == []
    hosts = {urlsplit(url).hostname for url in page.requested}
    assert hosts <= {"127.0.0.1", None}
    assert [r.url for r in page.loaded if r.status >= 400] == []
    assert_light(page, HEAVIEST)


def assert_figures(page, language):
    """A figure says what it shows, and offers its numbers."""
    figures = page.evaluate(FIGURES)
    labels = [label for figure in figures for label in figure["labels"]]
    assert labels
    for label in labels:  # a Chinese character says what two letters say
        assert len(label) > (20 if language == "en" else 10)
        assert bool(CJK.search(label)) == (language != "en")
    for figure in figures:
        assert figure["link"] in (None, LEGEND[language])
        if figure["href"]:
            text = (SITE / language / figure["href"]).read_text("utf-8-sig")
            head, *lines = csv.reader(io.StringIO(text))
            assert lines
            assert all(len(line) == len(head) for line in lines)
            assert "@" not in "".join(head)


@each([p for p in EVERY_PAGE if p not in AXE_NIGHTLY], nightly=AXE_NIGHTLY)
def test_axe_finds_nothing_serious_in_either_theme(read_page, path):
    """A theme changes colors alone: of the dark one these are asked."""
    page = read_page(path)
    resize(page, PHONE if path.startswith("zh-Hant") else DESK)
    page.add_script_tag(path=AXE)
    found = {
        "light": page.evaluate(FINDINGS, ["light", None]),
        "dark": page.evaluate(FINDINGS, ["dark", COLORS]),
    }
    page.evaluate(THEME, "light")
    assert not told(path, found), told(path, found)


@each(REFERENCE)
def test_a_page_of_the_reference_is_light_and_fits_a_phone(read_page, path):
    page = read_page(path)
    resize(page, PHONE)
    assert_whole(page)
    found = {"phone": broken(page, "anyWidth")}
    assert not told(path, found), told(path, found)


@pytest.mark.nightly
@each(EVERY_PAGE)
def test_every_other_width_shows_all_that_a_page_has(read_page, path):
    page = read_page(path)
    found = {}
    for width in OTHER_WIDTHS:
        resize(page, width)
        kinds = ["anyWidth", "phone"] if width < 500 else ["anyWidth"]
        found[width] = broken(page, *kinds)
    assert not told(path, found), told(path, found)


# One fault for each of these rules, put into a page.
SPOIL = """() => {
  const add = (text) => document.querySelector(".bd-article section")
    .insertAdjacentHTML("beforeend", text);
  add(`<p style="min-width: 3000px">\\\\alpha</p>`);
  add(`<div class="math" tabindex="0"><math><mi>x</mi></math>
    <span class="eqno">(1.1)</span><span class="eqno">(1.1)</span></div>`);
  add(`<div class="preact-figure"><svg class="wide" width="9" height="9">
    <text fill="white">too long for it</text></svg></div>`);
  add("<pre style='background: black'>x</pre>");
  document.querySelector("[data-bs-toggle=tooltip]").title = "";
}"""


def test_the_rules_name_what_breaks_them(open_page):
    page = open_page("/en/02-signal.html")
    assert broken(page, "anyWidth", "wide", "theme") == {}
    page.evaluate(SPOIL)
    found = broken(page, "anyWidth", "wide", "theme")
    assert set(found) == {
        "the page scrolls sideways",
        "out of the window, and no box scrolls to it",
        "a word of a drawing is cut",
        "a line of text is too long to read",
        "TeX is to be seen",
        "a formula is a stop of the keyboard",
        "an equation has its number twice",
        "a chart offers no numbers",
        "a button of the header has no name",
    }
    page.emulate_media(media="print")
    assert "the ground is dark, or the ink is light" in broken(page, "paper")
    with pytest.raises(AssertionError, match="book-math"):
        assert_light(page, 50e3)
