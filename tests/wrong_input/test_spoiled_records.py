"""A record that is none is named; its words are words wherever they stand."""

import json
import os
import shutil
from collections.abc import Callable

import pytest
from judging import PLACE, refusal, success

from preact.records import sha256_of

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
    yield "train", small, "--out", out
    yield "ablate", small, "--out", out
    yield "ablate", small, "--out", out, "--dry-run"


def test_every_command_names_a_file_that_is_no_record(command, out, small):
    """What else may stand in one is a case of `test_records`."""
    path = out / RECORD
    content = path.read_bytes()[:-20]
    path.write_bytes(content)
    for words in commands(small, out):
        assert refusal(command(*words), path) == "good", words
    assert path.read_bytes() == content


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["FIFO", "folder", "/dev/zero"])
def test_what_is_no_ordinary_file_is_not_awaited(command, out, small, kind):
    path = out / RECORD
    path.unlink()
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(kind)
    for words in commands(small, out):
        assert refusal(command(*words), path) == "good", words


def test_a_field_that_is_missing_is_named(command, out):
    path = out / RECORD
    whole = json.loads(path.read_text())
    younger = {"processors", "python", "preact", "code_sha256", "wall_is"}
    for name in whole.keys() - younger - {"kernels"}:
        rest = {k: v for k, v in whole.items() if k != name}
        path.write_text(json.dumps(rest))
        answer = command("report", "small", "--results", out)
        assert refusal(answer, path, name, "missing") == "good", name


def test_a_record_of_another_configuration_is_not_taken(command, out, small):
    path = out / RECORD
    rewritten(path, seed=5)
    for words in list(commands(small, out))[1:]:
        answer = command(*words)
        assert refusal(answer, path, "another configuration") == "good"


MARKUP = [
    "[/red]",
    "a | b",
    "<img src=x onerror=alert(1)>",
    "`x` *y* _z_",
    "\u202eright to left",
]


@pytest.mark.parametrize(
    ("where", "text"),
    [*zip(["tail", "data_label", "deviations"] * 2, MARKUP, strict=False)],
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
    for form in ("--markdown", "--json"):
        answer = command(*report, form)
        assert success(answer) == "good"
        assert "<img" not in answer.out or form == "--json"
    rows = command(*report, "--markdown").out.splitlines()
    table = [row for row in rows if row.startswith("|")]
    bars = [row.replace("\\|", "").count("|") for row in table]
    assert len(set(bars)) == 1


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("tail", "\x1b[31mred"),
        ("data_label", "\x9b2J"),
        ("spec", "a\rb"),
        ("deviations", "bell\a"),
        ("device", "\x1b[31mred"),
        ("git", "\x9b2J"),
    ],
)
def test_no_record_steers_the_terminal(command, out, small, where, text):
    value: object = text
    if where == "deviations":
        value = [{"from": text, "to": "b", "why": ""}]
    if where == "git":
        value = {"commit": text, "dirty": True}
    rewritten(out / RECORD, **{where: value})
    answer = command("report", "small", "--results", out)
    assert refusal(answer, out / RECORD, where) == "good"


LEGAL: dict[str, Callable[[], dict]] = {
    "CIFAR-100": lambda: {"data": "cifar100", "data_label": "CIFAR-100"},
    "unofficial": lambda: {
        "data": "cifar10",
        "data_label": "CIFAR-10 (unofficial files)",
    },
    "ImageNet": lambda: {"data": "imagenet", "data_label": "ImageNet"},
    "own data": lambda: {"data": "mine", "data_label": "mine"},
    "unknown row": lambda: {"row": "my-row"},
    "unknown speed": lambda: {"images_per_s": None},
    "unknown code": lambda: {"git": {"commit": None, "dirty": None}},
    "diverged": lambda: {"outcome": "diverged", "train_loss": None},
}


@pytest.mark.parametrize("kind", LEGAL)
def test_what_is_legal_is_reported(command, out, kind):
    rewritten(out / RECORD, **LEGAL[kind]())
    for form in ([], ["--markdown"], ["--json"]):
        answer = command("report", "small", "--results", out, *form)
        assert success(answer) == "good"


def test_what_lies_beside_records_harms_nothing(command, out, small):
    (out / PLACE / "notes.txt").write_text("mine")
    (out / PLACE / "seed-x").mkdir()
    (out / "small" / "seed-notes.txt").write_text("mine")
    for words in commands(small, out):
        assert success(command(*words)) == "good"
