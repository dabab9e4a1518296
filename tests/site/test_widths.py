"""At every width of a window all of a page can be seen, or scrolled to."""

import pytest

from paths import ROOT
from preact.strings import LANGUAGES

PAGES = sorted(p.stem for p in (ROOT / "book/en").glob("*.md"))
WIDTHS = (360, 414, 768, 800, 1024, 1280, 1366, 1440, 1920)
NAMES = ("index", "03-gradient", "05-shortcuts", "08-training", "10-afterlife")

# What reaches beyond the text's box without a box of its own that scrolls.
LOST = """() => {
  const room = document.querySelector(".bd-article").getBoundingClientRect();
  const own = (node) => {
    for (let up = node.parentElement; up && !up.matches(".bd-article");
         up = up.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(up).overflowX)) return true;
    }
    return /auto|scroll/.test(getComputedStyle(node).overflowX);
  };
  const hidden = "details:not([open]), mjx-assistive-mml, .visually-hidden";
  return [...document.querySelectorAll(
    ".bd-article :is(table, pre, svg, p, figcaption, fieldset, input, label)"
  )].filter((node) => {
    const box = node.getBoundingClientRect();
    return box.width > 1 && !node.closest(hidden) && !own(node)
      && (box.right > innerWidth + 1 || box.left < Math.min(room.left, 0) - 1);
  }).map((node) => node.outerHTML.slice(0, 120));
}"""
# Boxes whose scrolled-out start cannot be scrolled to, and boxes that scroll
# but show no shadow at the edge, cover it with stripes of their own, or cannot
# be reached from the keyboard.
UNSAID = """() => [...document.querySelectorAll(
    `.bd-article :is(pre, .equation, .text_html, .preact-table,
      .pst-scrollable-table-container)`
  )].filter((box) => {
    const style = getComputedStyle(box);
    return /auto|scroll/.test(style.overflowX) && box.clientWidth > 0
      && box.scrollWidth > box.clientWidth + 1
      && (box.tabIndex != 0 || !/gradient/.test(style.backgroundImage)
        || [...box.querySelectorAll("tr, th, td")].some((part) =>
          /^rgb\\(/.test(getComputedStyle(part).backgroundColor)));
  }).map((box) => box.outerHTML.slice(0, 120))"""
# Openers beyond the box of what they open, which cuts them off.
UNOPENED = """() => [...document.querySelectorAll(".toggle-button")]
  .filter((button) => {
    const { top, right, bottom, width } = button.getBoundingClientRect();
    const box = button.closest(".admonition").getBoundingClientRect();
    return !(width && box.top <= top && bottom <= box.bottom
      && right <= box.right);
  }).map((button) => button.id)"""
# Cells of tables in lines that reach beyond what a phone shows of their box.
BEYOND = """() => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  return [...document.querySelectorAll("[data-columns], [data-stacked]")]
    .filter((table) => {
      const box = table.parentElement.getBoundingClientRect();
      return [...table.querySelectorAll("th, td")].some((cell) =>
        cell.getBoundingClientRect().right
          > Math.min(box.right, innerWidth) + 1);
    }).map((table) => table.outerHTML.slice(0, 200));
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["03-gradient", "10-afterlife"])
def test_a_shadow_says_in_both_themes_that_there_is_more(
    open_page, name, theme
):
    page = open_page(
        f"/en/{name}.html",
        viewport={"width": 360, "height": 900},
        color_scheme=theme,
    )
    assert page.evaluate(UNSAID) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_width_of_a_window_hides_a_part_of_a_page(open_page, name):
    page = open_page(f"/en/{name}.html")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"
        ), width
        assert page.evaluate(LOST) == [], width
        assert page.evaluate(UNSAID) == [], width


@pytest.mark.parametrize("name", ["index", "02-signal", "03-gradient"])
@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_the_words_of_a_chart_are_legible_on_a_phone(
    open_page, language, name
):
    page = open_page(
        f"/{language}/{name}.html", viewport={"width": 360, "height": 800}
    )
    sizes = page.evaluate(
        """[...document.querySelectorAll(".preact-figure svg text")]
        .filter((text) => text.getBoundingClientRect().width > 0)
        .map((text) => parseFloat(getComputedStyle(text).fontSize)
          * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b))
        .filter((size) => size > 0)"""
    )
    assert sizes
    assert min(sizes) >= 10.9


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_what_is_folded_shows_its_opener(read_page, name, width):
    page = read_page(
        f"/en/{name}.html", viewport={"width": width, "height": 900}
    )
    assert page.evaluate(UNOPENED) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phone_shows_every_column_of_a_table_in_lines(open_page, language):
    page = open_page(
        f"/{language}/index.html", viewport={"width": 360, "height": 740}
    )
    found = 0
    for name in PAGES:
        page.goto(page.url.replace(page.url.split("/")[-1], f"{name}.html"))
        found += page.locator("[data-columns], [data-stacked]").count()
        assert page.evaluate(BEYOND) == []
    assert found > 20


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
