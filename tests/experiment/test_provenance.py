"""A record names the code that ran, and never somebody else's."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
import torch

import preact
from paths import ROOT
from preact.experiment import provenance
from preact.experiment.provenance import package_version

SOURCE = Path(preact.__file__).parent
ASK = """
import json, os, sys
from preact.experiment.provenance import git
for variables in json.loads(sys.argv[1]):
    os.environ.update(variables)
    print(git())
"""


def git(folder, *words):
    return subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def asked(home, *variables):
    """What the package in a folder says of itself, as variables are added."""
    return subprocess.run(
        [sys.executable, "-P", "-c", ASK, json.dumps(variables)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(home)},
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


@pytest.mark.slow
def test_the_commit_of_another_repository_is_not_ours(vendored):
    """Nor does its hook run; who has brought the code may name its commit."""
    (vendored / "was-run").unlink(missing_ok=True)
    told = asked(vendored / "lib", {}, {"PREACT_COMMIT": "5eed"})
    assert told.splitlines() == [
        "{'commit': None, 'dirty': None}",
        "{'commit': '5eed', 'dirty': False}",
    ]
    assert not (vendored / "was-run").exists()


@pytest.mark.slow
def test_git_in_the_environment_points_nowhere_else(vendored):
    told = asked(SOURCE.parent, {"GIT_DIR": str(vendored / ".git")})
    assert git(ROOT, "rev-parse", "HEAD") in told
    assert git(vendored, "rev-parse", "HEAD") not in told


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """This package alone, checked in where it lies in our repository."""
    top = tmp_path_factory.mktemp("ours")
    home = top / "src" / "preact"
    (home / "results").mkdir(parents=True)
    (home / "__init__.py").write_text("")
    (home / "results" / "a.json").write_text("{}")
    git(top, "init", "-q")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "ours")
    return home


@pytest.mark.parametrize(
    ("changed", "dirty"),
    [(None, False), ("results/a.json", False), ("__init__.py", True)],
)
def test_changed_code_is_told_and_new_results_are_no_code(
    ours, monkeypatch, changed, dirty
):
    git(ours, "checkout", "-q", ".")
    if changed:
        (ours / changed).write_text("changed = True")
    monkeypatch.setattr(provenance, "HERE", ours)
    assert provenance.git() == {
        "commit": git(ours, "rev-parse", "HEAD"),
        "dirty": dirty,
    }


def test_a_folder_of_our_name_that_is_not_checked_in_is_not_ours(
    ours, monkeypatch
):
    git(ours, "checkout", "-q", ".")
    git(ours, "rm", "-q", "--cached", "__init__.py")
    try:
        monkeypatch.setattr(provenance, "HERE", ours)
        monkeypatch.delenv("PREACT_COMMIT", raising=False)
        assert provenance.git() == {"commit": None, "dirty": None}
    finally:
        git(ours, "reset", "-q", "--hard")


def code_hash(folder, monkeypatch, **contents):
    for name in folder.rglob("*.*"):
        name.unlink()
    for name, text in contents.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(provenance, "HERE", folder)
    provenance.code_sha256.cache_clear()
    try:
        return provenance.code_sha256()
    finally:
        provenance.code_sha256.cache_clear()


def test_names_and_contents_of_code_are_hashed_and_nothing_else(
    tmp_path, monkeypatch
):
    def asked(**contents):
        return code_hash(tmp_path, monkeypatch, **contents)

    plain = asked(a_py="x = 1", room__b_c="int x;", room__c_toml="x = 1")
    same = {"a_py": "x = 1", "room__b_c": "int x;", "room__c_toml": "x = 1"}
    assert asked(**same, a_md="text", results__d_toml="y") == plain
    for change in (
        {"a_py": "x = 2"},
        {"room__b_c": "int y;"},
        {"room__c_toml": "x = 2"},
        {"room__d_py": ""},
    ):
        assert asked(**same | change) != plain, change
    moved = {"b_py": "x = 1", "room__b_c": "int x;", "room__c_toml": "x = 1"}
    assert asked(**moved) != plain
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
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists() and "model name" in cpuinfo.read_text():
        assert f": {told['device']}\n" in cpuinfo.read_text()
    assert told["device"]


def test_a_package_that_is_only_found_has_no_version(monkeypatch):
    assert re.fullmatch(r"\d+\.\d+\.\d+|not installed", package_version())

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(provenance, "version", missing)
    assert package_version() == "not installed"
