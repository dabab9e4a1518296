"""The ledger narrowed in the page; pages that are made from data."""

import re
import tomllib
from collections import Counter
from html import unescape

import pytest

from book.site.glossary import address
from book.tools.claims import read_claims
from book.tools.language import glossary, glossary_key
from paths import ROOT
from preact.book.cards import cards
from preact.strings import LANGUAGES

SITE = ROOT / "_build/html"
CLAIMS = read_claims()
KINDS = Counter(claim.kind for claim in CLAIMS.values())
EVERY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)
FORM = ".preact-ledger-filter"


def shown(page):
    """Ids of the entries that can be seen."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".claim-entry")]
          .filter((one) => one.offsetParent).map((one) => one.id)"""
    )


def wanted(**what):
    return [
        f"claim-{claim.id}"
        for claim in CLAIMS.values()
        if all(getattr(claim, key) == value for key, value in what.items())
    ]


def test_without_a_script_the_whole_ledger_is_there(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/en/claims.html")
    assert page.locator(".claim-entry:visible").count() == len(CLAIMS)
    assert page.locator(f"{FORM} :visible").count() == 0
    context.close()


@EVERY_LANGUAGE
def test_kind_chapter_and_words_narrow_the_ledger(open_page, language):
    page = open_page(f"/{language}/claims.html")
    assert len(shown(page)) == len(CLAIMS)
    page.select_option(f"{FORM} select[name=kind]", "proved")
    assert sorted(shown(page)) == sorted(wanted(kind="proved"))
    page.select_option(f"{FORM} select[name=chapter]", "claims-gradient")
    assert sorted(shown(page)) == sorted(
        wanted(kind="proved", chapter="03-gradient")
    )
    page.fill(f"{FORM} input", "EQ-7")
    assert shown(page) == ["claim-eq-7"]
    said = page.locator(f"{FORM} [role=status]")
    assert "1" in said.text_content()
    page.fill(f"{FORM} input", "xyzzy")
    assert shown(page) == []
    page.click(f"{FORM} button[type=reset]")
    page.wait_for_function(
        "n => document.querySelector('.preact-ledger-filter [role=status]')"
        ".textContent.split(String(n)).length > 2",
        arg=len(CLAIMS),
    )
    assert len(shown(page)) == len(CLAIMS)
    assert page.problems == []


@EVERY_LANGUAGE
def test_the_count_of_a_kind_leads_to_just_these(open_page, language):
    page = open_page(f"/{language}/12-summary.html")
    counts = page.locator("p.claim-counts")
    numbers = re.findall(r"\d+", counts.text_content())
    assert sorted(map(int, numbers)) == sorted(KINDS.values())
    counts.locator("a.claim-disputed").click()
    page.wait_for_selector(f"{FORM}[data-live]")
    assert sorted(shown(page)) == sorted(wanted(kind="disputed"))


def test_a_link_to_a_hidden_claim_shows_it(open_page):
    page = open_page("/en/claims.html?ledger.kind=disputed")
    page.evaluate("location.hash = 'claim-eq-5'")
    page.wait_for_function(
        "document.getElementById('claim-eq-5').offsetParent !== null"
    )


# ----------------------------------------------------- pages made from data
@EVERY_LANGUAGE
def test_every_term_stands_in_the_glossary_in_three_languages(language):
    text = unescape((SITE / language / "glossary.html").read_text("utf-8"))
    text = text.replace("\u2019", "'")  # set as typographers do
    for term in glossary()["term"]:
        assert text.count(f'id="{address(term)}"') == 1
        for code in LANGUAGES:
            assert term[glossary_key(code)] in text


@EVERY_LANGUAGE
def test_every_experiment_has_its_card_and_every_work_its_line(language):
    text = (SITE / language / "12-summary.html").read_text("utf-8")
    for card in cards():
        assert text.count(f'id="card-{card.name}"') == 1
    works = (ROOT / "book/references.bib").read_text("utf-8")
    _, _, printed = text.partition('id="summary-bibliography"')
    printed, _, _ = printed.partition('id="summary-references"')
    assert printed.count("<li id=") == len(re.findall(r"^@\w+{", works, re.M))


@EVERY_LANGUAGE
def test_plans_of_lessons_lead_to_sections_and_exercises(language):
    text = (SITE / language / "12-summary.html").read_text("utf-8")
    _, _, plans = text.partition('id="summary-teach"')
    plans, _, _ = plans.partition('id="summary-summary"')
    written = tomllib.loads((ROOT / "book/lessons.toml").read_text("utf-8"))
    exercises = [
        label
        for steps in written.values()
        for step in steps
        for label in step.get("exercises", [])
    ]
    for label in exercises:
        assert re.search(rf'href="[^"]*#{label}"', plans), label
