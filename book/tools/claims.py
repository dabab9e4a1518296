"""The claim ledger: what the book asserts, and on what evidence.

`book/claims.toml` holds every claim that a chapter marks with {claim}`id`.
What is *proved* or *measured* here has tests that carry its id; what is
*reported* or *disputed* has a place in a publication; *our reading* says what
would decide it. `faults(root)` lists what does not hold; the build and a test
refuse it.
"""

import ast
import re
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

LEDGER = "book/claims.toml"
# What each kind rests on, and what it may name besides.
NEEDED = {
    "proved": {"proof", "tests"},
    "measured": {"tests"},
    "reported": {"source", "place"},
    "disputed": {"source", "place"},
    "reading": {"decided_by"},
}
ALLOWED = {
    "measured": {"record"},
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


class Scope(_Data):
    """Of what a claim speaks; names are those of `ui_strings.yml`.

    Parameters
    ----------
    network : str
        `@network-<name>` says it in words.
    units : int, optional
        How many, where the claim holds for this depth.
    at : str or int
        The point in time: an iteration, or a name, `@at-<name>`.
    seeds : int, optional
        How many networks were drawn; none where nothing is random.
    """

    network: str
    units: int | None = Field(default=None, ge=2)
    at: str | int
    seeds: int | None = Field(default=None, ge=2)


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
    chapter : str
        Where it is made: a file name of `book/<language>` without suffix.
    says : dict of str
        The sentence by language; what is measured, as an inequality.
    proof : str, optional
        Label of the section that derives it.
    tests : list of str
        `path::name` below `tests`; each fails if the claim is false.
    record : str, optional
        Experiment whose records the tests read.
    source, place : optional
        Key in `references.bib`, and where it stands there.
    decided_by : dict of str, optional
        The experiment that would decide it, by language.
    """

    id: str
    chapter: str
    kind: Literal["proved", "measured", "reported", "disputed", "reading"]
    says: Texts
    scope: Scope
    proof: str | None = None
    tests: tuple[str, ...] = ()
    record: str | None = None
    source: str | None = None
    place: Place | None = None
    decided_by: Texts | None = None

    @property
    def evidence(self) -> set[str]:
        """Names of the evidence that is given."""
        names = {"record"}.union(*NEEDED.values())
        return {name for name in names if getattr(self, name)}


def read_claims(root: Path = ROOT) -> dict[str, Claim]:
    """Return the ledger by id, in its own order.

    Raises
    ------
    ValueError
        If an entry lacks a key, has one too many, or another kind of value.
    """
    return dict(_read((root / LEDGER).read_text("utf-8")))


def count_kinds(root: Path = ROOT) -> dict[str, int]:
    """Count the claims of each kind, in the order of the kinds."""
    kinds = [str(claim.kind) for claim in read_claims(root).values()]
    return {kind: kinds.count(kind) for kind in NEEDED}


@cache
def _read(text: str) -> dict[str, Claim]:
    """Read a ledger once, however many marks ask for it."""
    entries = tomllib.loads(text)
    return {name: _claim(name, entry) for name, entry in entries.items()}


def _claim(name: str, entry: dict[str, Any]) -> Claim:
    """Build one claim; one line says what is wrong with it."""
    try:
        return Claim(id=name, **entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(
            f"{LEDGER}: {name}: {place}: {first['msg']}; "
            f"got {first['input']!r}"
        ) from None


# ---------------------------------------------------------------- checks
def faults(root: Path = ROOT) -> list[str]:
    """Say what of the ledger does not hold; empty if all does."""
    claims = read_claims(root)
    return [
        *(line for claim in claims.values() for line in _faults(claim, root)),
        *_mark_faults(claims, root),
        *_test_faults(claims, root),
    ]


def _faults(claim: Claim, root: Path) -> Iterator[str]:
    """Say what is wrong with one entry by itself."""
    where = f"{LEDGER}: {claim.id}"
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
    if claim.record:
        folder = root / "src/preact/results" / claim.record
        if not any(folder.rglob("seed-*.json")):
            yield f"{where}: there are no records of {claim.record!r}"
    if claim.proof:
        text = chapters(ORIGINAL, root).get(claim.chapter, "")
        label = re.escape(claim.proof)
        if not re.search(rf"^\({label}\)=$", text, re.M):
            yield f"{where}: {claim.chapter} has no section {claim.proof!r}"


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
                yield f"{language}/{name}: {LEDGER} has no claim {claim_id!r}"
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
            where = f"{LEDGER}: {claim.id}"
            if test not in marks:
                yield f"{where}: there is no test {test}"
            elif claim.id not in marks[test]:
                yield f'{where}: {test} lacks @pytest.mark.claim("{claim.id}")'
    for test, names in marks.items():
        for name in names:
            if name not in claims:
                yield f"{test}: {LEDGER} has no claim {name!r}"
            elif test not in claims[name].tests:
                yield f"{test}: {LEDGER} does not name it under {name!r}"


def marked_tests(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the claims that each test function is marked with.

    Returns
    -------
    dict
        `path::name` below `tests` to ids; an empty list without a mark.
    """
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
