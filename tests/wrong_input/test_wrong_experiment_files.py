"""Every wrong value of an experiment file is refused before any training."""

import os
import tomllib
from pathlib import Path

import pytest
from judging import files, refusal

from sampled import sampled

GOOD = {
    "scientific.rows": '["original"]',
    "scientific.networks": "[{ depth = 8, convs = 2, width = 4 }]",
    "nuisance.seeds": "[1, 2]",
    "fixed.recipe": '"digits"',
}
WRONG = tomllib.loads(
    Path(__file__).with_name("experiment_files.toml").read_text("utf-8")
)["wrong"]
CASES = [
    (one["line"].replace("@", value), value, one["key"], one["legal"])
    for one in WRONG
    for value in one["values"]
]


def written(line):
    """The good file, with a line in place of what it says of that key."""
    key = line.partition("=")[0].strip()
    kept = [
        f"{name} = {value}"
        for name, value in GOOD.items()
        if name != key and not name.startswith(f"{key}.")
    ]
    return "\n".join([line, *kept])


def shown(value):
    """What an answer repeats of a value: a number, a text without quotes."""
    if "=" in value or not value:  # keys and values, or none
        return ""
    try:
        read = tomllib.loads(f"a = {value}")["a"]
    except tomllib.TOMLDecodeError:  # a key
        return value
    if isinstance(read, list | dict):
        return ""
    return str(read) if str(read).isprintable() else ""


def test_the_file_that_the_others_spoil_is_good(command, tmp_path):
    path = tmp_path / "good.toml"
    path.write_text(written("title = 'good'"))
    answer = command("ablate", path, "--dry-run", "--out", tmp_path / "runs")
    assert answer.code == 0
    assert "2 runs to go" in answer.out


@pytest.mark.parametrize(
    ("line", "value", "key", "legal"),
    [*sampled(CASES, 5)],
    ids=[case[0] for case in CASES],
)
def test_a_wrong_value_is_one_sentence(
    command, tmp_path, line, value, key, legal
):
    path = tmp_path / "wrong.toml"
    path.write_text(written(line), "utf-8")
    before = files(tmp_path)
    answer = command("ablate", path, "--dry-run", "--out", tmp_path / "runs")
    assert refusal(answer, path, key, legal, shown(value)) == "good"
    assert files(tmp_path) == before


CONTENTS = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe\x00",
    "deep lists": b"a = " + b"[" * 20_000 + b"]" * 20_000,
    "an escape in a key": b'"\\u001b[31mred" = 1',
}


@pytest.mark.parametrize("kind", CONTENTS)
def test_what_is_no_experiment_file_is_named(command, tmp_path, kind):
    path = tmp_path / "wrong.toml"
    path.write_bytes(CONTENTS[kind])
    assert refusal(command("ablate", path), path) == "good"


@pytest.mark.parametrize(
    "name",
    [
        ".toml",
        "a\x1b[31m.toml",
        os.fsdecode(b"\xff\xfe.toml"),
    ],
)
def test_a_name_that_no_folder_of_records_may_have_is_refused(
    command, tmp_path, name
):
    path = tmp_path / name
    path.write_text(written("title = 'good'"))
    answer = command("ablate", path, "--out", tmp_path / "runs")
    assert refusal(answer, "name") == "good"
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("name", ["", "\x00", "nothing.toml", "/"])
def test_a_file_that_is_not_there_is_one_sentence(command, tmp_path, name):
    assert refusal(command("ablate", name)) == "good"


@pytest.mark.parametrize("where", ["title", "deviation"])
@pytest.mark.parametrize(
    "text",
    ["[/red]", "[link=x]y", "\\u001b[31mred"],
)
def test_text_of_a_file_is_never_markup(command, tmp_path, where, text):
    path = tmp_path / "odd.toml"
    line = {
        "title": f'title = "{text}"',
        "deviation": f'deviation = [{{ from = "a", to = "{text}", why = ""}}]',
    }[where]
    path.write_text(written(line))
    answer = command("ablate", path, "--dry-run", "--out", tmp_path)
    if "\\" in text:
        assert refusal(answer, path, where, "control characters") == "good"
    else:
        assert answer.code == 0
        assert text in answer.out
