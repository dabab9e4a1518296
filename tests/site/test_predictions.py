"""A prediction is made before the answer is seen, and kept in the browser."""

import pytest

from preact.strings import LANGUAGES, Strings

SLIDERS = ("02-signal", "03-gradient")
CHAPTERS = (*SLIDERS, "04-units")
EVERY_CHAPTER = pytest.mark.parametrize("chapter", CHAPTERS)


def host(page):
    return page.locator(".preact-predict")


def guess(page, chapter):
    if chapter in SLIDERS:
        host(page).locator("[name=guess]").fill("150")
    else:
        host(page).locator("input[type=radio]").nth(1).check()


def commit(page):
    host(page).locator("[name=commit]").click()


@pytest.mark.parametrize("language", LANGUAGES)
@EVERY_CHAPTER
def test_the_answer_appears_beside_the_guess(open_page, language, chapter):
    page, words = open_page(f"/{language}/{chapter}.html"), Strings(language)
    assert host(page).locator("svg").count() == 0
    guess(page, chapter)
    commit(page)
    shown = host(page).locator("svg").text_content()
    assert words("predict.yours") in shown
    assert host(page).locator("svg").get_attribute("aria-label")
    assert page.problems == []


@EVERY_CHAPTER
def test_a_guess_is_kept_until_it_is_taken_back(open_page, chapter):
    page = open_page(f"/en/{chapter}.html")
    guess(page, chapter)
    commit(page)
    drawn = host(page).locator("svg").inner_html()
    page.reload(wait_until="networkidle")
    assert host(page).locator("svg").inner_html() == drawn
    commit(page)  # guess again
    assert host(page).locator("svg").count() == 0
    page.reload(wait_until="networkidle")
    assert host(page).get_attribute("data-state") == "open"


def test_nothing_can_be_chosen_without_a_choice(open_page):
    page = open_page("/en/04-units.html")
    assert host(page).locator("[name=commit]").is_disabled()


def test_a_slider_says_its_value(open_page):
    page = open_page("/en/03-gradient.html")
    slider = host(page).locator("[name=guess]")
    slider.focus()
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "1 × 10⁸"


@EVERY_CHAPTER
def test_without_script_question_and_answer_stand_there(open_page, chapter):
    page = open_page(f"/en/{chapter}.html", java_script_enabled=False)
    assert host(page).locator("p").is_visible()
    assert host(page).locator("li").count() >= 2


def test_the_cell_that_prints_the_answer_waits_for_the_guess(open_page):
    page = open_page("/en/03-gradient.html")
    printed = page.locator(".cell:has(.preact-predict) + .cell")
    assert "direct term" in printed.text_content()
    assert not printed.is_visible()
    commit(page)
    assert printed.is_visible()
