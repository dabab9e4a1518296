"""The labs of chapter 12: one answer is right; no code gives it away."""

import re

import pytest

from conformance.reports import report_of
from paths import ROOT
from preact.book import setup
from preact.book.bugs import LABS, NOTHING, lab, source
from preact.book.bugs.zoo import MUTANTS
from preact.conformance import Verdict, probe
from preact.strings import LANGUAGES, Strings


def test_one_choice_is_answered_with_no_and_three_are_not():
    for name in LABS:
        asked, report = LABS[name], report_of(name)
        assert len(set(asked.choices)) == 4
        assert asked.whole == (NOTHING in asked.choices)
        wanted = {asked.answer} - {NOTHING}
        questions = {*asked.choices} - {NOTHING}
        no = {c for c in questions if report[c].verdict is Verdict.NO}
        assert no == wanted
        if name in MUTANTS:
            assert wanted <= MUTANTS[name].breaks
        yes = {c for c in questions if report[c].verdict is Verdict.YES}
        assert yes == questions - wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wrong_choice_is_told_why_it_is_not_broken(language):
    say = Strings(language)
    for asked in LABS.values():
        for other in asked.others:
            assert say(f"lab_why.{other}")


def test_three_labs_show_a_whole_file_and_one_of_them_is_right():
    whole = {name for name, asked in LABS.items() if asked.whole}
    assert len(whole) == 3
    assert len(whole - MUTANTS.keys()) == 1
    for name in whole:
        assert 50 <= len(source(name).splitlines()) <= 65


def test_the_code_has_neither_the_name_nor_the_docstring():
    for name in LABS:
        code = source(name)
        assert '"""' not in code
        assert "type: ignore" not in code
        compile(code, name, "exec")
        if name in MUTANTS:
            made = MUTANTS[name].make
            assert made.__name__ not in code
            assert made.__doc__ not in code


def test_a_whole_file_is_the_network_that_the_probe_has_seen():
    for name in (n for n, asked in LABS.items() if asked.whole):
        names = {}
        exec(source(name), names)
        make = names["PreNet" if name in MUTANTS else "with_identity"]
        shown = {f.property for f in probe(make()).faults}
        assert shown == {f.property for f in report_of(name).faults}


def test_no_cell_of_a_chapter_names_its_mutant():
    for language in LANGUAGES:
        page = ROOT / "book" / language / "12-find-the-bug.md"
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
