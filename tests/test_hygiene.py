"""What must hold of the whole tree."""

import ast
import re
import subprocess
import sys

from paths import ROOT
from preact.strings import Strings

TRACKED = subprocess.run(
    ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd=ROOT,
    capture_output=True,
    check=True,
    text=True,
).stdout.split("\0")[:-1]
SOURCES = [ROOT / name for name in TRACKED if name.startswith("src/")]
MODULES = [path for path in SOURCES if path.suffix == ".py"]
TESTS = [
    ROOT / name
    for name in TRACKED
    if name.startswith("tests/") and name.endswith(".py")
]


def test_the_rooms_of_the_book_work_without_ipython():
    """As the wheel is installed: cells that show something print it."""
    code = (
        "import sys\n"
        "sys.modules['IPython'] = None\n"
        "from preact.book import check, glue, setup\n"
        "setup('en')\n"
        "glue('depth', 110)\n"
        "check('signal-4', ...)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
    )
    shown, asked = told.stdout.splitlines()
    assert "110" in shown
    assert asked == Strings("en")("check.prompt")


def test_nobody_is_told_to_install_our_name_from_an_index():
    """The name may be anybody's there; an address may follow it."""
    told = re.compile(r"pip install\b[^`\n]*[ \"']preact(?!\w| @ |-)")
    texts = [name for name in TRACKED if not name.startswith("tests/")]
    asked = [
        name
        for name in texts
        if name.endswith((".md", ".py", ".toml", ".yml", ".ipynb", "Makefile"))
        and told.search((ROOT / name).read_text("utf-8"))
    ]
    assert len(texts) > 500
    assert asked == []


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


def undocumented(source):
    """What the docstrings of a file lack: a sentence for each function."""
    for node, document in public_functions(ast.parse(source)):
        if node.name.startswith("_"):
            continue
        if not document:
            yield f"{node.lineno} {node.name} has no docstring"
            continue
        raises = any(
            isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call)
            for child in own_nodes(node)
        )
        told = re.search("Raises|Refuse|Error", document)
        if raises and not told:
            yield f"{node.lineno} {node.name} does not tell of its errors"


def test_every_public_function_has_a_docstring_with_its_errors():
    faults = {p: [*undocumented(p.read_text("utf-8"))] for p in MODULES}
    assert faults
    assert not {path: said for path, said in faults.items() if said}


def lost(name, source):
    """Whether a file of this name has tests that would never run, or none."""
    tests = re.search(r"^def test_", source, re.MULTILINE)
    return name.startswith("test_") != bool(tests)


def test_no_test_is_lost():
    files = [path for path in TESTS if path.name != "conftest.py"]
    assert not [p for p in files if lost(p.name, p.read_text("utf-8"))]


def test_no_file_knows_the_machine_it_was_written_on():
    homes = re.compile(r"/(?:home|root|Users|work)/[\w.-]+/")
    for name in TRACKED:
        path = ROOT / name
        if (
            path.suffix in {".png", ".ico", ".npz", ".pt", ".woff2"}
            or not path.is_file()
        ):
            continue
        home = homes.search(path.read_text("utf-8"))
        assert not home, f"{name}: {home and home[0]}"


def test_the_tree_is_small():
    """A clone comes in seconds; records are most of it, so raise with care."""
    sizes = {
        name: (ROOT / name).stat().st_size
        for name in TRACKED
        if (ROOT / name).exists()
    }
    assert sum(sizes.values()) < 25e6, sorted(sizes, key=sizes.get)[-9:]
