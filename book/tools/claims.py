"""The claim ledger: what the book asserts, and on what evidence.

A room's `claims.toml`, `src/preact/book/*`, holds every claim that its chapter
marks with {claim}`id`; names in a scope stand in `book/site/ui_strings.yml`.
What is *proved* or *measured* has tests that carry its id: those of what is
measured draw new networks, from the seeds of `tests/seeds.py`. Tests of what
is *recorded* read committed runs, and those of what is *computed* do
arithmetic on inputs that the scope names. What is *reported* or *disputed* has
a place in a publication; *our reading* says what would decide it.
`faults(root)` lists what does not hold; the build and a test refuse it.

    python -m book.tools.claims         print the faults
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
)

from book.tools import ROOT
from book.tools.myst import chapters, directive, role, tokens
from preact.strings import LANGUAGES, ORIGINAL

LEDGERS = "src/preact/book/*/claims.toml"
MOST = 150  # claims: one for each thing that a reader would tell somebody
# What each kind rests on, and what it may name besides.
NEEDED = {
    "proved": {"proof", "tests"},
    "measured": {"tests"},
    "recorded": {"tests", "record"},
    "computed": {"tests"},
    "reported": {"source", "place"},
    "disputed": {"source", "place"},
    "reading": {"decided_by"},
}
ALLOWED = {
    "reported": {"tests"},
    "disputed": {"tests"},
}


def _in_all_languages(texts: dict[str, str]) -> dict[str, str]:
    """Refuse a text that an edition lacks."""
    if list(texts) != list(LANGUAGES):
        raise ValueError(f"must be in {', '.join(LANGUAGES)}")
    return texts


Texts = Annotated[dict[str, str], AfterValidator(_in_all_languages)]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Seeds = Annotated[int, Field(ge=2)] | tuple[int, ...]


class Scope(_Data):
    """Of what a claim speaks; names are those of `ui_strings.yml`.

    Parameters
    ----------
    network : str
        `@network-<name>` says it in words.
    units : int, optional
        How many, where the claim holds for this depth.
    data : str, optional
        What is trained on, `@data-<name>`.
    lr : list of float
        The learning rates at which it holds.
    batch : int, optional
        Images, or windows of text, of a step.
    moment : str or int
        The point in time: an iteration, or a name, `@moment-<name>`.
    seeds_found, seeds_tested : int or list of int, optional
        The networks that were looked at when the sentence was written, and
        those that test it: how many, where tests draw them anew, or the seeds
        of recorded runs; none where nothing is random.
    assumes : list of str
        What a computed claim takes as given, `@assumes-<name>`.
    """

    network: str
    units: int | None = Field(default=None, ge=2)
    data: str | None = None
    lr: tuple[float, ...] = ()
    batch: int | None = None
    moment: str | int
    seeds_found: Seeds | None = None
    seeds_tested: Seeds | None = None
    assumes: tuple[str, ...] = ()

    @property
    def missing_of_training(self) -> list[str]:
        """What a claim about training must say, and this one does not."""
        return [
            name
            for name in (
                *("data", "lr", "batch"),
                *("seeds_found", "seeds_tested"),
            )
            if not getattr(self, name)
        ]


class Place(_Data):
    """Where in a publication; exactly one of these."""

    section: str | None = None
    table: str | None = None
    figure: str | None = None
    abstract: bool | None = None
    appendix: bool | None = None
    file: str | None = None


class Claim(_Data):
    """One sentence of the book that could be false.

    Parameters
    ----------
    ledger : str
        The file that has it.
    chapter : str
        Where it is made: a file name of `book/<language>` without suffix.
    says : dict of str
        The sentence by language; what is measured, as an inequality.
    proof : str, optional
        Label of the section that derives it.
    tests : list of str
        `path::name` below `tests`; each fails if the claim is false.
    record : list of str
        Experiments whose records the tests read; or a file, or a folder of
        records, below `src/preact` or `src/preact/book`.
    source, place : optional
        Key in `references.bib`, and where it stands there.
    decided_by : dict of str, optional
        The experiment that would decide it, by language.
    """

    id: str
    ledger: str
    chapter: str
    kind: Literal[
        "proved",
        "measured",
        "recorded",
        "computed",
        "reported",
        "disputed",
        "reading",
    ]
    says: Texts
    scope: Scope
    proof: str | None = None
    tests: tuple[str, ...] = ()
    record: tuple[str, ...] = ()
    source: str | None = None
    place: Place | None = None
    decided_by: Texts | None = None

    @property
    def evidence(self) -> set[str]:
        """Names of the evidence that is given."""
        names = set[str]().union(*NEEDED.values())
        return {name for name in names if getattr(self, name)}


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
        own = _read(path.read_text("utf-8"), path.relative_to(root).as_posix())
        for name in claims.keys() & own.keys():
            first = claims[name].ledger
            raise ValueError(f"{own[name].ledger}: {first} has {name}, too")
        claims |= own
    return claims


def ledgers(root: Path = ROOT) -> list[Path]:
    """Return the files of claims, by room."""
    return sorted(root.glob(LEDGERS))


def count_kinds(root: Path = ROOT) -> dict[str, int]:
    """Count the claims of each kind, in the order of the kinds."""
    kinds = [str(claim.kind) for claim in read_claims(root).values()]
    return {kind: kinds.count(kind) for kind in NEEDED}


@cache
def _read(text: str, ledger: str) -> dict[str, Claim]:
    """Read a ledger once, however many marks ask for it."""
    entries = tomllib.loads(text)
    return {n: _claim(n, ledger, entry) for n, entry in entries.items()}


def _claim(name: str, ledger: str, entry: dict[str, Any]) -> Claim:
    """Build one claim; one line says what is wrong with it."""
    try:
        return Claim(id=name, ledger=ledger, **entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"{ledger}: {name}: {place}: {first['msg']}; "
            f"got {first['input']!r}"
        ) from None


# ---------------------------------------------------------------- checks
def faults(root: Path = ROOT) -> list[str]:
    """Say what of the ledger does not hold; empty if all does."""
    claims = read_claims(root)
    return [
        *_too_many(claims),
        *(line for claim in claims.values() for line in _faults(claim, root)),
        *_mark_faults(claims, root),
        *_test_faults(claims, root),
    ]


def _too_many(claims: dict[str, Claim]) -> Iterator[str]:
    """Refuse a ledger that nobody would read."""
    if len(claims) > MOST:
        yield f"the ledger: {len(claims)} claims; must be at most {MOST}"


def _faults(claim: Claim, root: Path) -> Iterator[str]:
    """Say what is wrong with one entry by itself."""
    where = f"{claim.ledger}: {claim.id}"
    needed = NEEDED[claim.kind]
    allowed = needed | ALLOWED.get(claim.kind, set())
    if missing := needed - claim.evidence:
        yield f"{where}: {claim.kind} needs {', '.join(sorted(missing))}"
    if odd := claim.evidence - allowed:
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


# Where records lie: the package's own, the book's, or another place in it.
HOMES = ("results", "book", ".")


def _has_record(record: str, root: Path) -> bool:
    """Whether an experiment, or a place in the package, has records."""
    places = [root / "src/preact" / home / record for home in HOMES]
    return any(
        place.is_file() or any(place.rglob("*.json")) for place in places
    )


RATE = {"en": "learning rate", "zh-Hans": "学习率", "zh-Hant": "學習率"}


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
    if (trained or scope.lr) and (missing := scope.missing_of_training):
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


def _test_faults(claims: dict[str, Claim], root: Path) -> Iterator[str]:
    """Compare the marks of the tests with the ledger, both ways."""
    marks = marked_tests(root)
    for claim in claims.values():
        for test in claim.tests:
            where = f"{claim.ledger}: {claim.id}"
            if test not in marks:
                yield f"{where}: there is no test {test}"
            elif claim.id not in marks[test]:
                yield f'{where}: {test} lacks @pytest.mark.claim("{claim.id}")'
    for test, names in marks.items():
        for name in names:
            if name not in claims:
                yield f"{test}: no ledger has {name!r}"
            elif test not in claims[name].tests:
                ledger = claims[name].ledger
                yield f"{test}: {ledger} does not name it under {name!r}"


def marked_tests(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the claims of each test, by `path::name` below `tests`."""
    marks = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        place = path.relative_to(root / "tests").as_posix()
        for name, ids in _marked(path.read_text("utf-8")):
            marks[f"{place}::{name}"] = list(ids)
    return marks


@cache
def _marked(source: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return names and claims of the test functions in one file."""
    return tuple(
        (node.name, tuple(_marks(node)))
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )


def _marks(function: ast.FunctionDef) -> Iterator[str]:
    """Ids in the decorators `claim("id")` of a test."""
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and (
            ast.unparse(mark.func) in ("claim", "pytest.mark.claim")
        ):
            yield from (str(ast.literal_eval(name)) for name in mark.args)


def main() -> int:
    """Print the faults; return the exit code."""
    found = faults()
    print("\n".join(found) or f"{len(read_claims())} claims: no fault")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
