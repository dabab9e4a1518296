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


def public_functions(tree):
    """Functions and methods that can be called, with what documents them.

    Properties and `forward` may leave it to their class to speak for them.
    """
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node, ast.get_docstring(node)
        elif isinstance(node, ast.ClassDef):
            for child in node.body:
                if isinstance(child, ast.FunctionDef):
                    own = ast.get_docstring(child) or ast.get_docstring(node)
                    yield child, own


def own_nodes(function):
    """Its nodes without those of functions defined inside it."""
    inner = {
        node
        for child in ast.walk(function)
        if isinstance(child, ast.FunctionDef) and child is not function
        for node in ast.walk(child)
    }
    return [node for node in ast.walk(function) if node not in inner]


@pytest.mark.parametrize(
    "path", MODULES, ids=lambda p: str(p.relative_to(ROOT))
)
def test_every_public_function_has_a_docstring_with_its_errors(path):
    for node, document in public_functions(ast.parse(path.read_text("utf-8"))):
        if node.name.startswith("_"):
            continue
        where = f"{path}:{node.lineno} {node.name}"
        assert document, f"{where} has no docstring"
        raises = [
            child
            for child in own_nodes(node)
            if isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call)
        ]
        told = "Raises" in document or "Refuse" in document
        assert told or not raises, f"{where} does not tell of its errors"


def test_there_is_no_room_for_odds_and_ends():
    names = {path.stem for path in SOURCES}
    assert not names & {"utils", "util", "common", "helpers", "misc"}


def test_no_file_knows_the_machine_it_was_written_on():
    homes = re.compile(r"/(?:home|root|Users|work)/[\w.-]+/")
    for name in TRACKED:
        path = ROOT / name
        if path.suffix in {".png", ".ico", ".woff2"} or not path.is_file():
            continue
        home = homes.search(path.read_text("utf-8"))
        assert not home, f"{name}: {home and home[0]}"


def test_the_tree_is_small():
    paths = [ROOT / name for name in TRACKED]
    assert sum(p.stat().st_size for p in paths if p.exists()) < 20e6
