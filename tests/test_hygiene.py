"""What must hold of the whole tree."""

import ast
import re
import subprocess
import sys

import pytest

from paths import ROOT

LIGHT = ["spec", "plan", "paper", "strings", "reference", "figures"]
TRACKED = subprocess.run(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT,
    capture_output=True,
    check=True,
    text=True,
).stdout.split("\0")[:-1]
SOURCES = [ROOT / name for name in TRACKED if name.startswith("src/")]
MODULES = [path for path in SOURCES if path.suffix == ".py"]


@pytest.mark.parametrize("room", LIGHT)
def test_importing_a_light_room_loads_no_torch(room):
    code = (
        f"import sys, preact.{room}; "
        "heavy = {'torch', 'IPython', 'sklearn'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "path", MODULES, ids=lambda p: str(p.relative_to(ROOT))
)
def test_a_source_file_is_short_enough_to_be_read(path):
    assert len(path.read_text("utf-8").splitlines()) <= 330


def test_every_public_function_has_a_docstring_with_its_errors():
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            if node.name.startswith("_") or not ast.get_docstring(node):
                continue
            raises = [
                n
                for n in ast.walk(node)
                if isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call)
            ]
            document = ast.get_docstring(node) or ""
            told = "Raises" in document or "Refuse" in document
            assert told or not raises, f"{path}:{node.lineno} {node.name}"


def test_there_is_no_room_for_odds_and_ends():
    names = {path.stem for path in SOURCES}
    assert not names & {"utils", "util", "common", "helpers", "misc"}


def test_no_file_knows_the_machine_it_was_written_on():
    homes = re.compile(r"/(?:home|root|Users|work)/[\w.-]+/")
    for name in TRACKED:
        path = ROOT / name
        if path.suffix in {".png", ".ico", ".woff2"} or not path.exists():
            continue
        found = homes.search(path.read_text("utf-8"))
        assert not found, f"{name}: {found and found[0]}"


def test_the_tree_is_small():
    paths = [ROOT / name for name in TRACKED]
    assert sum(p.stat().st_size for p in paths if p.exists()) < 20e6
