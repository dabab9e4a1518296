"""The table of mutants and properties: every fault, and no false alarm."""

import ast
import random
import re
import sys
import types
from pathlib import Path

import pytest

from conformance.reports import report_of
from preact import Network, cifar_plan, imagenet_plan
from preact import conformance as conformance_room
from preact.book.bugs import zoo as zoo_room
from preact.book.bugs.zoo import MUTANTS, RIGHT
from preact.conformance import Property, Verdict, probe
from preact.plan import CONVENTIONS
from preact.spec import ROWS, TABLE_1, TABLE_2
from sampled import sampled

FAULTY_ROWS = {
    "bn-after-addition": {Property.STREAM},
    "relu-before-addition": {Property.SIGN},
    **{row: {Property.SHORTCUT} for row in TABLE_1 if row != "original"},
}


def faults(report):
    return {finding.property for finding in report.faults}


def answers(report):
    return {(f.property, f.verdict, f.reason) for f in report.findings}


def test_there_are_enough_mutants_and_every_property_is_broken_by_one():
    assert len(MUTANTS) >= 15
    assert {p for m in MUTANTS.values() for p in m.breaks} == set(Property)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_network_in_any_style_has_no_fault_and_no_open_question(name):
    report = report_of(name)
    assert report.row == RIGHT[name].meant
    assert len(report.findings) == len(Property)
    assert all(f.verdict is Verdict.YES for f in report.findings)


@pytest.mark.parametrize(
    ("row", "convs"),
    [
        *sampled([(row, 2) for row in ROWS], 6),
        *((row, convs) for row in TABLE_2 for convs in (1, 3)),
    ],
)
def test_our_network_of_every_row_is_recognized(row, convs):
    plan = cifar_plan(row, units_per_stage=(2, 2, 2), convs=convs)
    report = probe(Network(plan, seed=0), row=row)
    assert report.row == row
    assert faults(report) == FAULTY_ROWS.get(row, set())
    assert (report.parameters, report.multiply_adds) == (
        plan.parameters,
        plan.multiply_adds,
    )
    assert report["size"].evidence["depth"] == plan.depth


@pytest.mark.parametrize("row", ["original", "full-preactivation"])
@pytest.mark.parametrize("preset", [*sampled(CONVENTIONS, 3)])
def test_our_large_network_of_every_preset_matches_its_preset(preset, row):
    plan = imagenet_plan(
        row, convs=3, units_per_stage=(2, 2, 2, 2), width=16, classes=10,
        image=(3, 64, 64), conventions=preset,
    )  # fmt: skip
    report = probe(Network(plan, seed=0), plan.image, row=row)
    assert not report.faults
    assert preset in report["size"].evidence["presets"]


@pytest.mark.parametrize("preset", CONVENTIONS)
@pytest.mark.parametrize("convs", [2, 3])
def test_our_small_network_of_every_preset_matches_its_preset(preset, convs):
    plan = cifar_plan(
        "full-preactivation", units_per_stage=(2, 2, 2), convs=convs,
        conventions=preset,
    )  # fmt: skip
    report = probe(Network(plan, seed=0))
    assert not report.faults
    assert preset in report["size"].evidence["presets"]


class Renamed(ast.NodeTransformer):
    """Gives classes and attributes of a module names without meaning."""

    def __init__(self, tree, draw):
        own = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
        own |= {
            n.attr
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute)
            and isinstance(n.value, ast.Name)
            and n.value.id == "self"
            and isinstance(n.ctx, ast.Store)
        } - {"training"}
        self.names = {name: draw(name) for name in own}

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        node.name = self.names.get(node.name, node.name)
        return node

    def visit_Name(self, node):
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node):
        node.arg = self.names.get(node.arg, node.arg)
        return node

    def visit_Attribute(self, node):
        of = node.value
        rooms = {"self", "interior", "boundaries", "layers", *self.names}
        mine = isinstance(of, ast.Name) and of.id in rooms
        parent = isinstance(of, ast.Call) and ast.unparse(of) == "super()"
        if mine or parent:
            node.attr = self.names.get(node.attr, node.attr)
        self.generic_visit(node)
        return node


def renamed_zoo(seed):
    """The zoo's sources once more, all of its names changed alike."""
    generator = random.Random(seed)
    names = {}

    def draw(name):
        letters = generator.choices("abcdefghijklmnopqrstuvwxyz", k=12)
        return names.setdefault(name, "z" + "".join(letters))

    folder = Path(zoo_room.__file__).parent
    files = ["right", "styles", "interior", "boundaries", "layers", "__init__"]
    trees = {f: ast.parse((folder / f"{f}.py").read_text()) for f in files}
    every = Renamed(
        ast.Module([n for t in trees.values() for n in t.body], []), draw
    )
    package = "renamed_zoo"
    for name in files:  # each after those that it imports
        full = package if name == "__init__" else f"{package}.{name}"
        module = types.ModuleType(full)
        module.__path__ = []
        sys.modules[full] = module
        tree = every.visit(trees[name])
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                node.module = node.module.replace(
                    "preact.book.bugs.zoo", package
                )
                for alias in node.names:
                    alias.name = every.names.get(alias.name, alias.name)
        if name != "__init__":
            setattr(sys.modules.setdefault(package, module), name, module)
        exec(compile(tree, full, "exec"), module.__dict__)
    return sys.modules[package]


@pytest.fixture(scope="module")
def other_names():
    package = renamed_zoo(seed=1)
    yield package
    for name in [n for n in sys.modules if n.startswith("renamed_zoo")]:
        del sys.modules[name]


@pytest.mark.parametrize("name", [*RIGHT, *[*MUTANTS][::4]])
def test_no_answer_changes_when_classes_and_attributes_are_renamed(
    name, other_names
):
    ours = {**RIGHT, **MUTANTS}[name]
    theirs = {**other_names.RIGHT, **other_names.MUTANTS}[name]
    made = theirs.make()
    if name not in ("sequential", "like-torchvision", "identity-modules"):
        assert (
            type(made).__name__
            not in Path(zoo_room.__file__)
            .parent.joinpath("right.py")
            .read_text()
        )
    report = probe(made, theirs.image, row=theirs.meant)
    assert faults(report) == ours.breaks
    assert answers(report) == answers(report_of(name))


def test_no_detector_asks_for_the_name_of_a_class_or_an_attribute():
    room = Path(conformance_room.__file__).parent
    for path in (*room.glob("*.py"), *room.glob("checks/*.py")):
        text = path.read_text("utf-8")
        if path.name == "address.py":
            continue  # it makes networks, and judges none
        assert not re.search(r"named_modules|named_children|_modules", text)
        assert not re.search(r"isinstance\([^)]*nn\.(?!Module\b)", text)
        for line in text.splitlines():
            if "__name__" in line:  # in messages and titles alone
                assert re.search(
                    r"type\((module|error|result)\)\.__name__", line
                )
