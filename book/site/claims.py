"""Marks of claims in the text, and the pages that list them.

The role {claim}`id` prints a claim's kind as a badge in the page's language,
linked to its entry; the directive {ledger} lists the claims of one chapter,
each with its scope and its evidence.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book.site.words import WORDS, language_of
from book.tools.claims import (
    Claim,
    Scope,
    faults,
    ledgers,
    marked_tests,
    read_claims,
)

PAGE = "claims"


def setup(app: Sphinx) -> None:
    """Add role and directive; a book with a fault is not built."""
    app.add_role("claim", ClaimMark())
    app.add_directive("ledger", Ledger)
    app.connect("config-inited", refuse_faults)


def refuse_faults(app: Sphinx, config: Config) -> None:
    """Refuse to build a book whose claims lack their evidence."""
    if wrong := faults():
        raise ExtensionError("the claim ledger:\n" + "\n".join(wrong))


def depend_on_ledgers(env: BuildEnvironment) -> None:
    """Let a page be read again when a claim changes."""
    for path in ledgers():
        env.note_dependency(str(path))


class ClaimMark(SphinxRole):
    """The kind of a claim as a badge that leads to its evidence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        depend_on_ledgers(self.env)
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
        depend_on_ledgers(self.env)
        return [
            self.entry(claim)
            for claim in read_claims().values()
            if claim.chapter == self.arguments[0]
        ]

    def entry(self, claim: Claim) -> nodes.Node:
        """One claim: what it says, of what, on what evidence."""
        language, here = language_of(self.env.app), self.env.docname
        words = WORDS[language]
        rests_on = words["@semicolon"].join(evidence(claim, language))
        text = (
            f"{claim.says[language]}\n\n"
            f"{words['@claim-scope']}{scope(claim, words)}\n\n"
            f"{words['@claim-evidence']}{rests_on}"
        )
        box = nodes.container(
            "",
            *self.parse_text_to_nodes(text),
            classes=["claim-entry"],
            ids=[f"claim-{claim.id}"],
        )
        page = self.env.app.builder.get_relative_uri(here, claim.chapter)
        mark = badge(claim, words, f"{page}#said-{claim.id}")
        mark["reftitle"] = words["@claim-said"]
        statement: Any = box[0]
        statement.insert(0, [mark, nodes.Text(" ")])
        return box


def scope(claim: Claim, words: dict[str, str]) -> str:
    """Of what it speaks: network, data, rates, moment, seeds, assumptions."""
    given = claim.scope
    parts = [words[f"@network-{given.network}"]]
    if given.units:
        parts.append(words["@units"].format(given.units))
    if given.data:
        parts.append(words[f"@data-{given.data}"])
    if given.lr:
        rates = words["@list"].join(f"{lr:g}" for lr in given.lr)
        parts.append(words["@lr"].format(rates))
    if given.batch:
        parts.append(words["@batch"].format(given.batch))
    if isinstance(given.moment, int):
        parts.append(words["@moment-iteration"].format(given.moment))
    else:
        parts.append(words[f"@moment-{given.moment}"])
    parts += _seeds(given, words)
    for name in given.assumes:
        parts.append(words["@assumes"].format(words[f"@assumes-{name}"]))
    return words["@semicolon"].join(parts)


def _seeds(given: Scope, words: dict[str, str]) -> Iterator[str]:
    """On which networks a claim was found, and on which it is tested."""
    found, tested = given.seeds_found, given.seeds_tested
    if isinstance(found, tuple) and found == tested:
        yield words["@seeds-same"].format(_listed(found, words))
        return
    if found:
        yield words["@seeds-found"].format(_listed(found, words))
    if isinstance(tested, int):
        drawn = words["@seeds-drawn"].format(tested)
        yield words["@seeds-tested"].format(drawn)
    elif tested:
        yield words["@seeds-tested"].format(_listed(tested, words))


def _listed(seeds: int | tuple[int, ...], words: dict[str, str]) -> str:
    """How many seeds, or which."""
    if isinstance(seeds, int):
        return words["@seeds-looked"].format(seeds)
    listed = words["@list"].join(map(str, seeds))
    return words["@seeds-listed"].format(listed)


tests_of_claims = cache(marked_tests)  # once for all entries


def evidence(claim: Claim, language: str) -> Iterator[str]:
    """On what a claim rests, in Markdown with links."""
    words = WORDS[language]
    if claim.proof:
        yield f"{{ref}}`{words['@claim-proof']} <{claim.proof}>`"
    for test in tests_of_claims().get(claim.id, ()):
        yield f"`{test}`"
    for record in claim.record:
        yield f"{words['@claim-record']}`{record}`"
    if claim.source and claim.place:
        ((kind, number),) = claim.place.items()
        place = words[f"@place-{kind}"].format(number)
        yield f"{{footcite:t}}`{claim.source}`{words['@comma']}{place}"
    if claim.decided_by:
        yield words["@claim-decided-by"] + claim.decided_by[language]
