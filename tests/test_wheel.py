"""The wheel as somebody has it who never saw the repository: six things."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile

import pytest

from paths import ROOT

pytestmark = pytest.mark.slow
TRAIN = [
    *("train", "--depth", "8", "--width", "4"),
    *("--iterations", "4", "--batch", "16", "--device", "cpu"),
]
OWN = """
title = "A unit of my own"
[scientific]
rows = ["original", { name = "mine", pre = ["BN"], post = ["ReLU"] }]
networks = [{ depth = 8, convs = 2, width = 4 }]
[fixed]
recipe = "digits"
recipe_changes = { iterations = 4, batch = 8, ghost_batch = 8, drop_at = [3] }
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The package installed from its wheel, without network and sources."""
    folder = tmp_path_factory.mktemp("wheel")
    offline = ["--no-deps", "--no-index", "--quiet"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    build = ["wheel", *offline, "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*pip, *build, str(ROOT)], check=True)
    (path,) = folder.glob("preact_resnet-*.whl")
    target = ["install", *offline, "--target", str(folder / "site")]
    subprocess.run([*pip, *target, str(path)], check=True)
    return path


@pytest.fixture
def python(wheel, tmp_path):
    """Run Python, or `preact`, in an empty folder; what it prints."""
    site = wheel.parent / "site"
    there = {"PYTHONPATH": str(site), "HOME": str(tmp_path), "COLUMNS": "100"}

    def run(*arguments, code=0):
        told = subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=tmp_path,
            env={**os.environ, **there},
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == code, told.stderr
        return told.stdout if code == 0 else told.stderr

    home = run("-c", "import preact; print(preact.__file__)")
    assert home.startswith(str(site))
    return run


@pytest.fixture
def preact(python):
    return lambda *words, code=0: python("-m", "preact", *words, code=code)


def test_it_holds_what_it_needs_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        "py.typed",
        "experiments/table_2.toml",
        "weights.py",
        "book/shortcuts/zh-Hant.toml",
    ):
        assert f"preact/{name}" in names
    for pattern in (
        *(r"\.safetensors$", r"\.pt$", r"\.sh$", "^tests", "^book"),
        *(r"explorer\.(?:js|css)$", r"claims\.toml$"),  # the site's alone
    ):
        assert not [name for name in names if re.search(pattern, name)]
    assert wheel.stat().st_size < 5e6


def test_1_a_network_is_trained_kept_loaded_and_evaluated(
    preact, python, tmp_path
):
    preact(*TRAIN)
    (kept,) = tmp_path.rglob("*.safetensors")
    kept.rename(tmp_path / "mine.safetensors")
    said = json.loads(preact("eval", "mine.safetensors", "--json"))
    record = python(
        "-c",
        "from pathlib import Path; from preact.records import read_record; "
        "(path,) = Path('runs').rglob('seed-1.json'); "
        "print(read_record(path).test_error_pct)",
    )
    assert said["test_error_pct"] == float(record)
    loaded = "import preact; n = preact.load('mine.safetensors'); "
    assert python("-c", loaded + "print(n.plan.depth)") == "8\n"


def test_2_a_unit_of_ones_own_stands_in_a_file(preact, tmp_path):
    (tmp_path / "own.toml").write_text(OWN)
    preact("ablate", "own.toml", "--device", "cpu", "--save")
    assert len([*tmp_path.rglob("seed-1.safetensors")]) == 2
    report = preact("report", "own", "--results", "runs", "--json")
    rows = {line["row"] for line in json.loads(report)["lines"]}
    assert rows == {"original", "mine"}


def test_3_an_experiment_is_found_by_its_name(preact):
    said = preact("ablate", "tabel_2", code=2)
    assert "near it: table_2" in said
    assert len(said.splitlines()) == 1
    assert "smoke" in preact("ablate", "smoke", "--dry-run")


def test_4_images_of_ones_own_are_trained_on(python, tmp_path):
    (tmp_path / "own.py").write_text("""
import dataclasses
import torch
from preact.data import ImageSet
from preact.experiment import (execute)
from preact.experiment.matrix import (PlannedRun)
from preact.train import Run, find_recipe

images = torch.randint(0, 256, (48, 3, 8, 8), dtype=torch.uint8)
labels = torch.arange(48) % 3
data = ImageSet(
    name="mine", label="mine", classes=3, train_images=images,
    train_labels=labels, test_images=images, test_labels=labels,
)
recipe = dataclasses.replace(
    find_recipe("digits"), iterations=3, batch=16, ghost_batch=16
)
run = Run(row="original", depth=8, convs=2, recipe=recipe, data=data)
record, new = execute(PlannedRun("mine", run), "runs", device="cpu")
print(record.data, new)
""")
    assert python("own.py") == "mine True\n"
    assert [*tmp_path.rglob("runs/mine/mine/resnet-8-2/original/*.safeten*")]


def test_5_programs_read_json_and_the_version(preact, wheel):
    assert (
        json.loads(preact("plan", "--depth", "1001", "--json"))["parameters"]
        == 10_327_706
    )
    report = json.loads(preact("report", "digits_table_2", "--json"))
    assert len(report["lines"]) == 12
    version = wheel.name.split("-")[1]
    assert preact("--version") == f"preact {version}\n"


def test_its_metadata_name_what_it_imports(wheel):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[>=<\[]", one)[0] for one in project["dependencies"]}
    assert {"torch", "numpy", "safetensors", "pydantic"} <= names
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith("METADATA")]
        text = archive.read(name).decode()
    assert "Requires-Dist: safetensors" in text
