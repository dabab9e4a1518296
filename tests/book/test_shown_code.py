"""What readers see of code: cells, sources on the page, numbers in print."""

import re

import pytest

from book.tools.plain import quote_source
from paths import ROOT
from preact.strings import LANGUAGES

CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.M | re.S)
INCLUDED = re.compile(r"^```\{literalinclude\} (\S+)\n(.*?)^```$", re.M | re.S)
# Equations that code names by number, and their labels.
NAMED = {"08-paths": {"true-paths"}}
CHAPTERS = sorted(
    path.stem for path in (ROOT / "book" / "en").glob("[01]*.md")
)


def chapter(language, name):
    return (ROOT / "book" / language / f"{name}.md").read_text("utf-8")


def test_a_cell_writes_percent_as_its_language_does():
    for name in CHAPTERS:
        for cell in CELL.findall(chapter("en", name)):
            assert not re.search(r":[^{}\"]*%\}", cell), cell


def test_code_names_an_equation_by_the_number_on_its_page():
    for name in ["01-why", *NAMED]:
        for language in LANGUAGES:
            text = chapter(language, name)
            labels = re.findall(r"^\$\$ \(([\w-]+)\)", text, re.M)
            number = {
                f"{int(name[:2])}.{i}": label
                for i, label in enumerate(labels, 1)
            }
            cells = "".join(CELL.findall(text))
            assert not re.search(r"(?:Equation|式) \([a-z]", cells)
            named = set(re.findall(r"(?:Equation|式) \((\d+\.\d+)\)", cells))
            assert {number[n] for n in named} == NAMED.get(name, set())


@pytest.mark.parametrize("label", ["bn", "bn-dx"])
def test_a_docstring_names_an_equation_by_its_number(label):
    labels = re.findall(r"^\$\$ \(([\w-]+)\)", chapter("en", "04-units"), re.M)
    source = (ROOT / "src/preact/reference/layers.py").read_text("utf-8")
    number = labels.index(label) + 1
    assert f"Chapter `04-units`, Eq. (4.{number})." in source
    assert f"Eq. ({label})" not in source


def test_code_on_a_page_says_nothing_to_the_type_checker():
    for name in CHAPTERS:
        for path, options in INCLUDED.findall(chapter("en", name)):
            shown = quote_source(ROOT / "book" / "en" / path, options)
            assert "type: ignore" not in shown, (path, options)
