"""How a page looks, as far as a number can say it."""

import io
import re
import unicodedata

import numpy as np
import pytest
from PIL import Image

from book.site.together import FIXED
from built import EVERY_LANGUAGE, load

PAGE = "/{}/02-signal.html"
LOADED = """(name) => [...document.fonts].filter((face) =>
  face.status == "loaded" && face.family.includes(name)).length"""


@EVERY_LANGUAGE
def test_a_page_loads_the_faces_that_it_is_set_in_and_no_other(
    cold_page, site, language
):
    page = cold_page()
    load(page, site + PAGE.format(language))
    serif = 3 if language == "en" else 0
    asked = [url for url in page.requested if "source-serif-4/" in url]
    assert len(asked) == serif
    assert page.evaluate(LOADED, "Source Serif 4") == serif
    assert page.evaluate(LOADED, "Book Math") == 1


@EVERY_LANGUAGE
def test_a_line_of_running_text_uses_the_room_that_it_has(open_page, language):
    page = open_page(PAGE.format(language))
    widest = page.evaluate(
        """Math.max(...[...document.querySelectorAll(
          ".bd-article section > p")].map((p) => p.clientWidth))"""
    )
    assert 500 <= widest <= 42 * 16


def test_an_index_in_an_explorer_stands_below_its_letter(open_page):
    page = open_page("/en/02-signal.html")
    title = page.locator(".preact-growth svg text").first
    assert title.text_content() == "signal: rms of xl"
    assert title.locator("tspan").count() == 2


@pytest.mark.parametrize("width", [360, 1280])
def test_the_letters_of_the_memory_planner_do_not_shrink(open_page, width):
    page = open_page(
        "/en/08-training.html", viewport={"width": width, "height": 800}
    )
    sizes = page.evaluate(
        """[...document.querySelectorAll(".preact-planner svg text")]
        .map((text) => parseFloat(getComputedStyle(text).fontSize)
          * text.getScreenCTM().a)"""
    )
    assert min(sizes) >= 12


@EVERY_LANGUAGE
def test_on_a_phone_all_errors_of_an_order_are_in_sight(open_page, language):
    page = open_page(
        f"/{language}/07-depth.html", viewport={"width": 360, "height": 800}
    )
    table = page.locator(".preact-subnetworks table")
    rights = table.evaluate(
        "table => [...table.querySelectorAll('td')]"
        ".map(cell => cell.getBoundingClientRect().right)"
    )
    assert len(rights) >= 9
    assert max(rights) <= 360


@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_a_modules_long_name_ends_before_a_phone_does(open_page, language):
    page = open_page(
        f"/{language}/api/conformance.html",
        viewport={"width": 360, "height": 740},
    )
    ends = page.evaluate("""() =>
      [...document.querySelectorAll("article :is(h1, h2)")].map((head) => {
        const words = document.createRange();
        words.selectNodeContents(head);
        return words.getBoundingClientRect().right;
      })""")
    assert 0 < max(ends) <= 360 - 16


# ------------------------------------------------------------------ formulas
@EVERY_LANGUAGE
def test_without_scripts_formulas_are_drawn_and_boxes_are_open(
    open_page, language
):
    page = open_page(PAGE.format(language), java_script_enabled=False)
    formula = page.locator("section > p .math:visible math").first
    box = formula.bounding_box()
    assert box["width"] > 3
    assert box["height"] > 5
    last = page.locator(".admonition.dropdown > :last-child").first
    assert last.is_visible()


def test_a_bar_over_a_symbol_is_drawn(open_page):
    page = open_page("/en/04-units.html")
    widths = page.evaluate(
        """[...document.querySelectorAll(".tml-overline")].map(
          (bar) => parseFloat(getComputedStyle(bar).borderTopWidth))"""
    )
    assert widths
    assert min(widths) >= 1


def test_a_wide_brace_is_painted_to_its_ends(open_page):
    look = {"viewport": {"width": 1280, "height": 720}}
    page = open_page("/en/07-depth.html", **look)
    above = page.locator("munder > munder", has_text="⏟").last
    above.scroll_into_view_if_needed()
    picture = Image.open(io.BytesIO(above.screenshot())).convert("L")
    brace = np.asarray(picture)[-8:]  # the last lines of pixels
    ink = np.ptp(brace, axis=0) > 64
    assert len(ink) > 100  # wider than any sign of the face by itself
    assert ink[:4].any()
    assert ink[-4:].any()


# ------------------------------------------------------------- what is copied
def test_copied_text_holds_a_formula_once(open_page):
    page = open_page("/en/02-signal.html")
    copied = page.evaluate(
        """() => {
          const formula = document.querySelector("section > p .math");
          const all = document.createRange();
          all.selectNodeContents(formula);
          getSelection().removeAllRanges();
          getSelection().addRange(all);
          return [getSelection().toString(),
                  formula.querySelector("math").textContent];
        }"""
    )
    plain = unicodedata.normalize("NFKC", copied[0])
    assert re.sub(r"\s", "", plain) == copied[1]


def test_who_copies_a_number_has_a_plain_space(open_page):
    page = open_page(
        "/en/08-training.html",
        permissions=["clipboard-read", "clipboard-write"],
    )
    copied = page.evaluate(
        """async () => {
          const fixed = [...document.querySelectorAll(".bd-article p")]
            .find((p) => /\\d\\u00a0%/.test(p.textContent));
          getSelection().selectAllChildren(fixed);
          document.execCommand("copy");
          return await navigator.clipboard.readText();
        }"""
    )
    assert re.search(r"\d %", copied)
    assert FIXED not in copied
