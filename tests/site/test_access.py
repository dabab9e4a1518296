"""Reachable for everybody: by axe's rules, and from the keyboard alone."""

import pytest

from paths import ROOT
from preact.strings import LANGUAGES

AXE = ROOT / "node_modules/axe-core/axe.min.js"
PAGES = sorted(p.stem for p in (ROOT / "book/en").glob("*.md"))
# Every page in one edition, light and wide, dark and narrow; the others
# share its templates, and differ by their words.
LOOKS = [
    *(("en", name, "light", 1280) for name in PAGES),
    *(("zh-Hant", name, "dark", 390) for name in PAGES),
    *(
        ("zh-Hans", name, theme, width)
        for name in ("index", "04-units")
        for theme, width in (("light", 390), ("dark", 1280))
    ),
]


@pytest.mark.parametrize(
    ("language", "name", "theme", "width"), LOOKS, ids=str
)
def test_axe_finds_nothing_serious(open_page, language, name, theme, width):
    page = open_page(
        f"/{language}/{name}.html",
        color_scheme=theme,
        viewport={"width": width, "height": 900},
    )
    page.add_script_tag(path=AXE)
    findings = page.evaluate(
        """async () => (await axe.run({resultTypes: ["violations"]}))
        .violations.filter((v) => /serious|critical/.test(v.impact))
        .map((v) => [v.id, v.nodes.length, v.nodes.slice(0, 3).map(
          (n) => n.html.slice(0, 160) + " " + n.failureSummary.slice(0, 200))])
        """
    )
    assert findings == []


def test_the_first_stop_leads_past_the_navigation(open_page):
    page = open_page("/en/03-gradient.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == (
        "#main-content"
    )
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(
        "!!document.activeElement.closest('main, .bd-main, #main-content')"
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_stop_of_the_keyboard_shows_that_it_is_one(open_page, theme):
    page = open_page("/en/03-gradient.html", color_scheme=theme)
    unseen = []
    for _ in range(70):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const own = document.activeElement;
              const marks = [own, own.nextElementSibling, own.parentElement]
                .filter(Boolean).map((node) => getComputedStyle(node));
              return marks.some((style) => style.outlineStyle != "none"
                && parseFloat(style.outlineWidth) >= 2)
                || own == document.body ? "" : own.outerHTML.slice(0, 120);
            }"""
        )
        if seen:
            unseen.append(seen)
    assert unseen == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_slider_says_its_value_in_words(open_page, language):
    silent = []
    for name in ("02-signal", "03-gradient", "07-depth", "08-training"):
        page = open_page(f"/{language}/{name}.html")
        silent += page.evaluate(
            """[...document.querySelectorAll(".bd-article [type=range]")]
            .filter((slider) => !slider.getAttribute("aria-valuetext"))
            .map((slider) => slider.outerHTML.slice(0, 150))"""
        )
    assert silent == []


def test_nothing_moves_for_who_wants_no_motion(open_page):
    page = open_page("/en/03-gradient.html", reduced_motion="reduce")
    moving = page.evaluate(
        """[...document.querySelectorAll("body *")].filter((node) => {
          const style = getComputedStyle(node);
          return style.transitionDuration != "0s" &&
            style.transitionProperty != "none";
        }).length"""
    )
    assert moving == 0
