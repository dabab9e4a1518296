"""Plans of lessons, the glossary."""

import re

import pytest

from book.site.glossary import address, definitions, name_of, pages
from book.tools.language import chapters, glossary, sections
from preact.strings import LANGUAGES

CHAPTERS = chapters("en")
NUMBERED = [name for name in CHAPTERS if name[0].isdigit()]
SECTIONS = {
    label: part
    for text in CHAPTERS.values()
    for label, part in sections(text).items()
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_takes_its_time(language):
    """The rows before the sum, and the sum."""
    plans = chapters(language)["teachers"].split("\n## ")[1:]
    told = [re.findall(r"^\| (\**)(\d+)", plan, re.M) for plan in plans]
    minutes = [
        sum(int(number) for bold, number in rows if not bold)
        for rows in told
        if rows
    ]
    assert minutes == [20, 60, 120, 360]
    assert minutes == [int(rows[-1][1]) for rows in told if rows]


def test_every_definition_is_one_sentence_of_a_term_in_each_language():
    known = {address(term) for term in glossary()["term"]}
    found = [one for group in definitions().values() for one in group]
    assert {f"term-{key}" for key in found} <= known
    assert len(set(found)) == len(found) >= 45
    for group in definitions().values():
        for key, meant in group.items():
            assert meant["at"] in pages(), key
            rest = meant.keys() - {"at", "word", "symbol"}
            assert rest == set(LANGUAGES), key
            for language in LANGUAGES:
                said = meant[language]
                assert said[-1] in ".。", key
                assert len(re.findall(r"。|\.(?= [A-Z]|$)", said)) == 1, key


def test_a_term_is_defined_where_it_is_first_emphasized():
    terms = {address(term): term for term in glossary()["term"]}
    wrong = {}
    for group in definitions().values():
        for key, meant in group.items():
            name = meant.get("word", name_of(terms[f"term-{key}"], "en"))
            said = re.escape(name).replace("\\ ", r"\s+")
            here = SECTIONS[meant["at"]]
            listed = re.search(rf"(?im)^{said}\n: ", here)
            marked = re.compile(rf"(?i)\*{said}(?:s|es)?[.,]?\*")
            first = next(
                (n for n in NUMBERED if marked.search(CHAPTERS[n])), ""
            )
            page = pages()[meant["at"]]
            right = first in ("", page) or (listed and page < first)
            if not right or not re.search(f"(?i){said}", here):
                wrong[key] = meant["at"], first
    assert not wrong
