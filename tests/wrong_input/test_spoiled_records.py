"""A record that is none is named; its words are words wherever they stand."""

import json
import re
import shutil

import pytest

from preact.records.files import write_record
from preact.records.record import sha256_of
from wrong_input.judging import PLACE, refusal, success

RECORD = f"{PLACE}/seed-1.json"


@pytest.fixture
def out(calm, tmp_path):
    """A copy of the folder of one record."""
    shutil.copytree(calm, tmp_path / "runs")
    return tmp_path / "runs"


def rewritten(path, **changes):
    """Change fields of a record, and of its configuration, hash and all."""
    record = json.loads(path.read_text())
    for name, value in changes.items():
        record[name] = value
        if name in record["config"]:
            record["config"][name] = value
    record["config_sha256"] = sha256_of(record["config"])
    path.write_text(json.dumps(record))


def commands(small, out):
    """What reads a record: each must name it."""
    yield "report", "small", "--results", out
    yield "ablate", small, "--out", out
    yield "ablate", small, "--out", out, "--dry-run"


FIELDS = [
    ("depth", "110"),
    ("iterations", -1),
    ("test_error_pct", 100.1),
    ("train_loss", float("nan")),
    ("unheard_of", 1),
    # a word that may name a folder, or one of a few
    ("row", "../x"),
    ("outcome", "crashed"),
    ("recipe", "x"),
    # none steers the terminal
    ("tail", "\x1b[31mred"),
    # a table in a table
    ("git", {"commit": "a"}),
    ("config", [5]),
    # a hash is 64 digits, that of the configuration, which says the same
    ("config_sha256", "f" * 64),
    ("width", 5),
    ("data_sha256", "f" * 64),
]


@pytest.mark.parametrize(("field", "value"), FIELDS)
def test_a_record_with_a_wrong_value_is_one_sentence(
    command, out, field, value
):
    path = out / RECORD
    values = json.loads(path.read_text()) | {field: value}
    path.write_text(json.dumps(values))
    answer = command("report", "small", "--results", out)
    assert refusal(answer, path, field) == "good"
    with pytest.raises(ValueError, match=field):
        write_record(out / "other.json", values, [])
    assert not (out / "other.json").exists()


def test_a_field_that_is_missing_is_named(command, out):
    path = out / RECORD
    whole = json.loads(path.read_text())
    for name in whole:
        rest = {k: v for k, v in whole.items() if k != name}
        path.write_text(json.dumps(rest))
        answer = command("report", "small", "--results", out)
        assert refusal(answer, path, name, "missing") == "good", name


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"row": "original"', "is not JSON"),
        (b"\xff\xfe", "must be UTF-8"),
        (b"[]", "must be a table"),
        (b"[" * 100_000 + b"]" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_record_is_named_by_each_command(
    command, out, small, content, message
):
    path = out / RECORD
    path.write_bytes(content)
    for words in commands(small, out):
        assert refusal(command(*words), path, message) == "good", words


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("tail", "[/red]"),
        ("data_label", "a | b"),
        ("deviations", "<img src=x onerror=alert(1)>"),
    ],
)
def test_words_of_a_record_are_never_markup(command, out, text, where):
    value = text
    if where == "deviations":
        value = [{"from": text, "to": "b", "why": text}]
    rewritten(out / RECORD, **{where: value})
    report = ("report", "small", "--results", out, "--language", "zh-Hans")
    answer = command(*report)
    assert success(answer) == "good"
    if where == "deviations":
        assert " ".join(text.split()) in " ".join(answer.out.split())
    answer = command(*report, "--markdown")
    assert success(answer) == "good"
    assert "<img" not in answer.out
    rows = re.findall(r"^\|.*$", answer.out, re.MULTILINE)
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1


def test_what_lies_beside_records_harms_nothing(command, out, small):
    (out / PLACE / "notes.txt").write_text("mine")
    (out / PLACE / "seed-x").mkdir()
    (out / "small" / "seed-notes.txt").write_text("mine")
    for words in commands(small, out):
        assert success(command(*words)) == "good"
