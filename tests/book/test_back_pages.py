"""Pages made from data: plans of lessons, the glossary."""

import re

import pytest
import yaml

from book.site.glossary import address, definitions, pages
from book.tools.language import chapters, glossary, sections
from book.tools.lessons import read_lessons, table
from book.tools.myst import directive, tokens
from paths import ROOT
from preact.strings import LANGUAGES

CHAPTERS = chapters("en")
WORDS = yaml.safe_load((ROOT / "book/site/ui_strings.yml").read_text("utf-8"))


# ----------------------------------------------------------------- lessons
@pytest.mark.parametrize("hours", ["1", "2", "6"])
def test_the_minutes_of_a_plan_are_its_hours(hours):
    steps = read_lessons()[hours]
    assert sum(step.minutes for step in steps) == 60 * int(hours)
    assert any(step.exercises for step in steps)


def test_plans_name_sections_and_exercises_that_exist():
    labels = {label for text in CHAPTERS.values() for label in sections(text)}
    exercises = {
        made.options["label"]
        for text in CHAPTERS.values()
        for token in tokens(text)
        if (made := directive(token)) and made.name == "exercise"
    }
    for steps in read_lessons().values():
        assert {step.section for step in steps} <= labels
        named = [label for step in steps for label in step.exercises]
        assert set(named) <= exercises
        assert len(set(named)) == len(named)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_is_a_table_in_the_pages_language(language):
    words = WORDS[language]
    head, _, *rows = table("2", words).splitlines()
    assert words["@lesson-minutes"] in head
    assert len(rows) == len(read_lessons()["2"]) + 1
    assert rows[-1].startswith("| **120** |")


# ---------------------------------------------------------------- glossary
def test_every_term_has_an_address_of_its_own():
    addresses = [address(term) for term in glossary()["term"]]
    assert len(set(addresses)) == len(addresses)
    assert "term-residual-unit" in addresses


def test_every_definition_is_one_sentence_of_a_term_in_each_language():
    known = {address(term) for term in glossary()["term"]}
    found = [one for group in definitions().values() for one in group]
    assert {f"term-{key}" for key in found} <= known
    assert len(set(found)) == len(found) >= 45
    for group in definitions().values():
        for key, meant in group.items():
            assert meant["at"] in pages(), key
            assert meant.keys() - {"at", "symbol"} == set(LANGUAGES), key
            for language in LANGUAGES:
                said = meant[language]
                assert said[-1] in ".。", key
                assert len(re.findall(r"。|\.(?= [A-Z]|$)", said)) == 1, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_glossary_prints_every_group(language):
    text = chapters(language)["glossary"]
    assert re.findall(r"{terms} (\w+)", text) == [*definitions()]
