"""A record names the code that ran, and never somebody else's."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import preact
from paths import ROOT
from preact.experiment import provenance

SOURCE = Path(preact.__file__).parent
ASK = "from preact.experiment.provenance import git; print(git())"


def git(folder, *words):
    return subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def asked(home, **env):
    """What the package in a folder says of itself."""
    return subprocess.run(
        [sys.executable, "-P", "-c", ASK],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(home), **env},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


@pytest.fixture(scope="module")
def vendored(tmp_path_factory):
    """Somebody's repository, with this package inside, and a hook."""
    top = tmp_path_factory.mktemp("theirs")
    ignored = shutil.ignore_patterns("results", "__pycache__")
    shutil.copytree(SOURCE, top / "lib" / "preact", ignore=ignored)
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "mine")
    spy = top / "spy.sh"
    spy.write_text(f"#!/bin/sh\ntouch {top}/was-run\n")
    spy.chmod(0o755)
    git(top, "config", "core.fsmonitor", str(spy))
    return top


def test_the_commit_of_another_repository_is_not_ours(vendored):
    (vendored / "was-run").unlink(missing_ok=True)
    told = asked(vendored / "lib")
    assert told == "{'commit': None, 'dirty': None}"
    assert not (vendored / "was-run").exists()


def test_git_in_the_environment_points_nowhere_else(vendored):
    told = asked(SOURCE.parent, GIT_DIR=str(vendored / ".git"))
    assert git(ROOT, "rev-parse", "HEAD") in told
    assert git(vendored, "rev-parse", "HEAD") not in told


def test_code_without_its_history_is_named_by_who_brought_it(vendored):
    told = asked(vendored / "lib", PREACT_COMMIT="5eed")
    assert told == "{'commit': '5eed', 'dirty': False}"


def test_a_changed_line_changes_the_hash_of_the_code(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(provenance, "HERE", tmp_path)
    hashes = set()
    for text in ("x = 1\n", "x = 2\n"):
        (tmp_path / "a.py").write_text(text)
        provenance.code_sha256.cache_clear()
        hashes.add(provenance.code_sha256())
    provenance.code_sha256.cache_clear()
    assert len(hashes) == 2
