"""Numeric exercises answered in the page, and what of a chapter folds."""

from built import TWO_LANGUAGES
from preact.book.exercises import Number, exercises_of
from preact.strings import Strings

CHAPTER = "02-signal"
EXERCISES = exercises_of("signal")
NUMERIC = [one for one, e in EXERCISES.items() if isinstance(e, Number)]


def field(page, n=0):
    return page.locator(".preact-answer").nth(n)


def said(page):
    return field(page).locator("[role=status]").text_content()


@TWO_LANGUAGES
def test_an_answer_is_judged_by_keyboard(open_page, language):
    page, words = open_page(f"/{language}/{CHAPTER}.html"), Strings(language)
    assert page.locator(".preact-answer[data-live]").count() == len(NUMERIC)
    expected = EXERCISES[NUMERIC[0]].value
    for typed, state, sentence in (
        (f"{expected}", "right", f"exercise.{NUMERIC[0]}.why"),
        (f"{2 * expected + 1}", "wrong", f"exercise.{NUMERIC[0]}.hint"),
        ("", "wrong", "check.empty"),
    ):
        field(page).locator("input").fill(typed)
        page.keyboard.press("Enter")
        assert field(page).get_attribute("data-state") == state
        assert words(sentence) in said(page)
    assert page.problems == []


def test_the_button_judges_too_and_a_new_answer_takes_the_verdict_back(
    open_page,
):
    page = open_page(f"/en/{CHAPTER}.html")
    field(page).locator("input").fill("NaN")
    field(page).locator("button").click()
    assert "A number alone is asked for" in said(page)
    field(page).locator("input").fill("2")
    assert said(page) == ""
    assert field(page).get_attribute("data-state") is None


@TWO_LANGUAGES
def test_a_first_wrong_answer_gets_a_question_and_the_formula_comes_last(
    open_page, language
):
    page, words = open_page(f"/{language}/03-gradient.html"), Strings(language)
    hints = page.locator("#gradient-1 ~ .hint")
    idea, formula = (
        hints.nth(n).locator("p").nth(1).text_content() for n in range(2)
    )
    question = words("exercise.gradient-1.hint")
    for typed, shown in (
        ("5", question),
        ("5", question),  # the same answer again
        ("8", idea),
        ("7", words("exercise.gradient-1.whole")),
        ("-6.58", words("check.slip_sign")),
        ("12", formula),
        ("14", formula),
    ):
        field(page).locator("input").fill(typed)
        page.keyboard.press("Enter")
        got = said(page)
        assert shown in got
        assert (formula in got) == (shown is formula)
    assert page.problems == []


def test_an_answer_without_a_tick_is_told_to_have_one(open_page):
    page = open_page("/en/13-summary.html")
    chosen = page.locator(".preact-answer:has([type=checkbox])")
    chosen.locator("button").click()
    status = chosen.locator("[role=status]")
    assert status.text_content() == Strings("en")("check.none")
    chosen.get_by_label("Table 2 changes one thing").check()
    assert not page.locator("#summary-3 ol").is_visible()  # but beside boxes


def test_true_sentences_are_chosen_with_boxes(open_page):
    page = open_page("/en/13-summary.html")
    chosen = page.locator(".preact-answer:has([type=checkbox])")
    for number, state in [(1, "wrong"), (3, "right"), (2, "wrong")]:
        chosen.get_by_label(f"({number})").check()
        chosen.locator("button").click()
        assert chosen.get_attribute("data-state") == state


def test_the_one_sentence_that_is_asked_for_is_chosen_alone(open_page):
    page = open_page("/en/07-depth.html")
    chosen = page.locator(".preact-answer:has([type=radio])")
    for number, state in [(1, "wrong"), (3, "right")]:
        chosen.get_by_label(f"({number})").check()
        chosen.locator("button").click()
        assert chosen.get_attribute("data-state") == state
    assert chosen.locator(":checked").count() == 1


def test_without_script_the_page_says_how_to_answer(open_page):
    page = open_page(f"/en/{CHAPTER}.html", java_script_enabled=False)
    assert "three dots" in field(page).text_content()
    assert field(page).locator("input").count() == 0
