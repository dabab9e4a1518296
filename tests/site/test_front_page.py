"""The front page is a cover; every chapter says what it takes."""

import re

import pytest

from book.site.overview import reading_minutes
from book.words import WORDS
from built import CHAPTERS, EVERY_LANGUAGE, TWO_LANGUAGES, settle
from paths import ROOT
from preact.book.cover import ROWS, recorded_course

INDEX = "/{}/index.html"
COVER = ".preact-cover[data-live]"
STILL = {"reduced_motion": "reduce"}


def test_the_cover_leads_into_the_book_and_to_the_other_editions(open_page):
    page = open_page(INDEX.format("en"), **STILL)
    page.locator(".language-switch [hreflang=zh-Hant]").click()
    page.wait_for_url("**" + INDEX.format("zh-Hant"))
    page.locator(".ways-in .start").click()
    page.wait_for_url(f"**/zh-Hant/{CHAPTERS[0]}.html")
    assert page.evaluate("localStorage.getItem('language')") == "zh-Hant"


@EVERY_LANGUAGE
def test_a_card_and_the_head_of_its_chapter_say_the_same(open_page, language):
    page = open_page(INDEX.format(language), **STILL)
    cards = page.locator(".chapter-map > li")
    assert cards.count() == len(CHAPTERS)
    card = cards.nth(2)
    name = CHAPTERS[2]
    text = (ROOT / f"book/{language}/{name}.md").read_text("utf-8")
    minutes = WORDS[language]["@minutes"].format(reading_minutes(text))
    times = card.locator(".times").text_content()
    assert minutes in times.replace("\xa0", " ")
    asked = card.locator(".question").text_content()
    title = card.locator(".title a").text_content()
    assert title.startswith("3 ")
    card.click(position={"x": 5, "y": 5})  # all of it is the link
    page.wait_for_url(f"**/{name}.html")
    head = page.locator(".chapter-times").text_content()
    assert head.endswith(times)
    assert str(len(CHAPTERS)) in head
    assert asked in page.locator("p.asked").inner_text()
    assert (
        title.removeprefix("3 ")
        in page.locator(".bd-article h1").text_content()
    )


# ------------------------------------------------------- the living picture
@TWO_LANGUAGES
def test_the_picture_says_what_was_recorded(open_page, language):
    page = open_page(INDEX.format(language), **STILL)
    cover = page.locator(COVER)
    cover.locator("[name=moment]").fill("5")
    cover.locator("[name=unit]").fill("111")
    said = cover.locator(".facts p").all_text_contents()
    for row, text in zip(ROWS, said, strict=True):
        _, course = recorded_course(row)
        share = round(100 * course.open_share[5, 111])
        assert re.search(rf"\b{share}\s?%", text)
        measured = course.gradient[5, 111]
        found = re.search(
            r"([\d.]+)(?:\s×\s10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]))?(?=\s(?:times|倍))", text
        )
        power = "⁰¹²³⁴⁵⁶⁷⁸⁹".index(found[2]) if found[2] else 0
        ratio = float(found[1]) / 10**power
        assert 0.9 < ratio / measured < 1.1
    slider = cover.locator("[name=moment]")
    assert slider.get_attribute("aria-valuetext") == "100"
    assert page.problems == []


VEILED = """() => Math.round(100 *
  document.querySelector(".veil").getBoundingClientRect().height /
  document.querySelector(".veil + .veil, .veil").ownerSVGElement
    .querySelector(".moment").getBoundingClientRect().height) / 100"""


# Who watches from now on is told after those who have watched before.
SEEN = """(picture) => new Promise((seen) => new IntersectionObserver(
  ([{ isIntersecting }]) => isIntersecting && seen(), { threshold: 0.6 })
  .observe(picture))"""


def test_who_wants_no_motion_gets_the_whole_picture(open_page):
    page = open_page(INDEX.format("en"), **STILL)
    picture = page.locator("svg:has(.veil)").first
    picture.scroll_into_view_if_needed()
    picture.evaluate(SEEN)
    assert page.evaluate(VEILED) == 0
    assert page.locator(f"{COVER} [name=moment]").input_value() == "6"
    page.locator(f"{COVER} [name=play]").click()  # asked for, it plays
    page.wait_for_function(
        "document.querySelector('.preact-cover output').textContent == '3'"
    )


def test_the_picture_plays_once_and_ends_whole(open_page):
    page = open_page(
        INDEX.format("en"), viewport={"width": 1280, "height": 1400}
    )
    moment = "document.querySelector('.preact-cover output').textContent"
    button = page.locator(f"{COVER} [name=play]")
    page.wait_for_function(f"{moment} == '1'")
    pause = button.inner_text()
    for shown in ("30", "299"):
        page.wait_for_function(f"{moment} == '{shown}'")
    assert button.inner_text() != pause  # it has ended
    page.wait_for_function(f"({VEILED})() === 0")


def test_pointing_at_the_picture_asks_for_a_unit(open_page):
    page = open_page(INDEX.format("en"), **STILL)
    box = page.locator("svg:has(.veil) .veil").first.locator("xpath=..")
    box.scroll_into_view_if_needed()
    at = box.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 4)
    unit = page.locator(f"{COVER} [name=unit]").input_value()
    moment = page.locator(f"{COVER} [name=moment]").input_value()
    assert 100 < int(unit) < 230
    assert 0 <= int(moment) < 6
    page.mouse.down()
    page.wait_for_url(f"**cover.unit={unit}*")


def test_without_script_the_picture_stands_whole(open_page):
    page = open_page(INDEX.format("en"), java_script_enabled=False)
    assert page.locator(".preact-cover").is_hidden()
    picture = page.locator("figure:has(.preact-cover) svg").first
    assert picture.is_visible()
    assert page.locator(".ways-in .start").is_visible()
    assert page.locator(".chapter-map > li").count() == len(CHAPTERS)


# ------------------------------------------------------ how far one has read
LENGTH = """() => new DOMMatrix(
  getComputedStyle(document.documentElement, "::before").transform).a"""


def test_a_line_says_how_far_the_page_has_been_read(open_page):
    page = open_page(f"/en/{CHAPTERS[0]}.html")
    lengths = []
    for part in (0, 0.5, 1):
        page.evaluate(
            """part => scrollTo({ behavior: "instant", top: part * (
              document.documentElement.scrollHeight - innerHeight) })""",
            part,
        )
        settle(page)
        lengths.append(page.evaluate(LENGTH))
    assert lengths == pytest.approx([0, 0.5, 1], abs=0.1)
    page.emulate_media(media="print")
    content = "getComputedStyle(document.documentElement, '::before').content"
    assert page.evaluate(content) == "none"
