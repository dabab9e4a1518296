"""The glossary as a page: what a term means, and its names.

The directive {terms} prints a group of `book/definitions.toml`. An entry's
address is made from its English term, so that it is the same in every edition.
"""

import re
import tomllib
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.language import (
    foreign_characters,
    glossary,
    glossary_key,
    sections,
)
from book.tools.myst import chapters
from preact.strings import LANGUAGES, ORIGINAL

SOURCES = ("book/definitions.toml", "book/glossary.toml")
HAN = re.compile(r"[\u3400-\u9fff]")


def setup(app: Sphinx) -> None:
    """Add the directive."""
    app.add_directive("terms", Terms)


def address(term: dict[str, Any]) -> str:
    """Return the label of a term: term-residual-unit."""
    words = re.sub(r"[^a-z0-9]+", "-", term["en"].lower())
    return f"term-{words.strip('-')}"


@cache
def definitions() -> dict[str, dict[str, dict[str, str]]]:
    """Return what terms mean, by group and address."""
    return tomllib.loads((ROOT / SOURCES[0]).read_text("utf-8"))


@cache
def pages() -> dict[str, str]:
    """Return the page of each section."""
    return {
        label: page
        for page, text in chapters(ORIGINAL).items()
        for label in sections(text)
    }


def name_of(term: dict[str, Any], language: str) -> str:
    """Return a term as a reader says it: head, not head (of a network)."""
    return re.sub(r" \(.*\)", "", term[glossary_key(language)])


def also(term: dict[str, Any], language: str) -> list[str]:
    """Return what others call a term, in one language."""
    return [
        word
        for word in term.get("synonyms", ())
        if bool(HAN.search(word)) == (language != ORIGINAL)
        and not (language != ORIGINAL and foreign_characters(word, language))
    ]


class Terms(SphinxDirective):
    """The terms of one group, in the order of the file."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        for source in SOURCES:
            self.env.note_dependency(str(ROOT / source))
        terms = {address(term): term for term in glossary()["term"]}
        made = nodes.definition_list("", classes=["terms"])
        for key, meant in definitions()[self.arguments[0]].items():
            made += self.entry(terms[f"term-{key}"], meant)
        return [made]

    def entry(self, term: dict[str, Any], meant: dict[str, str]) -> nodes.Node:
        """Print a term, its symbol and meaning, and its other names."""
        own = language_of(self.env.app)
        words = WORDS[own]
        name = nodes.term("", name_of(term, own), ids=[address(term)])
        if symbol := meant.get("symbol"):
            name += [nodes.Text(" "), nodes.math(symbol, symbol)]
        at = meant["at"]
        number = re.match(r"\d+", pages()[at])
        link = f"{{ref}}`{at}`"
        if number:
            title = words["@term-chapter"].format(number=int(number[0]))
            link = f"{{ref}}`{title} <{at}>`"
        text = words["@term-said"].format(said=meant[own], link=link)
        body = nodes.definition()
        body += self.parse_text_to_nodes(text)
        names = nodes.paragraph(classes=["names"])
        for code in LANGUAGES:
            if code != own:
                names += nodes.inline(
                    "", name_of(term, code), lang=code, classes=["term"]
                )
                names += nodes.Text(" · ")
        names.pop()
        if others := also(term, own):
            said = words["@term-comma"].join(others)
            names += nodes.Text(words["@term-also"].format(names=said))
        body += names
        return nodes.definition_list_item("", name, body)
