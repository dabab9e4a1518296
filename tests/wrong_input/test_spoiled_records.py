"""A record that is none is named; its words are words wherever they stand."""

import json
import os
import shutil
from collections.abc import Callable

import pytest
from judging import PLACE, refusal, success

from preact.records import sha256_of
from sampled import sampled

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


CONTENTS = {
    "empty": b"",
    "half": lambda text: text[: len(text) // 2],
    "text": b"root:x:0:0",
    "not UTF-8": b"\xff\xfe\x00",
    "a list": b"[]",
    "a number": b"5",
    "nothing": b"null",
    "an empty object": b"{}",
    "deep lists": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "NaN": lambda text: text.replace(b'"seed": 1', b'"seed": NaN'),
    "infinity": lambda text: text.replace(b'"seed": 1', b'"seed": Infinity'),
    "5000 digits": lambda text: text.replace(
        b'"seed": 1', b'"seed": 1' + b"0" * 5000
    ),
    "two objects": lambda text: text + text,
    "zeros": lambda text: bytes(len(text)),
    "random": bytes(range(256)) * 8,
    "UTF-16": lambda text: text.decode().encode("utf-16"),
}


@pytest.mark.parametrize("kind", CONTENTS)
def test_a_file_that_is_no_record_is_named(command, out, small, kind):
    path, content = out / RECORD, CONTENTS[kind]
    content = content(path.read_bytes()) if callable(content) else content
    path.write_bytes(content)
    for words in commands(small, out):
        assert refusal(command(*words), path) == "good", words
    assert path.read_bytes() == content


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["FIFO", "folder", "itself", "/dev/zero"])
def test_what_is_no_ordinary_file_is_not_awaited(command, out, small, kind):
    path = out / RECORD
    path.unlink()
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path if kind == "itself" else kind)
    for words in commands(small, out):
        assert refusal(command(*words), path) == "good", words


def test_a_link_to_nothing_is_named_before_training(command, out, small):
    path = out / RECORD
    path.unlink()
    path.symlink_to("/nothing/at/all")
    for words in commands(small, out):
        assert refusal(command(*words), path) == "good", words


HUGE = 10**400
WRONG = {
    "experiment": ["", 5, None, "../x", "a b", "\x1b[31m", "x" * 101],
    "row": ["", 5, None, "../x", "a/b", "[/red]"],
    "spec": [5, None, ["x"]],
    "tail": [5, None],
    "depth": ["8", 8.0, True, 0, -8, HUGE, None, 90_000_002],
    "convs": ["2", 2.5, True, 0, 4],
    "width": ["4", True, 0, -4, 10**18],
    "protocol": [5, None, "other"],
    "data": [5, None],
    "data_label": [5, None],
    "data_sha256": ["", "x" * 64, 5, None],
    "seed": ["1", 1.5, True, -1, 2**63, 2**64, HUGE],
    "config": [5, [], {}, None, "x"],
    "config_sha256": ["0" * 64, "", 5, None],
    "parameters": ["5", 0, -1, 1.5, True, HUGE],
    "bn_batch": ["5", 0, -1, 1.5, True],
    "outcome": ["", "done", 5, None, True],
    "iterations": ["4", -1, 1.5, True, HUGE],
    "test_error_pct": [-5, 1000, True, "3", None, HUGE, [3.0]],
    "test_error_is": [5, None],
    "train_loss": ["x", True, HUGE],
    "wall_s": [-1, "x", True, None, HUGE],
    "images_per_s": [-1, "x", True],
    "profiles": [5, [5], [{}], "x", None],
    "peak_memory_bytes": [-1, "x", 1.5, True],
    "peak_memory_is": [5, None],
    "deviations": [5, [5], [{}], "x", [{"from": 1, "to": 2, "why": 3}]],
    "started_utc": [5, None],
    "device": [5, None],
    "devices": [0, "1", True],
    "threads": [0, -1, "1", True],
    "processors": [0, "x"],
    "torch": [5, None],
    "cuda": [5, False],
    "deterministic": ["no", 0, None],
    "python": [5],
    "preact": [5],
    "git": [5, {}, [], None, {"dirty": False}, {"commit": 5, "dirty": "no"}],
    "code_sha256": ["x", 5],
    "wall_is": [5],
    "kernels": [5, "C", [5], None],
    "more": [5],
}
FIELDS = [(name, value) for name, wrong in WRONG.items() for value in wrong]


