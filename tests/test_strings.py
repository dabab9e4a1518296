import re
import tomllib

import pytest

from paths import ROOT
from preact import strings
from preact.strings import LANGUAGES, Strings

TABLES = {language: Strings(language).table for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_placeholders(language):
    assert TABLES[language].keys() == TABLES["en"].keys()
    for key, text in TABLES[language].items():
        wanted = sorted(re.findall(r"{(\w+)}", TABLES["en"][key]))
        assert sorted(re.findall(r"{(\w+)}", text)) == wanted, key


def test_an_unknown_language_is_answered_with_the_legal_ones():
    with pytest.raises(
        ValueError, match="one of en, zh-Hans, zh-Hant; got 'zh'"
    ):
        Strings("zh")


def test_words_are_looked_up_and_filled_in():
    assert Strings("en")("unit.times", factor=0.5) == "factor 0.5"


@pytest.mark.parametrize(
    ("language", "plain", "nested"),
    [
        ("en", "a, b", "a, b; c"),
        ("zh-Hans", "a、b", "a、b；c"),
        ("zh-Hant", "a、b", "a、b；c"),
    ],
)
def test_a_list_is_joined_as_its_language_does(language, plain, nested):
    say = Strings(language)
    assert say.join(["a", "b"]) == plain
    assert say.join([plain, "c"]) == nested
    clause = say("punctuation.comma").join(["a", "b"])
    assert say.join([clause, "c"]).endswith(say("punctuation.semicolon") + "c")


@pytest.mark.parametrize(
    ("language", "apart", "one"),
    [
        ("en", "24 to 36 %", "0.1 %"),
        ("zh-Hans", "24% 至 36%", "0.1%"),
        ("zh-Hant", "24% 到 36%", "0.1%"),
    ],
)
def test_a_range_whose_ends_are_written_alike_is_one_number(
    language, apart, one
):
    say = Strings(language)
    assert say.percents(24.1, 36.4, 0) == apart
    assert say.percents(0.06, 0.14, 1) == one


def own_words(room):
    """Keys that stand in a room's file."""
    path = ROOT / f"src/preact/book/{room}/en.toml"
    return [*dict(strings._flat(tomllib.loads(path.read_text("utf-8"))))]


@pytest.mark.parametrize(
    "room",
    [p.parent.name for p in sorted(ROOT.glob("src/preact/book/*/en.toml"))],
)
def test_words_of_a_room_are_asked_for_there_alone(room):
    home = ROOT / f"src/preact/book/{room}"
    others = [
        *(p for p in ROOT.glob("src/preact/**/*.py") if home not in p.parents),
        *ROOT.glob("book/site/*.py"),
    ]
    text = "".join(path.read_text("utf-8") for path in others)
    assert [key for key in own_words(room) if f'"{key}"' in text] == []


def test_a_word_that_stands_in_two_files_is_refused(monkeypatch, tmp_path):
    twice = tmp_path / "twice.toml"
    twice.write_text('[table]\nrow = "row"\n')
    both = [*strings.sources("en"), twice]
    monkeypatch.setattr(strings, "sources", lambda _: both)
    with pytest.raises(ValueError, match=r"twice.toml has again 'table.row'"):
        strings._read.__wrapped__("en")
