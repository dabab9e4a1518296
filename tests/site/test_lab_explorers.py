"""A lab of chapter 12: first a guess, then the report and the curves."""

import json

from built import TWO_LANGUAGES, query, reload, settle
from preact.book.bugs import LABS
from preact.strings import Strings

CHAPTER = "/{}/12-find-the-bug.html"


def one(page, name):
    number = list(LABS).index(name)
    return page.locator(".preact-lab").nth(number)


def guess(host, value):
    host.locator(f"input[value={value}]").check()
    host.locator("button[name=commit]").click()


@TWO_LANGUAGES
def test_the_report_is_hidden_until_the_reader_has_guessed(
    open_page, language
):
    page, words = open_page(CHAPTER.format(language)), Strings(language)
    host = one(page, "halved-shortcut")
    assert not host.locator(".report").is_visible()
    assert host.locator(".curves svg").count() == 0
    guess(host, "identity-shortcut")
    assert host.locator(".report").is_visible()
    assert host.locator(".verdict").inner_text() == words("lab.right")
    assert host.get_attribute("data-state") == "right"
    assert query(page) == ""
    host = one(page, "detached-shortcut")
    guess(host, "clear-stream")  # a wrong guess is told which answer is no
    told = host.locator(".verdict").inner_text()
    assert words("probe_ask.gradient") in told


def test_every_mutant_with_a_plan_draws_its_curves(open_page):
    page = open_page(CHAPTER.format("en"))
    for name, lab in LABS.items():
        host = one(page, name)
        guess(host, lab.answer)
        settle(page)
        plan = json.loads(host.get_attribute("data-lab"))["plan"]
        assert host.locator(".curves svg[role=img]").count() == (
            2 if plan else 0
        )


def test_another_seed_is_another_network_and_the_guess_is_kept(open_page):
    page = open_page(CHAPTER.format("en"))
    guess(one(page, "added-twice"), "identity-shortcut")
    facts = one(page, "added-twice").locator(".facts")
    settle(page)
    first = facts.inner_text()
    one(page, "added-twice").locator("input[name=seed]").fill("7")
    settle(page)
    assert facts.inner_text() != first
    reload(page)
    state = one(page, "added-twice").get_attribute("data-state")
    assert state == "right"
