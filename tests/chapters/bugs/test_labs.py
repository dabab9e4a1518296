"""The labs of chapter 12: one answer is right; no code gives it away."""

import json
import re
from html import unescape

from conformance.reports import report_of
from paths import ROOT
from preact.book.bugs import LABS, NOTHING, lab, report_lines, source
from preact.book.bugs.zoo import MUTANTS
from preact.conformance import Verdict, probe
from preact.strings import LANGUAGES


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


def test_each_wrong_choice_has_its_reason_and_the_report_the_answer():
    for number, (name, asked) in enumerate(LABS.items(), 1):
        page = lab(number)._repr_html_()
        (packed,) = re.findall("data-lab='(.*?)'", page)
        data = json.loads(unescape(packed))
        assert {*data["why"]} == {*data["choices"]} - {data["answer"]}
        assert len({*data["why"].values()}) == 3
        shown = unescape(page.partition('<details class="report">')[2])
        for told in report_lines(name):
            for line in told:
                assert line.replace("`", "") in re.sub("<.*?>", "", shown)
        assert bool(data["plan"]) == (not asked.whole)  # a stack of its own


def test_no_cell_of_a_chapter_names_its_mutant():
    for language in LANGUAGES:
        page = ROOT / "book" / language / "12-find-the-bug.md"
        asked = re.findall(r"^lab\((.*)\)$", page.read_text("utf-8"), re.M)
        assert asked == [str(n) for n in range(1, len(LABS) + 1)]
