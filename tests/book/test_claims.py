"""The claim ledger: what holds of it, and what the gate sees."""

import shutil

import pytest

from book.tools.claims import faults, marked_tests, read_claims
from book.tools.notebooks import notebook
from paths import ROOT
from preact.strings import LANGUAGES
from sampled import sampled

LEDGER = "book/claims.toml"
TESTED = "claims/test_exact.py::test_bn_lets_through_neither_equal"


@pytest.fixture
def copy(tmp_path):
    """The parts of the tree that the gate reads, to be spoiled."""
    shutil.copytree(ROOT / "book", tmp_path / "book")
    shutil.copytree(ROOT / "tests", tmp_path / "tests")
    (tmp_path / "src/preact").mkdir(parents=True)
    (tmp_path / "src/preact/results").symlink_to(ROOT / "src/preact/results")
    return tmp_path


def spoil(root, name, old, new):
    path = root / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_every_claim_has_its_evidence_and_every_mark_its_claim():
    assert faults() == []


def test_a_claim_is_said_and_its_scope_is_named_in_every_language():
    from book.site.claims import scope
    from book.site.words import WORDS

    for claim in read_claims().values():
        for language in LANGUAGES:
            assert claim.says[language].strip()[-1] in ".。"
            assert scope(claim, WORDS[language])


FAULTS = [
    (
        LEDGER,
        'proof = "units-bn"\n',
        "",
        "bn-dx: proved needs proof",
    ),
    (
        LEDGER,
        'kind = "measured"\nscope = { network = "plan"',
        'kind = "reading"\nscope = { network = "plan"',
        "reading cannot rest on tests",
    ),
    (
        LEDGER,
        'proof = "units-bn"',
        'proof = "units-xx"',
        "04-units has no section 'units-xx'",
    ),
    (
        LEDGER,
        'source = "de2020batch"',
        'source = "de2021batch"',
        "references.bib has no 'de2021batch'",
    ),
    (
        LEDGER,
        'record = "digits_depth"',
        'record = "digits_width"',
        "there are no records of 'digits_width'",
    ),
    (
        LEDGER,
        TESTED,
        TESTED.replace("neither", "both"),
        "there is no test claims/test_exact.py::test_bn_lets_through_both",
    ),
    (
        "tests/claims/test_exact.py",
        '@claim("bn-takes-two-parts-of-the-gradient")\n',
        "",
        'lacks @pytest.mark.claim("bn-takes-two-parts-of-the-gradient")',
    ),
    (
        "tests/claims/test_exact.py",
        '@claim("bn-takes-two-parts-of-the-gradient")',
        '@claim("bn-takes-three-parts")',
        "book/claims.toml has no claim 'bn-takes-three-parts'",
    ),
    (
        "tests/claims/test_exact.py",
        "\ndef test_paths_through_half",
        '\n@claim("toy-plain")\ndef test_paths_through_half',
        "does not name it under 'toy-plain'",
    ),
    (
        "book/zh-Hant/04-units.md",
        "{claim}`bn-dx`",
        "",
        "zh-Hant/04-units: no sentence is bn-dx",
    ),
    (
        "book/en/04-units.md",
        "{claim}`bn-dx`",
        "{claim}`unit-dx` {claim}`unit-dy`",
        "en/04-units: book/claims.toml has no claim 'unit-dy'",
    ),
    (
        "book/zh-Hans/claims.md",
        "{ledger} 02-signal",
        "{note} 02-signal",
        "zh-Hans: no page lists the claims of 02-signal",
    ),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"), [*sampled(FAULTS, 4)]
)
def test_the_gate_sees_every_kind_of_fault(copy, name, old, new, fault):
    spoil(copy, name, old, new)
    assert any(fault in line for line in faults(copy))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "proved"', 'kind = "shown"', "got 'shown'"),
        ('kind = "proved"', 'sort = "proved"', "silent-original-copies: kind"),
        ("seeds = 8", "seeds = 1", "scope.seeds: .*got 1"),
        ('en = "Backward', 'fr = "Backward', "must be in"),
    ],
)
def test_an_entry_that_is_no_claim_is_refused_in_one_line(
    copy, old, new, message
):
    spoil(copy, LEDGER, old, new)
    with pytest.raises(ValueError, match=message) as refused:
        read_claims(copy)
    assert "\n" not in str(refused.value)


def test_pytest_finds_the_tests_that_the_ledger_names():
    """What is read from the source is what runs: module-level functions."""
    named = {t for c in read_claims().values() for t in c.tests}
    assert named <= marked_tests().keys()
    assert len(named) > 50


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_notebook_says_the_kind_and_the_id_of_a_claim(language):
    text = notebook(ROOT / "book" / language / "04-units.md")
    kind = {"en": "proved", "zh-Hans": "本书证明", "zh-Hant": "本書證明"}
    assert f"[{kind[language]}: unit-dx]" in text
    assert "{claim}" not in text
