"""Pages made from data: plans of lessons, the glossary."""

import re
from itertools import accumulate

import pytest
import small_book
from bs4 import BeautifulSoup

from book.site.glossary import address, definitions, name_of, pages
from book.site.lessons import read_lessons
from book.tools.language import chapters, glossary, sections
from book.tools.myst import directive, tokens
from book.words import WORDS
from preact.strings import LANGUAGES

CHAPTERS = chapters("en")
NUMBERED = [name for name in CHAPTERS if name[0].isdigit()]
PLANS = read_lessons()
SECTIONS = {
    label: part
    for text in CHAPTERS.values()
    for label, part in sections(text).items()
}
GUESS = re.compile(r"^ *(predict|rank_table_1|race)\(", re.MULTILINE)
STEPS = re.compile(r"^(\$\$|1\. )", re.MULTILINE)  # a formula, or in steps


def cells(label):
    """The cells of a section, with their options."""
    made = (directive(token) for token in tokens(SECTIONS[label]))
    return [one for one in made if one and one.name == "code-cell"]


def test_a_plan_takes_its_hours_and_names_what_the_book_has():
    exercises = {
        made.options["label"]
        for text in CHAPTERS.values()
        for token in tokens(text)
        if (made := directive(token)) and made.name == "exercise"
    }
    assert list(PLANS) == ["1", "2", "6"]
    for hours, steps in PLANS.items():
        minutes = [step["minutes"] for step in steps]
        assert sum(minutes) == 60 * int(hours)
        assert set(range(60, sum(minutes), 60)) <= set(accumulate(minutes))
        assert {step["section"] for step in steps} <= SECTIONS.keys()
        named = [one for step in steps for one in step.get("exercises", ())]
        assert set(named) <= exercises
        assert len(set(named)) == len(named) > 0


@pytest.mark.parametrize("hours", PLANS)
def test_the_sections_of_a_plan_have_what_it_asks_for(hours):
    for step in PLANS[hours]:
        label, named = step["section"], step.get("exercises", ())
        code = "\n".join(cell.body for cell in cells(label))
        tags = [cell.options.get("tags", "") for cell in cells(label)]
        has = {
            "predict": GUESS.search(code),
            "derive": STEPS.search(SECTIONS[label]),
            "measure": "" in tags,  # a cell that stands open
            "lab": "lab(" in code,
            "solve": named,
        }
        assert has.get(step["do"], True), label
        chapter = label.split("-")[0]
        assert {one.split("-")[0] for one in named} <= {chapter}, label


@pytest.mark.parametrize("hours", PLANS)
def test_a_plan_derives_first_what_it_needs(hours):
    steps = [s for s in PLANS[hours] if s["minutes"]]
    order = [s["section"] for s in steps]
    assert order == sorted(order, key=list(SECTIONS).index)
    assert order.index("signal-real") < order.index("gradient-five")
    place = {e: s["section"] for s in steps for e in s.get("exercises", ())}
    assert place["gradient-3"] == "gradient-open"


@pytest.mark.parametrize("edition", LANGUAGES)
def test_a_plan_prints_the_numbers_of_its_sections(tmp_path, edition):
    labels = {step["section"] for step in PLANS["2"]}
    named = [e for step in PLANS["2"] for e in step.get("exercises", ())]
    chapter = "\n".join(f"({one})=\n## Name\n" for one in sorted(labels))
    sources = {
        "index.md": "# Book\n\n```{toctree}\n:numbered:\none\n```\n\n"
        "```{toctree}\nteachers\n```\n",
        "one.md": f"# One\n\n{chapter}\n"
        + "\n".join(f"({one})=\n### {one}\n" for one in named),
        "teachers.md": "# Plans\n\n```{lesson-plan} 2\n```\n",
    }
    extensions = ["myst_nb", "book.site.lessons", "book.site.sections"]
    pages, warnings = small_book.build(tmp_path, edition, sources, extensions)
    assert not warnings
    printed = BeautifulSoup(pages["teachers"], "html.parser").table
    for n, label in enumerate(sorted(labels), 1):
        links = printed.select(f'a[href="one.html#{label}"]')
        assert {link.text for link in links} == {f"1.{n} Name"}
    hour = WORDS[edition]["@lesson-hour"].format(2)
    assert hour in printed.text


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
