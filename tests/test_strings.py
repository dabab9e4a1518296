import re

import pytest

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
    assert Strings("zh-Hant").join(["a", "b"]) == "a，b"


def test_no_key_is_left_unused():
    from paths import ROOT

    code = "".join(
        path.read_text("utf-8")
        for pattern in (
            "src/preact/**/*.py",
            "src/preact/records/*.toml",
            "book/en/*.md",
        )
        for path in ROOT.glob(pattern)
    )
    for key in TABLES["en"]:
        group, rest = key.split(".", 1)
        looked_up = f'"{rest}"' in code  # as in strings(f"law.{law}")
        assert f'"{key}"' in code or looked_up or group == "exercise", key
