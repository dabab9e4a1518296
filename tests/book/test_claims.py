"""The claim ledger: what holds of it, and what the gate sees."""

import shutil

import pytest

from book.tools import claims
from book.tools.claims import faults, read_claims
from paths import ROOT
from preact.strings import LANGUAGES
from sampled import sampled

LEDGER = "**/claims.toml"  # the first with the words that are changed
TESTED = "chapters/units/test_claims.py::test_bn_lets_through_neither_equal"


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The parts of the tree that the gate reads."""
    root = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "book", root / "book")
    shutil.copytree(ROOT / "tests", root / "tests")
    (root / "src/preact").mkdir(parents=True)
    for room in (ROOT / "src/preact").iterdir():
        if room.name == "book":  # it holds claims
            shutil.copytree(room, root / "src/preact/book")
        else:
            (root / "src/preact" / room.name).symlink_to(room)
    return root


@pytest.fixture
def spoiled(copied):
    """Change a file of the copy; it is mended when the test is over."""
    kept = {}

    def spoil(name, old, new):
        paths = sorted(copied.glob(name))
        path = next(p for p in paths if old in p.read_text("utf-8"))
        kept[path] = path.read_text("utf-8")
        path.write_text(kept[path].replace(old, new), "utf-8")
        return copied

    yield spoil
    for path, text in kept.items():
        path.write_text(text, "utf-8")


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
    (LEDGER, "batch = 64, ", "", "training needs scope.batch"),
    (
        LEDGER,
        'kind = "recorded"',
        'kind = "measured"',
        "seeds_tested of measured is how many the tests draw",
    ),
    (LEDGER, "lr = [0.1]", "lr = [0.7]", "say `learning rate` and 0.7"),
    (
        LEDGER,
        'record = ["book/bugs/surveyed.toml"]',
        'record = ["conformance/asked.toml"]',
        "there are no records of 'conformance/asked.toml'",
    ),
    (
        LEDGER,
        'kind = "recorded"',
        'kind = "computed"',
        "computed needs scope.assumes",
    ),
    (
        LEDGER,
        'proof = "units-bn"\n',
        "",
        "bn-dx: proved needs proof",
    ),
    (
        LEDGER,
        'kind = "measured"',
        'kind = "reading"',
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
        TESTED,
        TESTED.replace("neither", "both"),
        f"there is no test {TESTED.replace('neither', 'both')}",
    ),
    (
        "tests/chapters/signal/test_claims.py",
        '@claim("linear-units-add-up-all-paths")\n',
        "",
        'lacks @pytest.mark.claim("linear-units-add-up-all-paths")',
    ),
    (
        "tests/chapters/signal/test_claims.py",
        '@claim("linear-units-add-up-all-paths")',
        '@claim("bn-takes-three-parts")',
        "no ledger has 'bn-takes-three-parts'",
    ),
    (
        "tests/chapters/signal/test_claims.py",
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
        "{claim}`bn-dx` {claim}`bn-dy`",
        "en/04-units: no ledger has 'bn-dy'",
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
def test_the_gate_sees_every_kind_of_fault(spoiled, name, old, new, fault):
    root = spoiled(name, old, new)
    assert any(fault in line for line in faults(root))


def test_a_ledger_that_nobody_would_read_is_refused(monkeypatch):
    most = len(read_claims()) - 1
    monkeypatch.setattr(claims, "MOST", most)
    line, *_ = faults()
    assert line.endswith(f"{most + 1} claims; must be at most {most}")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "proved"', 'kind = "shown"', "got 'shown'"),
        ("seeds_tested = 5", "seeds_tested = 1", "scope.seeds_tested.*got 1"),
        ('zh-Hans = "', 'fr = "', "must be in"),
    ],
)
def test_an_entry_that_is_no_claim_is_refused_in_one_line(
    spoiled, old, new, message
):
    root = spoiled(LEDGER, old, new)
    with pytest.raises(ValueError, match=message) as refused:
        read_claims(root)
    assert "\n" not in str(refused.value)
