"""Formulas: there for who reads without scripts, by keyboard or on a phone."""

import io
import re
import unicodedata
from html import unescape

import numpy as np
import pytest
from docutils import nodes
from fontTools.ttLib import TTFont
from PIL import Image
from test_pages import EVERY_PAGE, PLACES, SITE, address

from book.site.assets import MATH_FACE, cut_math_face
from book.site.math import hold_marks, mathml

CHAPTERS = [place for place in PLACES if place[1][0].isdigit()]
EVERY_CHAPTER = pytest.mark.parametrize(
    "place", CHAPTERS, indirect=True, ids="-".join
)
# Text of a page outside of code, where a dollar may stand.
PROSE = """() => {
  const copy = document.querySelector("body").cloneNode(true);
  for (const e of copy.querySelectorAll("pre, code, script, style"))
    e.remove();
  return document.title + " " + copy.textContent;
}"""


@EVERY_PAGE
def test_no_page_asks_for_a_script_that_sets_formulas(read_page, place):
    page = read_page(address(place))
    setters = re.compile("(?i)mathjax|katex|temml")
    assert not [url for url in page.requested if setters.search(url)]
    assert "MathJax" not in page.content()


@EVERY_CHAPTER
def test_formulas_are_there_without_scripts(read_page, place):
    page = read_page(address(place), java_script_enabled=False)
    places = page.locator(".math.notranslate").count()
    assert places > 5
    assert page.locator(".math.notranslate math").count() == places
    assert page.locator("math:not(:has(*))").count() == 0
    box = page.locator("section > p .math:visible math").first.bounding_box()
    assert box["width"] > 3
    assert box["height"] > 5


@EVERY_PAGE
def test_no_tex_is_seen(read_page, place):
    text = read_page(address(place)).evaluate(PROSE)
    assert re.findall(r"\\[()\[\]]|\\[a-z]+\b|\$", text) == []


def line(before, after):
    formula = nodes.math("", "x_l")
    row = nodes.paragraph("", "", nodes.Text(before), formula)
    row += nodes.Text(after)
    hold_marks(formula)
    return row


def held(row):
    return [node.astext() for node in row.findall(nodes.inline)]


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("單元", "，其間", "x_l，"),
        ("（", "）。其間", "（x_l）。"),
        ("單元「", "其間", "「x_l"),
    ],
)
def test_a_formula_is_held_with_the_marks_beside_it(before, after, kept):
    row = line(before, after)
    assert held(row) == [kept]
    assert row.astext() == f"{before}x_l{after}"


def test_a_formula_between_words_is_left_alone():
    row = line("單元", "其間，")
    assert held(row) == []
    assert row.astext() == "單元x_l其間，"


# How many lines begin with the sign that closes what a formula has ended.
LONELY = """() => [...document.querySelectorAll(".bd-article span.math")]
  .filter((formula) => {
    const next = formula.nextSibling;
    const signs = /^[,.;:!?)，。、；：！？）」』”]/;
    if (!signs.test(next?.data ?? "")) return false;
    const range = document.createRange();
    range.setStart(next, 0);
    range.setEnd(next, 1);
    const sign = range.getBoundingClientRect();
    const box = formula.getBoundingClientRect();
    return sign.left < box.left && sign.top > box.bottom - 4;
  }).map((formula) => formula.textContent)"""


