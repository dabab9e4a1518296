"""Terms, script, numerals and translations: what the gates see."""

import re
import shutil

import pytest

from book.tools import language
from paths import ROOT
from sampled import sampled


@pytest.fixture
def copy(tmp_path):
    """The parts of the tree that the gates read, to be spoiled."""
    shutil.copytree(ROOT / "book", tmp_path / "book")
    for room in ("strings", "paper", "book"):
        shutil.copytree(
            ROOT / "src/preact" / room, tmp_path / "src/preact" / room
        )
    return tmp_path


def spoil(root, name, old, new):
    path = root / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


WRONG = [
    (
        "book/zh-Hant/02-signal.md",
        '\nprint(f"',
        '\nprint(f"數據',
        "zh-Hant/02-signal: never '數據'",
    ),
    (
        "book/zh-Hans/04-units.md",
        "批量归一化",
        "批标准化",
        "zh-Hans/04-units: 'batch normalization' must be '批量归一化'",
    ),
    (
        "src/preact/strings/zh-Hant.toml",
        "資料",
        "數據",
        None,
    ),
    (
        "book/zh-Hant/02-signal.md",
        "訊號",
        "讯號",
        "zh-Hant/02-signal: other script: 讯",
    ),
    (
        "src/preact/strings/zh-Hant.toml",
        "單元",
        "单元",
        "zh-Hant/strings: other script: 单",
    ),
    (
        "book/zh-Hans/13-summary.md",
        "{numref}`summary-figure-conditions` 的",
        "{numref}`summary-figure-conditions`的",
        "zh-Hans/13-summary: no space after 'summary-figure-conditions'",
    ),
]


@pytest.mark.parametrize(("name", "old", "new", "found"), [*sampled(WRONG, 3)])
def test_a_wrong_word_is_found(copy, name, old, new, found):
    if found is None:
        text = (copy / name).read_text("utf-8") + f'\nbad = "{new}"\n'
        (copy / name).write_text(text, "utf-8")
        found = f"zh-Hant/strings: never '{new}'"
    else:
        spoil(copy, name, old, new)
    assert found in language.problems(copy)


@pytest.mark.parametrize(
    ("typed", "seen"),
    [
        ("It takes 3.7 s.", "3.7 s"),
        ("The error is 6.29.", "6.29"),
        ("It grows by 15 %.", "15 %"),
        ("A width of 77.", "77"),
        ("Five runs of 5 s each.", "5 s"),
    ],
)
def test_a_number_from_nowhere_is_found(copy, typed, seen):
    path = copy / "book/en/02-signal.md"
    path.write_text(path.read_text("utf-8") + typed + "\n", "utf-8")
    assert f"en/02-signal: {seen!r}" in language.untraced_numbers(copy)


@pytest.mark.parametrize(
    "typed",
    [
        "The paper has 6.61 for it.",  # Table 2
        "See Eqs. (4) and (5), Table 3, Fig. 4(e) and Sec. 3.",
        "In 2016, images of 32×32, five units.",
        "After $77$ units, `x[77]`, {glue:text}`seconds` s.",
        "With 12 units.",
    ],
)
def test_a_number_with_a_source_is_not(copy, typed):
    path = copy / "book/en/02-signal.md"
    path.write_text(path.read_text("utf-8") + typed + "\n", "utf-8")
    assert language.untraced_numbers(copy) == []


def test_a_changed_original_makes_its_translations_stale(copy):
    spoil(copy, "book/en/03-gradient.md", "Half-life", "Halving")
    found = language.stale_translations(copy)
    assert found == [
        f"{edition}: section 'gradient-exercises' was written from an older "
        "original"
        for edition in language.CHINESE
    ]
    language.record(copy)
    assert language.stale_translations(copy) == []


def test_a_chapter_of_too_many_words_is_named(copy):
    more = "\nSo many words about one idea.\n" * 500
    spoil(
        copy,
        "book/en/02-signal.md",
        "\n(signal-exercises)=",
        f"{more}\n(signal-exercises)=",
    )
    (found,) = [
        said for said in language.long_chapters(copy) if "02-signal" in said
    ]
    assert re.fullmatch(
        r"en/02-signal: at most 2200 words of prose; got \d{4}", found
    )


@pytest.mark.parametrize(
    ("edition", "sentence"),
    [
        ("zh-Hans", "网络，" * 5 + "在学习。"),
        ("zh-Hant", "網路正在學習" * 8 + "，而它很深。"),
    ],
)
def test_a_sentence_that_is_too_long_to_follow_is_named(
    copy, edition, sentence
):
    name = f"book/{edition}/02-signal.md"
    spoil(
        copy,
        name,
        "\n(signal-exercises)=",
        f"\n{sentence}\n\n(signal-exercises)=",
    )
    found = language.long_sentences(copy)[f"{edition}/02-signal"]
    assert len(found) == 1
    assert sentence.rstrip("。") in found[0]


def test_every_section_has_a_label_and_is_in_the_ledger():
    for edition in ("en", *language.CHINESE):
        for name, text in language.chapters(edition).items():
            plain = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
            headings = re.findall(r"^#+ ", plain, re.MULTILINE)
            assert len(language.sections(text)) == len(headings), name


def test_defined_terms_have_a_chapter_that_exists():
    names = set(language.chapters("en"))
    terms = language.glossary()["term"]
    assert {t["chapter"] for t in terms if "chapter" in t} <= names
    assert len({t["en"] for t in terms}) == len(terms)


@pytest.mark.parametrize("edition", ["en", *language.CHINESE])
def test_every_cited_test_exists(edition):
    for name, text in language.chapters(edition).items():
        claims = "".join(
            p.read_text("utf-8")
            for folder in ("claims", "chapters/*")
            for p in ROOT.glob(f"tests/{folder}/*.py")
        )
        for test in re.findall(r"`(test_\w+)`", text):
            assert f"def {test}(" in claims, (name, test)
