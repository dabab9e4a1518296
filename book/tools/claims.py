"""The claim ledger: what the book asserts, and on what evidence.

A room's `claims.toml`, `src/preact/book/*`, holds every claim that its chapter
marks with {claim}`id`; names in a scope stand in `book/site/ui_strings.yml`.
What is *proved* or *measured* has tests, which carry its id as a mark: those
of what is measured draw new networks, from the seeds of `tests/seeds.py`.
Tests of what is *recorded* read committed runs, and those of what is
*computed* do arithmetic on inputs that the scope names. What is *reported* or
*disputed* has a place in a publication; *our reading* says what would decide
it. `faults(root)` lists what does not hold; the build and a test refuse it.

    python -m book.tools.claims         print the faults
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from book.tools import ROOT
from book.tools.myst import chapters, directive, role, tokens
from preact.strings import LANGUAGES, ORIGINAL
from preact.typed import parse, typed

LEDGERS = "src/preact/book/*/claims.toml"
MOST = 150  # claims: one for each thing that a reader would tell somebody
# What each kind rests on; what is cited may have tests, too.
NEEDED = {
    "proved": {"proof", "tests"},
    "measured": {"tests"},
    "recorded": {"tests", "record"},
    "computed": {"tests"},
    "reported": {"source", "place"},
    "disputed": {"source", "place"},
    "reading": {"decided_by"},
}
EVIDENCE = set[str]().union(*NEEDED.values())
TRAINING = "data", "lr", "batch", "seeds_found", "seeds_tested"
RATE = {"en": "learning rate", "zh-Hans": "学习率", "zh-Hant": "學習率"}


def _in_all_languages(texts: dict[str, str]) -> dict[str, str]:
    """Refuse a text that an edition lacks."""
    if list(texts) != list(LANGUAGES):
        raise ValueError(f"must be in {', '.join(LANGUAGES)}")
    return texts


Texts = Annotated[dict[str, str], AfterValidator(_in_all_languages)]
# Networks: how many are drawn, or the seeds of recorded runs.
Seeds = Annotated[int, Field(ge=2)] | tuple[int, ...]
PLACES = Literal["section", "table", "figure", "abstract", "appendix", "file"]


@typed
class Scope:
    """Of what a claim speaks; names are those of `ui_strings.yml`."""

    network: str  # `@network-<name>` says it in words
    units: Annotated[int, Field(ge=2)] | None = None  # where it needs so many
    data: str | None = None  # what is trained on, `@data-<name>`
    lr: tuple[float, ...] = ()  # the rates at which it holds
    batch: int | None = None  # images, or windows of text, of a step
    moment: str | int  # an iteration, or `@moment-<name>`
    seeds_found: Seeds | None = None  # looked at when it was written
    seeds_tested: Seeds | None = None
    assumes: tuple[str, ...] = ()  # what is taken as given, `@assumes-<name>`


@typed
class Claim:
    """One sentence of the book that could be false."""

    id: str
    ledger: str  # the file that has it
    chapter: str  # a file name of `book/<language>` without suffix
    kind: Literal[
        "proved",
        "measured",
        "recorded",
        "computed",
        "reported",
        "disputed",
        "reading",
    ]
    says: Texts  # what is measured, as an inequality
    scope: Scope
    proof: str | None = None  # label of the section that derives it
    record: tuple[str, ...] = ()  # experiments, or places in the package
    source: str | None = None  # key in `references.bib`
    place: dict[PLACES, str | bool] | None = None  # in that publication
    decided_by: Texts | None = None  # the experiment that would


def read_claims(root: Path = ROOT) -> dict[str, Claim]:
    """Return the ledger by id, in its own order.

    Raises
    ------
    ValueError
        If an entry lacks a key, has one too many, or another kind of value,
        or stands in two files.
    """
    claims: dict[str, Claim] = {}
    for path in ledgers(root):
        ledger = path.relative_to(root).as_posix()
        own = _read(path.read_text("utf-8"), ledger)
        for name in claims.keys() & own.keys():
            raise ValueError(
                f"{ledger}: {claims[name].ledger} has {name}, too"
            )
        claims |= own
    return claims


def ledgers(root: Path = ROOT) -> list[Path]:
    """Return the files of claims, by room."""
    return sorted(root.glob(LEDGERS))


@cache
def _read(text: str, ledger: str) -> dict[str, Claim]:
    """Read a ledger once, however many marks ask for it."""
    return {
        name: parse(
            Claim,
            entry | {"id": name, "ledger": ledger},
            f"{ledger}: {name}",
        )
        for name, entry in tomllib.loads(text).items()
    }


MARK = re.compile(r'^@(?:pytest\.mark\.)?claim\("(.*)"\)|^def (\w+)', re.M)


def marked_tests(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the tests of each claim, as `path::name` below `tests`."""
    marked: dict[str, list[str]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        place = path.relative_to(root / "tests").as_posix()
        waiting: list[str] = []
        for claim, test in MARK.findall(path.read_text("utf-8")):
            if claim:
                waiting.append(claim)
                continue
            for name in waiting:
                marked.setdefault(name, []).append(f"{place}::{test}")
            waiting = []
    return marked


# ---------------------------------------------------------------- checks
def faults(root: Path = ROOT) -> list[str]:
    """Say what of the ledger does not hold; empty if all does."""
    claims, tests = read_claims(root), marked_tests(root)
    found = [
        line for one in claims.values() for line in _faults(one, tests, root)
    ]
    if len(claims) > MOST:
        found.append(
            f"the ledger: {len(claims)} claims; must be at most {MOST}:"
            " drop the mark of one that nobody would repeat"
        )
    for name in tests.keys() - claims.keys():
        found.append(f"{tests[name][0]}: no ledger has {name!r}")
    return [*found, *_mark_faults(claims, root)]


def _faults(
    claim: Claim, tests: dict[str, list[str]], root: Path
) -> Iterator[str]:
    """Say what is wrong with one entry by itself."""
    where = f"{claim.ledger}: {claim.id}"
    needed = NEEDED[claim.kind]
    given = {name for name in EVIDENCE - {"tests"} if getattr(claim, name)}
    if claim.id in tests:
        given.add("tests")
    if missing := needed - given:
        yield f"{where}: {claim.kind} needs {', '.join(sorted(missing))}"
    allowed = needed | ({"tests"} if "source" in needed else set())
    if odd := given - allowed:
        yield f"{where}: {claim.kind} cannot rest on {', '.join(sorted(odd))}"
    if claim.source:
        library = (root / "book/references.bib").read_text("utf-8")
        if f"{{{claim.source}," not in library:
            yield f"{where}: references.bib has no {claim.source!r}"
    for record in claim.record:
        if not _has_record(record, root):
            yield f"{where}: there are no records of {record!r}"
    yield from (f"{where}: {fault}" for fault in _scope_faults(claim))
    if claim.proof:
        text = chapters(ORIGINAL, root).get(claim.chapter, "")
        label = re.escape(claim.proof)
        if not re.search(rf"^\({label}\)=$", text, re.M):
            yield f"{where}: {claim.chapter} has no section {claim.proof!r}"


def _has_record(record: str, root: Path) -> bool:
    """Whether an experiment, or a place in the package, has records."""
    homes = ("results", "book", ".")  # the package's, the book's, another
    places = [root / "src/preact" / home / record for home in homes]
    return any(
        place.is_file() or any(place.rglob("*.json")) for place in places
    )


def _scope_faults(claim: Claim) -> Iterator[str]:
    """Say what a scope leaves out.

    What was trained at one learning rate says so in its own sentence.
    """
    scope = claim.scope
    if claim.kind == "computed" and not scope.assumes:
        yield "computed needs scope.assumes"
    if claim.kind not in ("measured", "recorded"):
        return
    trained = isinstance(scope.moment, int) and scope.moment > 0
    missing = [name for name in TRAINING if not getattr(scope, name)]
    if (trained or scope.lr) and missing:
        yield f"a claim about training needs scope.{', '.join(missing)}"
    if claim.kind == "measured" and isinstance(scope.seeds_tested, tuple):
        yield "seeds_tested of measured is how many the tests draw"
    if len(scope.lr) == 1:
        (lr,) = scope.lr
        for language, word in RATE.items():
            says = claim.says[language]
            if word not in says or f"{lr:g}" not in says:
                yield f"{language}: at one rate, so say `{word}` and {lr:g}"


def _mark_faults(claims: dict[str, Claim], root: Path) -> Iterator[str]:
    """Compare the marks in the chapters with the ledger."""
    for language in LANGUAGES:
        marked: dict[str, set[str]] = {}
        listed = set()
        for name, text in chapters(language, root).items():
            for token in tokens(text):
                if claim_id := role(token, "claim"):
                    marked.setdefault(claim_id, set()).add(name)
                elif (made := directive(token)) and made.name == "ledger":
                    listed.add(made.argument)
        for claim_id in sorted(marked.keys() - claims.keys()):
            for name in sorted(marked[claim_id]):
                yield f"{language}/{name}: no ledger has {claim_id!r}"
        for claim in claims.values():
            if claim.chapter not in marked.get(claim.id, ()):
                yield f"{language}/{claim.chapter}: no sentence is {claim.id}"
        for name in sorted({claim.chapter for claim in claims.values()}):
            if name not in listed:
                yield f"{language}: no page lists the claims of {name}"


def main() -> int:
    """Print the faults; return the exit code."""
    found = faults()
    print("\n".join(found) or f"{len(read_claims())} claims: no fault")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
