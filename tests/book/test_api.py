"""The package reference: every name, what is said of it, what leads to it."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from enum import Enum
from functools import cache

import pytest
import yaml

import preact
from book.site.api import commands_text, entry_text, pages, rooms
from book.site.api_links import entry_address
from book.site.words import WORDS
from paths import ROOT
from preact.cli.parser import COMMANDS, make_parser
from preact.strings import LANGUAGES
from sampled import sampled


@cache
def entries():
    """Each public name by the path where it lives."""
    return {
        f"{room.path}.{name}": getattr(room.module, name)
        for room in rooms()
        for name in room.names
    }


@cache
def called():
    """Those that are used by a call: functions and classes of ours."""
    return {
        f"{room.path}.{name}": getattr(room.module, name)
        for room in rooms()
        for name in room.names
        if "auto" in entry_text(room, name)
    }


def modules():
    yield preact
    for module in pkgutil.walk_packages(preact.__path__, "preact."):
        if not module.name.endswith("__main__"):
            yield importlib.import_module(module.name)


def test_every_public_name_has_an_entry():
    listed = {
        f"{module.__name__}.{name}"
        for module in modules()
        for name in getattr(module, "__all__", ())
    }
    assert len(listed) > 100
    assert [path for path in listed if entry_address(path, {}) is None] == []


def test_every_parameter_of_every_entry_is_described():
    """In its list, or by its name in the text."""
    offenders = {}
    for path, value in called().items():
        if inspect.isclass(value) and issubclass(value, Enum | Exception):
            continue
        text = inspect.getdoc(value).partition("Examples\n---")[0]
        names = {*inspect.signature(value).parameters} - {"args", "kwargs"}
        if missing := [n for n in names if not re.search(rf"\b{n}\b", text)]:
            offenders[path] = missing
    assert offenders == {}


def example(value):
    return "".join(
        part.source
        for part in doctest.DocTestParser().get_examples(
            inspect.getdoc(value) or ""
        )
    )


def test_every_function_and_class_has_an_example_and_it_calls_a_function():
    for path, value in called().items():
        name = path.rpartition(".")[2]
        shown = example(value)
        assert shown, path
        if inspect.isfunction(value):
            assert re.search(rf"\b{name}\(|@{name}\b", shown), path


def documented(file):
    """Name and text of every docstring of a file that has an example."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            told = ast.get_docstring(node) or ""
            if ">>> " in told:
                yield getattr(node, "name", ""), told


FILES = [
    file
    for file in sorted(ROOT.glob("src/preact/**/*.py"))
    if ">>> " in file.read_text("utf-8")
]
ROOMS = sorted(
    {file.relative_to(ROOT / "src/preact").parts[0] for file in FILES}
)


@pytest.mark.parametrize("room", [*sampled(ROOMS, 5)])
def test_an_example_needs_no_more_than_it_imports(room, tmp_path, monkeypatch):
    """It is copied from the page into a session where nothing is known."""
    monkeypatch.chdir(tmp_path)
    for name, text in (
        one
        for file in FILES
        if file.is_relative_to(ROOT / "src/preact" / room)
        for one in documented(file)
    ):
        session = doctest.DocTestParser().get_doctest(
            text, {"__name__": "__main__"}, name, room, 0
        )
        assert session.examples
        assert doctest.DocTestRunner(verbose=False).run(session).failed == 0
    assert [*tmp_path.iterdir()] == []


def test_the_contents_list_every_page_of_the_reference():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    (index,) = (
        chapter
        for part in toc["parts"]
        for chapter in part["chapters"]
        if chapter["file"] == "api/index"
    )
    files = [index["file"], *(one["file"] for one in index["sections"])]
    listed = [file.removeprefix("api/") for file in files]
    for language in LANGUAGES:
        assert sorted(listed) == sorted(pages(WORDS[language]))


def test_the_page_of_commands_names_each_option_of_each_command(capsys):
    text = commands_text(WORDS["en"])
    parts = re.split(r"^## preact (\w+)$", text, flags=re.MULTILINE)
    told = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert list(told) == list(COMMANDS)
    for name in COMMANDS:
        # what its own `--help` lists, one option a line
        with pytest.raises(SystemExit):
            make_parser().parse_args([name, "--help"])
        options = re.findall(r"^  (--[\w-]+)", capsys.readouterr().out, re.M)
        for option in {*options} - {"--help"}:
            assert re.search(rf"^  .*{option}\b", told[name], re.M), option


def test_a_name_leads_to_its_entry_if_it_can_mean_only_one():
    for text, address in [
        ("preact.plan.cifar_plan", "api/plan#preact.plan.cifar_plan"),
        ("plan.cifar_plan(...)", "api/plan#preact.plan.cifar_plan"),
        ("cifar_plan", "api/plan#preact.plan.cifar_plan"),
        (
            "UnitSpec.is_identity_after",
            "api/spec#preact.spec.UnitSpec.is_identity_after",
        ),
        ("preact.train", "api/train#api-train"),
        ("preact.load", "api/weights#preact.weights.load"),
        ("load", None),  # of data or of weights
        ("train", None),  # a folder, a word
        ("nn.Linear", None),
    ]:
        assert entry_address(text, {}) == address
    imported = {"load": "preact.data.load", "Network": "preact.nn.Network"}
    assert entry_address("load", imported) == "api/data#preact.data.load"
    assert entry_address("Network(plan)", imported).endswith(".nn.Network")
