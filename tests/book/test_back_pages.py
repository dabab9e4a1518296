"""Pages made from data: plans of lessons, the glossary."""

import re

from book.site.glossary import address, definitions, pages
from book.site.lessons import read_lessons
from book.tools.language import chapters, glossary, sections
from book.tools.myst import directive, tokens
from preact.strings import LANGUAGES

CHAPTERS = chapters("en")


def test_a_plan_takes_its_hours_and_names_what_the_book_has():
    labels = {label for text in CHAPTERS.values() for label in sections(text)}
    exercises = {
        made.options["label"]
        for text in CHAPTERS.values()
        for token in tokens(text)
        if (made := directive(token)) and made.name == "exercise"
    }
    assert list(read_lessons()) == ["1", "2", "6"]
    for hours, steps in read_lessons().items():
        assert sum(step["minutes"] for step in steps) == 60 * int(hours)
        assert {step["section"] for step in steps} <= labels
        named = [one for step in steps for one in step.get("exercises", ())]
        assert set(named) <= exercises
        assert len(set(named)) == len(named) > 0


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
