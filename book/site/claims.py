"""Marks of claims in the text, and the pages that list them.

The role {claim}`id` prints a claim's kind as a badge in the page's language,
linked to its entry; the directive {ledger} lists the claims of one chapter,
each with its scope and its evidence. {claim-counts} counts them by kind, and
{ledger-filter} is the place of a form that a script makes: without a script
the whole ledger stands there.
"""

import json
import os
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.claims import (
    LEDGER,
    NEEDED,
    Claim,
    count_kinds,
    faults,
    read_claims,
)

PAGE = "claims"
FILTER_WORDS = (
    *("label", "words", "kind", "chapter", "any", "count", "none", "clear"),
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Add role and directive; a book with a fault is not built."""
    app.add_role("claim", ClaimMark())
    app.add_directive("ledger", Ledger)
    app.add_directive("claim-counts", ClaimCounts)
    app.add_directive("ledger-filter", LedgerFilter)
    app.connect("config-inited", refuse_faults)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def refuse_faults(app: Sphinx, config: Config) -> None:
    """Refuse to build a book whose claims lack their evidence."""
    if wrong := faults():
        raise ExtensionError("the claim ledger:\n" + "\n".join(wrong))


class ClaimMark(SphinxRole):
    """The kind of a claim as a badge that leads to its evidence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        self.env.note_dependency(str(ROOT / LEDGER))
        claim = read_claims()[self.text]  # that it is there, was checked
        words = WORDS[language_of(self.env.app)]
        here = self.env.docname
        page = self.env.app.builder.get_relative_uri(here, PAGE)
        mark = badge(claim, words, f"{page}#claim-{claim.id}")
        mark["reftitle"] = words["@claim-title"].format(
            kind=words[f"@claim-{claim.kind}"], scope=scope(claim, words)
        )
        first = self.env.temp_data.setdefault("claims", {})
        if first.setdefault(claim.id, mark) is mark:
            mark["ids"] = [f"said-{claim.id}"]  # the ledger leads back here
        return [mark], []


def badge(claim: Claim, words: dict[str, str], link: str) -> nodes.reference:
    """Return the kind of a claim as a link."""
    return nodes.reference(
        "",
        words[f"@claim-{claim.kind}"],
        internal=True,
        refuri=link,
        classes=["claim-mark", f"claim-{claim.kind}"],
    )


class Ledger(SphinxDirective):
    """The claims of the chapter that is named, in their order."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(ROOT / LEDGER))
        return [
            self.entry(claim)
            for claim in read_claims().values()
            if claim.chapter == self.arguments[0]
        ]

    def entry(self, claim: Claim) -> nodes.Node:
        """One claim: what it says, of what, on what evidence."""
        language, here = language_of(self.env.app), self.env.docname
        words = WORDS[language]
        rests_on = evidence(claim, language, Path(self.env.doc2path(here)))
        lines = [
            claim.says[language],
            "",
            words["@claim-scope"] + scope(claim, words),
            "",
            words["@claim-evidence"] + words["@semicolon"].join(rests_on),
        ]
        box = nodes.container(
            classes=["claim-entry"], ids=[f"claim-{claim.id}"]
        )
        content = StringList(lines, source=LEDGER)
        self.state.nested_parse(content, self.content_offset, box)
        page = self.env.app.builder.get_relative_uri(here, claim.chapter)
        mark = badge(claim, words, f"{page}#said-{claim.id}")
        mark["reftitle"] = words["@claim-said"]
        statement: Any = box[0]
        statement.insert(0, [mark, nodes.Text(" ")])
        return box


class ClaimCounts(SphinxDirective):
    """How many claims there are of each kind, linked to just these."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(ROOT / LEDGER))
        words = WORDS[language_of(self.env.app)]
        page = self.env.app.builder.get_relative_uri(self.env.docname, PAGE)
        row: list[nodes.Node] = []
        for kind, n in count_kinds().items():
            link = nodes.reference(
                "",
                words[f"@claim-{kind}"],
                internal=True,
                refuri=f"{page}?ledger.kind={kind}",
                classes=["claim-count", f"claim-{kind}"],
            )
            row += [
                link,
                nodes.Text(f"\N{NO-BREAK SPACE}{n}"),
                nodes.Text(words["@list"]),
            ]
        made = nodes.paragraph("", "", *row[:-1], classes=["claim-counts"])
        return [made]


class LedgerFilter(SphinxDirective):
    """The place of the form that narrows the ledger; empty without it."""

    def run(self) -> list[nodes.Node]:
        words = WORDS[language_of(self.env.app)]
        data = {name: words[f"@filter-{name}"] for name in FILTER_WORDS}
        data |= {kind: words[f"@claim-{kind}"] for kind in NEEDED}
        text = escape(json.dumps(data, ensure_ascii=False), quote=True)
        html = f'<div class="preact-ledger-filter" data-words="{text}"></div>'
        return [nodes.raw("", html, format="html")]


def scope(claim: Claim, words: dict[str, str]) -> str:
    """Of which network, at which time and of how many seeds it speaks."""
    given = claim.scope
    parts = [words[f"@network-{given.network}"]]
    if given.units:
        parts.append(words["@units"].format(given.units))
    if isinstance(given.at, int):
        parts.append(words["@at-iteration"].format(given.at))
    else:
        parts.append(words[f"@at-{given.at}"])
    if given.seeds:
        parts.append(words["@seeds"].format(given.seeds))
    return words["@comma"].join(parts)


def evidence(claim: Claim, language: str, page: Path) -> Iterator[str]:
    """On what a claim rests, in Markdown with links."""
    words = WORDS[language]
    if claim.proof:
        yield f"{{ref}}`{words['@claim-proof']} <{claim.proof}>`"
    for test in claim.tests:
        path, name = test.split("::")
        link = os.path.relpath(ROOT / "tests" / path, page.parent)
        yield f"{{download}}`{name} <{link}>`"
    if claim.record:
        yield f"{words['@claim-record']}`{claim.record}`"
    if claim.source and claim.place:
        ((kind, number),) = claim.place.model_dump(exclude_none=True).items()
        place = words[f"@place-{kind}"].format(number)
        yield f"{{footcite:t}}`{claim.source}`{words['@comma']}{place}"
    if claim.decided_by:
        yield words["@claim-decided-by"] + claim.decided_by[language]
