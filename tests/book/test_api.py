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
from book.site.api import entry_of, entry_text, pages, rooms
from book.site.words import WORDS
from paths import ROOT
from preact.strings import LANGUAGES
from sampled import sampled


@cache
def entries():
    """Each public name by the path where it lives."""
    return {
        f"{room.__name__}.{name}": getattr(room, name)
        for room in rooms()
        for name in room.__all__
    }


@cache
def called():
    """Those that are used by a call: functions and classes of ours."""
    return {
        f"{room.__name__}.{name}": getattr(room, name)
        for room in rooms()
        for name in room.__all__
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
    door = {f"preact.{name}" for name in preact.__all__}
    assert listed - entries().keys() == door


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


def test_a_name_leads_to_its_entry_if_it_can_mean_only_one():
    there = {*entries(), "preact.train", "preact.spec.UnitSpec.pre"}
    for text, path in [
        ("preact.plan.cifar_plan", "preact.plan.cifar_plan"),
        ("plan.cifar_plan(...)", "preact.plan.cifar_plan"),
        ("cifar_plan", "preact.plan.cifar_plan"),
        ("preact.cifar_plan", "preact.plan.cifar_plan"),
        ("UnitSpec.pre", "preact.spec.UnitSpec.pre"),
        ("preact.train", "preact.train"),
        ("preact.load", "preact.weights.load"),
        ("load", None),  # of data or of weights
        ("train", None),  # a folder, a word
        ("nn.Linear", None),
    ]:
        assert entry_of(text, there, {}) == path
    imported = {"load": "preact.data.load", "Network": "preact.nn.Network"}
    assert entry_of("load", there, imported) == "preact.data.load"
    assert entry_of("Network(plan)", there, imported) == "preact.nn.Network"
    imported = {"probe": "preact.conformance.probing.probe"}
    path = entry_of("probe", there, imported)
    assert path == "preact.conformance.probe"
