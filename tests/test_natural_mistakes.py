"""What everybody tries once is answered in a sentence, not by a traceback."""

import inspect

import numpy as np
import pytest

import preact
from preact import reference
from preact.data import load
from preact.experiment import read_experiment
from preact.experiment.matrix import PlannedRun
from preact.records import read_record
from preact.records.compare import load_records
from preact.spec import TABLE_2
from preact.train import Run, evaluate, find_recipe

DIGITS, RECIPE = load("digits"), find_recipe("digits")
PLAN = preact.cifar_plan("original", depth=8, convs=2, width=2)
GOOD = {
    "row": "original",
    "depth": 8,
    "convs": 2,
    "recipe": RECIPE,
    "data": DIGITS,
}


def test_a_run_that_describes_nothing_is_refused_when_it_is_made():
    for change, sentence in [
        ({"row": TABLE_2["original"]}, "row must be letters, digits"),
        ({"row": "my unit", "unit": TABLE_2["original"]}, "got 'my unit'"),
        ({"row": "orignal"}, "near it: original"),
        ({"data": "digits"}, r"data must be .* preact\.data\.load\('digits'"),
        ({"recipe": "digits"}, r"recipe must be .* find_recipe\('digits'\)"),
        ({"execution": "fast"}, r"execution must be .* Execution\(chann"),
        ({"unit": "original"}, "unit must be .*UnitSpec.*got 'original'"),
        ({"depth": "56"}, "depth must be a positive whole number; got '56'"),
        ({"tail": "BN"}, "tail must be a tuple of distinct BN and RELU"),
        ({"seed": -1}, "seed must be a whole number from 0"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            Run(**GOOD | change)


def state():
    return preact.Network(PLAN)


def test_something_of_another_kind_is_named():
    for call, sentence in [
        (lambda: evaluate("x", DIGITS), r"preact\.Network; got str"),
        (lambda: evaluate(state(), "digits"), "data must be .*; got str"),
        (lambda: preact.save("x", state()), r"preact\.Network; got str"),
    ]:
        with pytest.raises(TypeError, match=sentence):
            call()


def test_something_that_cannot_be_is_refused():
    for call, sentence in [
        (lambda: load(["digits"]), "data must be one of digits, cifar10"),
        (lambda: find_recipe(["digits"]), "recipe must be one of paper"),
        (
            lambda: PlannedRun("a/b", Run(**GOOD)),
            "experiment must be letters, digits, .*; got 'a/b'",
        ),
    ]:
        with pytest.raises(ValueError, match=sentence):
            call()


def test_a_path_may_be_a_string(tmp_path):
    assert read_experiment("smoke").name == "smoke"
    for call in (read_record, preact.load):
        with pytest.raises(FileNotFoundError, match="nothing"):
            call(f"{tmp_path}/nothing")
    with pytest.raises(FileNotFoundError, match="cifar-10"):
        load("cifar10", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no records below"):
        load_records("digits_table_2", str(tmp_path))


@pytest.mark.parametrize("forward", ["unit_forward", "network_forward"])
def test_the_reference_computes_in_no_mode_but_two(forward):
    bare = inspect.unwrap(getattr(reference, forward))  # types are unchecked
    with pytest.raises(
        ValueError, match="mode must be one of 'train', 'eval'; got 'test'"
    ):
        bare(PLAN, {}, np.ones((2, *PLAN.image)), mode="test")
