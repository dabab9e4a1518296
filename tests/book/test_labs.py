"""The labs of chapter 11: one answer is right; no code gives it away."""

import re

import pytest

from conformance.reports import report_of
from paths import ROOT
from preact.book import setup
from preact.book.bugs import LABS, different_size, lab, source
from preact.conformance import Verdict
from preact.conformance.zoo import MUTANTS
from preact.strings import LANGUAGES

EACH_LAB = pytest.mark.parametrize("name", LABS)


def test_there_are_at_least_ten_labs():
    assert len(LABS) >= 10


def test_one_choice_is_answered_with_no_and_three_are_not():
    for name in LABS:
        asked, report = LABS[name], report_of(name)
        assert len(set(asked.choices)) == 4
        no = {c for c in asked.choices if report[c].verdict is Verdict.NO}
        assert no == {asked.answer}
        assert asked.answer in MUTANTS[name].breaks
        yes = {c for c in asked.choices if report[c].verdict is Verdict.YES}
        assert yes == set(asked.others)


def test_the_code_has_neither_the_name_nor_the_docstring():
    for name in LABS:
        code, made = source(name), MUTANTS[name].make
        assert code.startswith("class Network(")
        assert made.__name__ not in code
        assert made.__doc__ not in code
        assert '"""' not in code
        assert "type: ignore" not in code
        compile(code, name, "exec")


def test_no_cell_of_a_chapter_names_its_mutant():
    for language in LANGUAGES:
        page = ROOT / "book" / language / "11-find-the-bug.md"
        asked = re.findall(r"^lab\((.*)\)$", page.read_text("utf-8"), re.M)
        assert asked == [str(n) for n in range(1, len(LABS) + 1)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_script_code_question_and_report_are_on_the_page(language):
    say = setup(language)
    markup = lab(3)._repr_html_()
    assert say("lab.ask") in markup
    assert say("probe_ask.identity-shortcut") in markup
    assert "<code>x + F</code>" in markup
    assert say("lab.repaired", all=17) in markup
    setup("en")


@pytest.mark.slow
def test_a_doubled_stem_shows_in_the_size_and_a_detached_shortcut_does_not():
    assert "doubled-stem" in different_size()
    assert "detached-shortcut" not in different_size()