@EVERY_CHAPTER
def test_no_line_begins_with_the_comma_behind_a_formula(read_page, place):
    page = read_page(address(place))
    for width in (360, 390, 800, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(LONELY) == []


@pytest.mark.parametrize(
    ("tex", "spaces"),
    [("h = f =", [None, "0"]), ("= 0", ["0"]), ("a + b", [None])],
)
def test_a_sign_at_a_formulas_end_has_the_lines_own_space(tex, spaces):
    signs = re.findall(r"<mo([^>]*)>", mathml(tex))
    found = [re.search(r'[lr]space="(\w+)"', sign) for sign in signs]
    assert [space and space[1] for space in found] == spaces


@EVERY_CHAPTER
def test_an_equation_has_its_number_once(read_page, place):
    page = read_page(address(place))
    numbers = page.locator("div.math .eqno").all_inner_texts()
    labelled = [n.strip("#") for n in numbers if "." in n]
    assert len(labelled) == len(set(labelled))
    doubled = page.evaluate(
        """() => [...document.querySelectorAll("div.math")].filter((box) => {
          const formula = box.querySelector("math").textContent;
          return box.querySelectorAll(".eqno").length > 1
            || /\\(\\d+(\\.\\d+)?\\)$/.test(formula);
        }).length"""
    )
    assert doubled == 0


@EVERY_CHAPTER
def test_a_reference_leads_to_the_equation_of_its_number(place):
    language, name = place
    text = (SITE / language / f"{name}.html").read_text("utf-8")
    links = re.findall(
        r'href="([^"#]*)#(equation-[^"]+)"[^>]*>(?:<[^>]+>)*(\([\d.]+\))', text
    )
    for target, equation, number in links:
        page = target or f"{name}.html"
        there = (SITE / language / page).read_text("utf-8")
        block = there.split(f'id="{equation}"')[1].split("</div>\n")[0]
        assert f'<span class="eqno">{number}<' in block


def test_some_references_to_equations_are_checked():
    text = (SITE / "en/03-gradient.html").read_text("utf-8")
    assert text.count('href="#equation-open-path"') >= 3


@EVERY_CHAPTER
def test_no_formula_is_a_stop_of_the_tab_key(read_page, place):
    page = read_page(address(place))
    stops = page.evaluate(
        """() => [...document.querySelectorAll(".math, .math *")].filter(
          (e) => e.tabIndex >= 0 && !e.matches(".headerlink") &&
            e.scrollWidth <= e.clientWidth + 1).length"""
    )
    assert stops == 0  # but what scrolls, which the keyboard must reach


@EVERY_CHAPTER
def test_a_wide_equation_begins_on_the_page_and_scrolls(read_page, place):
    page = read_page(address(place), viewport={"width": 360, "height": 800})
    lost = page.evaluate(
        """() => [...document.querySelectorAll("div.math > .equation")]
        .filter((box) => {
          const start = box.getBoundingClientRect().left;
          const glyphs = [...box.querySelectorAll("mi, mn, mo")];
          return box.scrollLeft != 0 || glyphs.some(
            (glyph) => glyph.getBoundingClientRect().left < start - 1);
        }).length"""
    )
    assert lost == 0


def test_the_end_of_a_wide_equation_is_reached_by_scrolling(open_page):
    page = open_page(
        "/en/03-gradient.html", viewport={"width": 360, "height": 800}
    )
    reached = page.evaluate(
        """() => [...document.querySelectorAll("div.math > .equation")]
        .filter((box) => box.scrollWidth > box.clientWidth).map((box) => {
          box.scrollLeft = box.scrollWidth;
          const glyphs = [...box.querySelectorAll("mi, mn, mo")];
          const end = Math.max(...glyphs.map(
            (glyph) => glyph.getBoundingClientRect().right));
          return end - box.getBoundingClientRect().right;
        })"""
    )
    assert len(reached) >= 3
    assert max(reached) <= 1


@EVERY_PAGE
def test_an_equation_prints_whole(read_page, place):
    page = read_page(address(place))
    page.emulate_media(media="print")
    cut = page.evaluate(
        """() => [...document.querySelectorAll("div.math > .equation")]
        .filter((box) => getComputedStyle(box).overflowX != "visible")
        .length"""
    )
    page.emulate_media(media="screen")
    assert cut == 0


def test_formulas_are_set_in_the_face_that_the_site_brings(open_page):
    page = open_page("/zh-Hans/03-gradient.html")
    assert [url for url in page.requested if "book-math" in url]
    loaded = page.evaluate(
        """[...document.fonts].filter((face) => face.status == "loaded"
          && face.family.includes("Book Math")).length"""
    )
    assert loaded == 1


def test_the_face_holds_every_glyph_of_every_formula():
    face = TTFont(SITE / "_vendor/math/book-math.woff2")
    assert "MATH" in face
    shown = set()
    for page in SITE.rglob("*.html"):
        for formula in re.findall("<math.*?</math>", page.read_text(), re.S):
            shown.update(unescape(re.sub(r"<[^>]*>", "", formula)))
    lacking = {
        sign
        for sign in shown - set(map(chr, face.getBestCmap()))
        if unicodedata.category(sign) not in ("Lo", "Cc", "Cf")
    }
    assert lacking == set()


@pytest.mark.parametrize("tex", [r"\sqrt{l + 1}", r"\sqrt[3]{l}"])
def test_a_root_keeps_its_sign(tmp_path, tex):
    (tmp_path / "page.html").write_text(mathml(tex))
    face = tmp_path / MATH_FACE.name
    cut_math_face(face, tmp_path)
    with TTFont(face) as kept:
        assert ord("√") in kept.getBestCmap()


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


def test_a_bar_over_a_symbol_is_drawn(open_page):
    page = open_page("/en/04-units.html")
    widths = page.evaluate(
        """[...document.querySelectorAll(".tml-overline")].map(
          (bar) => parseFloat(getComputedStyle(bar).borderTopWidth))"""
    )
    assert widths
    assert min(widths) >= 1


# ------------------------------------------------------------- the renderer
@pytest.mark.parametrize("tex", [r"\frac{1", r"\nosuch x", "x_1_2", "a & b}"])
def test_what_is_no_tex_is_refused(tex):
    with pytest.raises(ValueError, match=r"."):
        mathml(tex)


@pytest.mark.parametrize("tex", ["f'(y)", "g'", r"\hat f'", r"\sqrt{h'}"])
def test_a_prime_is_drawn_where_the_face_has_it(tex):
    assert "\u2032" in mathml(tex)
    assert "<msup" not in mathml(tex)  # it would be raised a second time


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


def test_a_sign_in_a_script_takes_no_space():
    assert '<mo lspace="0" rspace="0">+</mo>' in mathml("x_{l+1}")
    assert "<mo>+</mo>" in mathml("x + 1")


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{align*} a &= b \\ &= c \end{align*}",
        r"\begin{split} a &= b \\ &= c \end{split}",
        r"\begin{cases} a & b \\ c & d \end{cases}",
        r"\newcommand{\loss}{E} \loss = \loss",
    ],
)
def test_lines_cases_and_macros_are_rendered(tex):
    assert mathml(tex, display=True).startswith("<math display=")