@pytest.mark.parametrize(
    ("name", "value"), [*sampled(FIELDS, 5)], ids=lambda part: repr(part)[:40]
)
def test_a_field_that_means_nothing_is_named(command, out, name, value):
    path = out / RECORD
    record = json.loads(path.read_text())
    if name in record["config"]:
        record["config"][name] = value
        record["config_sha256"] = sha256_of(record["config"])
    record[name] = value
    path.write_text(json.dumps(record))
    answer = command("report", "small", "--results", out)
    assert refusal(answer, path, "" if name == "more" else name) == "good"


def test_a_field_that_is_missing_is_named(command, out):
    path = out / RECORD
    whole = json.loads(path.read_text())
    younger = {"processors", "python", "preact", "code_sha256", "wall_is"}
    for name in whole.keys() - younger - {"kernels"}:
        rest = {k: v for k, v in whole.items() if k != name}
        path.write_text(json.dumps(rest))
        answer = command("report", "small", "--results", out)
        assert refusal(answer, path, name, "missing") == "good", name


def test_a_configuration_changed_by_hand_is_found(command, out):
    path = out / RECORD
    record = json.loads(path.read_text())
    record["config"]["depth"] = 14
    path.write_text(json.dumps(record))
    answer = command("report", "small", "--results", out)
    assert refusal(answer, path, "hash of config") == "good"


def test_two_records_of_one_run_do_not_count_twice(command, out):
    path = out / RECORD
    other = path.with_name("seed-7.json")
    shutil.copy(path, other)
    answer = command("report", "small", "--results", out)
    assert refusal(answer, path, other) == "good"


def test_a_record_of_another_configuration_is_not_taken(command, out, small):
    path = out / RECORD
    rewritten(path, seed=5)
    for words in list(commands(small, out))[1:]:
        answer = command(*words)
        assert refusal(answer, path, "another configuration") == "good"


MARKUP = [
    "[/red]",
    "[bold]x[/b]",
    "a | b",
    "<img src=x onerror=alert(1)>",
    "<!-- end -->",
    "`x` *y* _z_",
    "{{ x }}",
    "\u202eright to left",
]


@pytest.mark.parametrize("language", [*sampled(["en", "zh-Hans"], 2)])
@pytest.mark.parametrize("text", [*sampled(MARKUP, 4)])
@pytest.mark.parametrize("where", ["tail", "data_label", "spec", "deviations"])
def test_words_of_a_record_are_never_markup(
    command, out, text, where, language
):
    value = text
    if where == "deviations":
        value = [{"from": text, "to": "b", "why": text}]
    rewritten(out / RECORD, **{where: value})
    report = ("report", "small", "--results", out, "--language", language)
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


@pytest.mark.parametrize("text", ["\x1b[31mred", "\x9b2J", "a\rb", "bell\a"])
@pytest.mark.parametrize(
    "where", ["tail", "data_label", "spec", "deviations", "device", "git"]
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


def test_a_plan_over_a_broken_record_does_not_say_that_all_is_done(
    command, out, small
):
    (out / RECORD).write_text("{")
    answer = command("ablate", small, "--out", out, "--dry-run")
    assert refusal(answer, out / RECORD) == "good"


def test_what_lies_beside_records_harms_nothing(command, out, small):
    (out / PLACE / "notes.txt").write_text("mine")
    (out / PLACE / "seed-x").mkdir()
    (out / "small" / "seed-notes.txt").write_text("mine")
    for words in commands(small, out):
        assert success(command(*words)) == "good"
