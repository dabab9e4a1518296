"""The glossary as a page: each term in three languages, with its chapter.

The directive {terms} lists `book/glossary.toml`. An entry's address is made
from its English term, so that it is the same in every edition.
"""

import re
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.language import glossary, glossary_key
from preact.strings import LANGUAGES

SOURCE = "book/glossary.toml"


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("terms", Terms)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def address(term: dict[str, Any]) -> str:
    """Return the label of a term: term-residual-unit."""
    words = re.sub(r"[^a-z0-9]+", "-", term["en"].lower())
    return f"term-{words.strip('-')}"


class Terms(SphinxDirective):
    """Every term, in the alphabetical order of English."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(ROOT / SOURCE))
        terms = sorted(
            glossary()["term"], key=lambda term: str(term["en"]).lower()
        )
        made = nodes.definition_list("", *map(self.entry, terms))
        made["classes"].append("terms")
        return [made]

    def entry(self, term: dict[str, Any]) -> nodes.Node:
        """One term: in the page's language first, then in the others."""
        own = language_of(self.env.app)
        words = WORDS[own]
        name = nodes.term("", term[glossary_key(own)], ids=[address(term)])
        others = [code for code in LANGUAGES if code != own]
        said = nodes.paragraph()
        for code in others:
            if said.children:
                said += nodes.Text(" · ")
            said += nodes.inline(
                "", term[glossary_key(code)], lang=code, classes=["term"]
            )
        body = nodes.definition("", said)
        lines = []
        if defined := term.get("definition", {}).get(own):
            lines += [defined, ""]
        if chapter := term.get("chapter"):
            lines += [f"{words['@term-defined']}{{doc}}`{chapter}`"]
        if lines:
            content = StringList(lines, source=SOURCE)
            self.state.nested_parse(content, self.content_offset, body)
        return nodes.definition_list_item("", name, body)
