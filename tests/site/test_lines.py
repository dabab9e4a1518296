"""Where lines end: no number without its sign, no mark without its claim."""

import re

import pytest
from docutils import nodes
from test_pages import EVERY_PAGE, SITE, address

from book.site.together import FIXED, MARK, fix_spaces, keep_together
from preact.strings import LANGUAGES

PHONES = (320, 360, 390, 414)
PLACES = [
    *(("en", name) for name in ("01-why", "08-training", "09-imagenet")),
    *(("zh-Hans", name) for name in ("03-gradient", "08-training")),
    ("zh-Hant", "05-shortcuts"),
]
EVERY_PLACE = pytest.mark.parametrize(
    ("language", "name"), PLACES, ids=map("-".join, PLACES)
)
# A number that ends a line, or begins one, without what belongs to it.
PARTED = r"""() => {
  const PAIR = new RegExp([
    /\d\s(?:[%×]|[kMG]i?B\b|m?s\b)/, /[×±]\s\d/,
    /\b(?:Fig|Eq)s?\.\s\(?\d/, /[图圖表式第]\s\(?\d/, /\d\s[章节節]/,
    /[A-Za-z]-\d/, /(?<![A-Za-z])[A-Za-zα-ω]\s=\s[−-]?\d/,
  ].map((one) => one.source).join("|"), "g");
  const parted = [];
  for (const part of document.querySelectorAll(
    ".bd-article :is(p, li, figcaption, h2, h3, .facts)")) {
    if (part.querySelector("p, li")) continue;
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT,
      (text) => text.parentElement.closest("math, pre, code, svg, style")
        ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    const places = [];
    let line = "";
    while (walker.nextNode()) {
      const text = walker.currentNode;
      for (let i = 0; i < text.length; i++) places.push([text, i]);
      line += text.data;
    }
    const box = (place) => {
      const range = document.createRange(), [text, i] = places[place];
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      return range.getBoundingClientRect();
    };
    for (const pair of line.matchAll(PAIR)) {
      const [first, last] = [box(pair.index),
        box(pair.index + pair[0].length - 1)];
      if (first.width && last.top > first.bottom - 2) {
        parted.push(line.slice(Math.max(pair.index - 20, 0),
          pair.index + pair[0].length + 20));
      }
    }
  }
  return parted;
}"""
# Marks of claims on a line of which nothing else stands before them.
ALONE = """() => [...document.querySelectorAll("a.claim-mark")]
  .filter((mark) => {
    const before = document.createRange();
    before.selectNodeContents(mark.parentElement);
    before.setEndBefore(mark);
    const boxes = [...before.getClientRects()].filter((b) => b.width > 1);
    const own = mark.getClientRects()[0];
    return own && boxes.length && own.top > boxes.at(-1).bottom - 4;
  }).map((mark) => mark.parentElement.textContent.slice(-80))"""


@EVERY_PLACE
def test_no_phone_parts_a_number_from_its_sign(open_page, language, name):
    page = open_page(f"/{language}/{name}.html")
    page.evaluate(
        "document.querySelectorAll('details').forEach((d) => d.open = true)"
    )
    for width in PHONES:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(200)
        assert page.evaluate(PARTED) == [], width


@EVERY_PLACE
def test_no_mark_of_a_claim_begins_a_line(open_page, language, name):
    page = open_page(f"/{language}/{name}.html")
    assert page.locator("a.claim-mark").count() > 5
    for width in (*PHONES, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(200)
        assert page.evaluate(ALONE) == [], width


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        ("4.62 % of 8 × 8", "4.62_% of 8_×_8"),
        ("19.7 GB in 3 s, 3 steps", "19.7_GB in 3_s, 3 steps"),
        ("Figs. 2 and 3, Eq. (4.1)", "Figs._2 and 3, Eq._(4.1)"),
        ("b = −1, 72.6 ± 5.8", "b_=_−1, 72.6_±_5.8"),
        ("第 3 章的图 3.2、式 (4)", "第_3_章的图_3.2、式_(4)"),
        (f"It holds. {MARK} So", f"It holds._{MARK} So"),
        ("in 2016 the best of 64 × n", "in 2016 the best of 64_× n"),
    ],
)
def test_the_space_between_a_number_and_its_sign_is_fixed(line, fixed):
    assert fix_spaces(line) == fixed.replace("_", FIXED)


def test_of_two_ends_of_lines_the_one_before_a_mark_is_fixed():
    mark = nodes.reference("", "measured", classes=["claim-mark"])
    texts = [nodes.Text(text) for text in ("One", "\n", "two.", "\n")]
    line = nodes.paragraph("", "", *texts, mark)
    keep_together(line)
    assert line.astext() == f"One\ntwo.{FIXED}measured"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("On CIFAR-10 a ResNet-110 is", ["CIFAR-10", "ResNet-110"]),
        ("在ResNet-110上，WRN-28-10 的", ["ResNet-110", "WRN-28-10"]),
        ("from 3-4 to x − 1, pre-activation", []),
    ],
)
def test_a_name_with_a_number_is_in_one_piece(text, names):
    line = nodes.paragraph("", "", nodes.emphasis("", "", nodes.Text(text)))
    keep_together(line)
    assert [one.astext() for one in line.findall(nodes.inline)] == names
    assert line.astext() == text


def test_a_citation_stays_and_after_a_formula_a_line_may_end():
    line = nodes.paragraph(
        "",
        "",
        nodes.math("", "n"),
        nodes.Text(" 個單元 "),
        nodes.footnote_reference("", "2"),
    )
    keep_together(line)
    assert line.astext() == f"n 個單元{FIXED}2"


def test_who_copies_a_number_has_a_plain_space(open_page):
    page = open_page("/en/08-training.html")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_index_of_the_search_has_plain_spaces(language):
    index = (SITE / language / "search-index.js").read_text("utf-8")
    assert FIXED not in index


@EVERY_PAGE
def test_on_a_screen_no_equation_has_to_scroll(read_page, place):
    page = read_page(address(place))
    assert page.viewport_size["width"] == 1280
    wide = page.evaluate(
        """[...document.querySelectorAll("div.math > .equation")]
        .filter((box) => box.scrollWidth > box.clientWidth + 1)
        .map((box) => box.textContent.slice(0, 60))"""
    )
    assert wide == []


def test_names_of_tests_part_between_their_words(open_page):
    page = open_page("/en/claims.html", viewport={"width": 360, "height": 800})
    ends = page.evaluate(
        """() => {
          const ends = new Set();
          for (const code of document.querySelectorAll(
            ".claim-entry a[download] code")) {
            let last = null;
            for (const text of code.childNodes) {
              if (text.nodeType != 3) continue;
              for (let i = 0; i < text.length; i++) {
                const range = document.createRange();
                range.setStart(text, i);
                range.setEnd(text, i + 1);
                const box = range.getBoundingClientRect();
                if (last && box.top > last.bottom - 2) ends.add(last.sign);
                last = { sign: text.data[i], bottom: box.bottom };
              }
            }
          }
          return [...ends];
        }"""
    )
    assert ends
    assert set(ends) <= {"_", "/"}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_foot_of_a_chinese_page_speaks_chinese(language):
    text = (SITE / language / "01-why.html").read_text("utf-8")
    foot = text.partition('<footer class="bd-footer-content">')[2]
    words = re.sub(r"<[^>]*>", " ", foot.partition("</footer>")[0])
    assert "©" in words
    english = set(re.findall(r"[A-Za-z]{2,}", words))
    assert english <= {"preact", "zip", "zh", "Hans", "Hant", "MB"}
