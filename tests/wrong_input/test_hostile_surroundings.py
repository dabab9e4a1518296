"""An odd environment, a folder of traps, a machine without room."""

import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from judging import PLACE, answer_of, files, refusal, success

from preact.experiment.provenance import git
from preact.records import read_record

pytestmark = pytest.mark.nightly  # surroundings that hardly anybody has

TRAP = """
from pathlib import Path
Path(__file__).with_name("the-trap-closed").touch()
"""


# What torchrun sets, in part or in nonsense.
CREWS = {
    "alone": {"WORLD_SIZE": "2"},
    "a rank of text": {"WORLD_SIZE": "2", "RANK": "first"},
    "a rank too high": {"WORLD_SIZE": "2", "RANK": "5"},
    "a master of nowhere": {
        "WORLD_SIZE": "2",
        "RANK": "1",
        "MASTER_PORT": "1",
        "MASTER_ADDR": "no.such.host.invalid",
    },
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", CREWS)
def test_half_a_crew_is_one_sentence(
    command, small, tmp_path, kind, monkeypatch
):
    for name, value in CREWS[kind].items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("preact.train.parallel.MEET_S", 1)
    answer = command("train", small, "--out", tmp_path)
    assert refusal(answer) == "good"
    assert files(tmp_path) == {}


def test_nothing_runs_from_the_folder_where_the_user_stands(tmp_path, small):
    """The console script puts no current folder among the paths."""
    for name in ("torch", "preact", "sitecustomize", "rich", "json"):
        (tmp_path / f"{name}.py").write_text(TRAP)
    script = Path(sys.executable).with_name("preact")
    (tmp_path / "traps").mkdir()
    done = subprocess.run(
        [str(script), "train", str(small), "--out", str(tmp_path / "runs")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "the-trap-closed").exists()


def test_asking_git_runs_no_program_of_the_repository(tmp_path, monkeypatch):
    """Neither its hooks and monitors, nor those of a GIT_DIR."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/the-trap-closed\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    package = tmp_path / "repository" / "src" / "preact"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")

    def ask(*words):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=package,
            check=True,
            capture_output=True,
        )

    ask("init", "-q", str(package.parents[1]))
    ask("add", ".")
    ask("commit", "-qm", "one")
    for name in ("core.fsmonitor", "core.sshCommand", "diff.external"):
        ask("config", name, str(program))
    monkeypatch.setattr("preact.experiment.provenance.HERE", package)
    assert git()["dirty"] is False
    assert not (tmp_path / "the-trap-closed").exists()
    monkeypatch.setenv("GIT_DIR", "/nothing/at/all")
    assert git()["commit"] is not None


def test_a_repository_around_the_package_is_not_taken_for_its_own(
    tmp_path, monkeypatch
):
    package = tmp_path / "venv" / "lib" / "preact"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr("preact.experiment.provenance.HERE", package)
    monkeypatch.delenv("PREACT_COMMIT", raising=False)
    assert git() == {"commit": None, "dirty": None}


def test_a_commit_of_the_environment_is_words(
    command, small, tmp_path, monkeypatch
):
    monkeypatch.setenv("PREACT_COMMIT", "\x1b[31mred")
    monkeypatch.setattr("preact.experiment.provenance.HERE", tmp_path)
    answer = command("train", small, "--out", tmp_path / "runs")
    assert refusal(answer, "commit", "control characters") == "good"
    assert not list(tmp_path.rglob("checkpoint.pt"))


def limited(**limits):
    def set_limits():
        for name, value in limits.items():
            resource.setrlimit(
                getattr(resource, f"RLIMIT_{name}"), (value, value)
            )

    return set_limits


@pytest.mark.parametrize("name", ["train", "ablate"])
def test_what_no_memory_holds_is_refused_before_it_is_made(
    command, small, tmp_path, name
):
    file = tmp_path / "wide.toml"
    file.write_text(small.read_text().replace("width = 4", "width = 8192"))
    answer = command(name, file, "--device", "cpu", "--out", tmp_path / "runs")
    assert refusal(answer, "out of memory", "64 images", "GB") == "good"
    assert not (tmp_path / "runs").exists()


def test_a_disk_that_fills_is_one_sentence_and_keeps_what_was(
    process, broken_off, small, tmp_path
):
    """A limit on files' sizes stands for it: the write fails half-way."""
    import shutil
    import signal

    out = tmp_path / "runs"
    shutil.copytree(broken_off, out)
    before = files(out)

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limited(FSIZE=2048)()

    one = process("train", small, "--out", out, preexec_fn=small_files)
    answer = answer_of(one)
    assert refusal(answer, out) == "good"
    kept = {k: v for k, v in files(out).items() if "lock" not in k}
    assert kept == {k: v for k, v in before.items() if "lock" not in k}
    assert success(answer_of(process("train", small, "--out", out))) == "good"


def test_records_of_a_run_say_no_path_of_the_user(command, small, tmp_path):
    assert success(command("train", small, "--out", tmp_path)) == "good"
    record = read_record(tmp_path / PLACE / "seed-1.json")
    text = (tmp_path / PLACE / "seed-1.json").read_text()
    assert record.outcome == "finished"
    assert str(tmp_path) not in text
    assert str(Path.home()) not in text
