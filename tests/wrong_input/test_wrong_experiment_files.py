"""Every wrong value of an experiment file is refused before any training."""

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


def written(line):
    """The good file, with a line in place of what it says of that key."""
    key = line.partition("=")[0].strip()
    kept = [
        f"{name} = {value}"
        for name, value in GOOD.items()
        if name != key and not name.startswith(f"{key}.")
    ]
    return "\n".join([line, *kept])


def test_the_file_that_the_others_spoil_is_good(command, tmp_path):
    path = tmp_path / "good.toml"
    path.write_text(written("title = 'good'"))
    answer = command("ablate", path, "--dry-run", "--out", tmp_path / "runs")
    assert answer.code == 0
    assert "2 runs to go" in answer.out


@pytest.mark.parametrize("line", [*sampled(WRONG, 5)], ids=[*WRONG])
def test_a_wrong_value_is_one_sentence(command, tmp_path, line):
    path = tmp_path / "wrong.toml"
    path.write_text(written(line), "utf-8")
    before = files(tmp_path)
    answer = command("ablate", path, "--dry-run", "--out", tmp_path / "runs")
    assert refusal(answer, path, *WRONG[line]) == "good"
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


@pytest.mark.parametrize("name", [".toml", "a\x1b[31m.toml"])
def test_a_name_that_no_folder_of_records_may_have_is_refused(
    command, tmp_path, name
):
    path = tmp_path / name
    path.write_text(written("title = 'good'"))
    answer = command("ablate", path, "--out", tmp_path / "runs")
    assert refusal(answer, "name") == "good"
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("name", ["", "\x00", "nothing.toml"])
def test_a_file_that_is_not_there_is_one_sentence(command, name):
    assert refusal(command("ablate", name)) == "good"


def test_text_of_a_file_is_never_markup(command, tmp_path):
    path = tmp_path / "odd.toml"
    path.write_text(written('title = "[/red]"'))
    answer = command("ablate", path, "--dry-run", "--out", tmp_path)
    assert answer.code == 0
    assert "[/red]" in answer.out
    path.write_text(written('title = "\\u001b[31m"'))
    answer = command("ablate", path, "--dry-run", "--out", tmp_path)
    assert refusal(answer, path, "title", "control characters") == "good"
