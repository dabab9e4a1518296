"""The gates of claims, language and parity: what each of them sees."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from book.tools import claims, language, parity
from paths import ROOT
from preact.strings import LANGUAGES
from sampled import sampled

GATES = {
    "claims": claims.faults,
    "language": language.problems,
    "parity": parity.differences,
}
SPOILED = tomllib.loads(
    Path(__file__).with_name("spoiled.toml").read_text("utf-8")
)
CASES = [(gate, case) for gate, cases in SPOILED.items() for case in cases]
LEDGER = "src/preact/book/*/claims.toml"


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The parts of the tree that the gates read."""
    root = tmp_path_factory.mktemp("tree")
    for name in ("book", "tests", "src/preact/book", "src/preact/strings"):
        shutil.copytree(ROOT / name, root / name)
    for room in (ROOT / "src/preact").iterdir():
        if not (copy := root / "src/preact" / room.name).exists():
            copy.symlink_to(room)
    return root


@pytest.fixture
def spoil(copied):
    """Change a file of the copy; it is mended when the test is over."""
    kept = {}

    def spoiled(file, old, new, **_):
        path = next(
            path
            for path in sorted(copied.glob(file))
            if old in path.read_text("utf-8")
        )
        kept.setdefault(path, path.read_text("utf-8"))
        text = path.read_text("utf-8")
        path.write_text(text.replace(old, new), "utf-8")
        return copied

    yield spoiled
    for path, text in kept.items():
        path.write_text(text, "utf-8")


@pytest.mark.parametrize("gate", GATES)
def test_the_book_passes(gate):
    assert GATES[gate](ROOT) == []


@pytest.mark.parametrize(("gate", "case"), [*sampled(CASES, 8)])
def test_a_gate_sees_every_kind_of_fault(spoil, gate, case):
    assert any(case["says"] in line for line in GATES[gate](spoil(**case)))


# ------------------------------------------------------------------ the ledger
def test_a_claim_is_said_and_its_scope_is_named_in_every_language():
    from book.site.claims import scope
    from book.site.words import WORDS

    for claim in claims.read_claims().values():
        for edition in LANGUAGES:
            assert claim.says[edition].strip()[-1] in ".。"
            assert scope(claim, WORDS[edition])


def test_a_ledger_that_nobody_would_read_is_refused(monkeypatch):
    most = len(claims.read_claims()) - 1
    monkeypatch.setattr(claims, "MOST", most)
    line, *_ = claims.faults()
    assert f"{most + 1} claims; must be at most {most}" in line


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "proved"', 'kind = "shown"', "got 'shown'"),
        ("seeds_tested = 5", "seeds_tested = 1", "scope.seeds_tested.*got 1"),
        ('zh-Hans = "', 'fr = "', "must be in"),
    ],
)
def test_an_entry_that_is_no_claim_is_refused_in_one_line(
    spoil, old, new, message
):
    root = spoil(LEDGER, old, new)
    with pytest.raises(ValueError, match=message) as refused:
        claims.read_claims(root)
    assert "\n" not in str(refused.value)


# -------------------------------------------------------------------- language
CHAPTER = "book/en/02-signal.md"
END = "\n(signal-exercises)="


def test_a_number_from_nowhere_is_found(spoil):
    for typed, seen in [
        ("It takes 3.7 s.", "3.7 s"),
        ("The error is 6.29.", "6.29"),
        ("It grows by 15 %.", "15 %"),
        ("A width of 77.", "77"),
        ("Five runs of 5 s each.", "5 s"),
    ]:
        root = spoil(CHAPTER, END, f"{typed}\n{END}")
        assert f"en/02-signal: {seen!r}" in language.untraced_numbers(root)


def test_a_number_with_a_source_is_not(spoil):
    typed = (
        "The paper has 6.61 for it. "  # Table 2
        "See Eqs. (4) and (5), Table 3, Fig. 4(e) and Sec. 3. "
        "In 2016, images of 32×32, five units. With 12 units. "
        "After $77$ units, `x[77]`, {glue:text}`seconds` s."
    )
    root = spoil(CHAPTER, END, f"{typed}\n{END}")
    assert language.untraced_numbers(root) == []


def test_a_noted_translation_follows_its_original(spoil):
    root = spoil("book/en/03-gradient.md", "Half-life", "Halving")
    ledger = root / language.LEDGER
    before = ledger.read_text("utf-8")
    language.record(root)
    assert language.stale_translations(root) == []
    ledger.write_text(before, "utf-8")


def test_a_chapter_of_too_many_words_is_named(spoil):
    more = "\nSo many words about one idea.\n" * 500
    found = language.long_chapters(spoil(CHAPTER, END, more + END))
    assert re.fullmatch(
        r"en/02-signal: at most 2200 words of prose; got \d{4}", found[0]
    )


def test_every_section_has_a_label_and_is_in_the_ledger():
    for edition in LANGUAGES:
        for name, text in language.chapters(edition).items():
            plain = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
            headings = re.findall(r"^#+ ", plain, re.MULTILINE)
            assert len(language.sections(text)) == len(headings), name


def test_defined_terms_have_a_chapter_that_exists():
    names = set(language.chapters("en"))
    terms = language.glossary()["term"]
    assert {t["chapter"] for t in terms if "chapter" in t} <= names
    assert len({t["en"] for t in terms}) == len(terms)


# ---------------------------------------------------------------------- parity
def test_the_gate_misses_no_missing_file(copied):
    chapter = copied / "book/zh-Hant/04-units.md"
    text = chapter.read_text("utf-8")
    chapter.unlink()
    assert parity.differences(copied) == [
        "zh-Hant: files differ from en: 04-units"
    ]
    chapter.write_text(text, "utf-8")


PRINTED = 'print(f"{row:24} relative error {error:.0e}")'


@pytest.mark.parametrize(
    ("line", "same"),
    [
        (PRINTED, True),
        ('print(f"误差 {error:.0e}，{row:24}")', True),
        ('print(f"{row:24} 误差 {error:.1e}")', False),
        ('print(f"{row:24} 误差 {error:.0e}", end="")', False),
        ('show(f"{row:24} 误差 {error:.0e}")', False),
    ],
)
def test_an_edition_prints_its_own_words_and_the_same_values(
    spoil, line, same
):
    for code in LANGUAGES:
        said = line if code == "zh-Hans" else PRINTED
        cell = f"\n```{{code-cell}} ipython3\n{said}\n```\n(units-bn)="
        root = spoil(f"book/{code}/04-units.md", "\n(units-bn)=", cell)
    assert (parity.differences(root) == []) is same
