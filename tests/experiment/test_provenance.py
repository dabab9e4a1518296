"""A record names the code that ran, and never somebody else's."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from preact.experiment import provenance


def git(folder, *words):
    return subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def checked_in(home):
    """A package, committed to the repository around it."""
    (home / "results").mkdir(parents=True)
    (home / "__init__.py").write_text("")
    (home / "results" / "a.json").write_text("{}")
    top = home.parents[1]
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "one")
    return home


@pytest.mark.parametrize(
    ("changed", "dirty"),
    [(None, False), ("results/a.json", False), ("__init__.py", True)],
)
def test_changed_code_is_told_and_new_results_are_no_code(
    tmp_path, monkeypatch, changed, dirty
):
    home = checked_in(tmp_path / "src" / "preact")
    if changed:
        (home / changed).write_text("changed = True")
    monkeypatch.setattr(provenance, "HERE", home)
    commit = git(home, "rev-parse", "HEAD")
    assert provenance.git() == {"commit": commit, "dirty": dirty}


def test_the_commit_of_another_repository_is_not_ours(tmp_path, monkeypatch):
    """Who has brought the code may name its commit."""
    home = checked_in(tmp_path / "lib" / "preact")
    monkeypatch.setattr(provenance, "HERE", home)
    monkeypatch.delenv("PREACT_COMMIT", raising=False)
    assert provenance.git() == {"commit": None, "dirty": None}
    monkeypatch.setenv("PREACT_COMMIT", "5eed")
    assert provenance.git() == {"commit": "5eed", "dirty": False}


def test_names_and_contents_of_code_are_hashed_and_nothing_else(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(provenance, "HERE", tmp_path)
    digest = provenance.code_sha256.__wrapped__
    code = {"a.py": "x = 1", "room/b.py": "x = 2", "room/c.toml": "x = 1"}
    (tmp_path / "room").mkdir()
    (tmp_path / "results").mkdir()
    for name, text in code.items():
        (tmp_path / name).write_text(text)
    plain = digest()
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "results/d.toml").write_text("y")
    assert digest() == plain
    for name in code:
        (tmp_path / name).write_text("other")
        assert digest() != plain
        (tmp_path / name).write_text(code[name])
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert digest() != plain
    assert len(plain) == 64


def test_a_record_names_machine_and_versions(monkeypatch):
    # a build for CUDA, on a machine or in a run without a GPU
    monkeypatch.setattr(torch.version, "cuda", "99.9")
    told = provenance.environment("cpu", 3)
    assert told["devices"] == 3
    assert told["threads"] == torch.get_num_threads()
    assert told["processors"] == os.cpu_count()
    assert (told["torch"], told["cuda"]) == (torch.__version__, None)
    assert told["python"] == ".".join(map(str, sys.version_info[:3]))
    assert told["deterministic"] is False
    assert re.fullmatch(r"\d+\.\d+\.\d+|not installed", told["preact"])
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists() and "model name" in cpuinfo.read_text():
        assert f": {told['device']}\n" in cpuinfo.read_text()
    assert told["device"]
