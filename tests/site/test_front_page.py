"""The front page is a cover; every chapter says what it takes."""

import pytest

from book.site.overview import reading_minutes
from book.site.words import WORDS
from built import CHAPTERS, EVERY_LANGUAGE, settle
from paths import ROOT

INDEX = "/{}/index.html"
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


def test_without_script_all_of_the_front_page_is_there(open_page):
    page = open_page(INDEX.format("en"), java_script_enabled=False)
    picture = page.locator("#index-figure-cover svg").first
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
