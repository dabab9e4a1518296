"""Both engines refuse the same bad input with the same sentence."""

import re
from typing import Literal

import numpy as np
import pytest
import torch

from preact import reference
from preact.nn import Network
from preact.plan import cifar_plan, stack_plan
from preact.plan.written import WrittenUnit
from preact.spec import TABLE_1, TABLE_2
from preact.typed import Name, parse, typed

PLAN = cifar_plan(TABLE_2["full-preactivation"], depth=8, convs=2, width=2)
VECTORS = stack_plan(TABLE_2["full-preactivation"], units=2, width=4)


def numpy_engine(plan, x):
    reference.network_forward(plan, reference.initialize(plan, 0), x)


def torch_engine(plan, x):
    Network(plan).double()(torch.tensor(x))


ENGINES = pytest.mark.parametrize("run", [numpy_engine, torch_engine])


@ENGINES
def test_wrong_channels(run):
    wanted = r"images must have shape \(N, 3, H, W\); got \(2, 1, 32, 32\)"
    with pytest.raises(ValueError, match=wanted):
        run(PLAN, np.zeros((2, 1, 32, 32)))


@ENGINES
def test_one_value_per_channel_in_training(run):
    wanted = r"needs at least 2 values per channel .*got shape \(1, 4, 1, 1\)"
    with pytest.raises(ValueError, match=wanted):
        run(VECTORS, np.ones((1, 4, 1, 1)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity(bad):
    x = np.zeros((2, 3, 32, 32))
    x[1, 2, 3, 4] = bad
    wanted = "images must be finite numbers; got 1 NaN or infinite values"
    with pytest.raises(ValueError, match=wanted):
        numpy_engine(PLAN, x)


def test_one_value_per_channel_is_legal_in_evaluation():
    network = Network(VECTORS).eval()
    assert network(torch.ones(1, 4, 1, 1)).shape == (1, 10)


def test_dropout_without_a_source_of_masks():
    plan = cifar_plan(TABLE_1["dropout-shortcut"], depth=8, convs=2, width=2)
    with pytest.raises(ValueError, match="needs a mask in training; got None"):
        numpy_engine(plan, np.random.default_rng(0).normal(size=(2, 3, 8, 8)))


@typed
class Row:
    name: Name
    final_bn: Literal["drawn", True, False] = "drawn"
    size: tuple[int, int] = (1, 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"name": "caf\udce9"},
            r"name must be a valid string, unable to parse raw data as a "
            r"unicode string; got 'caf\udce9'",
        ),
        (
            {"name": "a", "final_bn": "yes"},
            "final_bn must be one of 'drawn', true or false; got 'yes'",
        ),
        ({"name": "a", "size": (1,)}, "size[1] is missing"),
    ],
)
def test_a_file_s_values_are_refused_in_words_of_files(values, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Row(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"pre": "BN"}, "pre must be a list; got 'BN'"),
        (
            {"pre": ["BN", "BN"]},
            "pre must have BN and ReLU once each at most; got BN, BN",
        ),
        (
            {"on_shortcut": {"scale": 0.5, "complement": True}},
            "on_shortcut: may say complement and design of a gate only",
        ),
    ],
)
def test_a_unit_in_a_file_says_nothing_twice_or_in_vain(values, message):
    with pytest.raises(ValueError, match=f"^own.toml: {re.escape(message)}$"):
        parse(WrittenUnit, values, "own.toml")


def test_missing_parameters_are_named():
    network = Network(PLAN)
    params = network.arrays()
    del params["units.1.weights.0.weight"]
    with pytest.raises(RuntimeError, match=r"units\.1\.weights\.0\.weight"):
        network.load_arrays(params)


def test_labels_of_no_class_or_of_no_image():
    for labels, got in [
        ([0, 10], r"classes from 0 to 9; got 10"),
        ([-1, 0], r"classes from 0 to 9; got -1"),
        ([0, 1, 2], r"shape \(2,\), one for each image; got \(3,\)"),
    ]:
        x = np.random.default_rng(0).normal(size=(2, *PLAN.image))
        params = reference.initialize(PLAN, 0)
        with pytest.raises(ValueError, match=f"^labels must (be|have) {got}$"):
            reference.propagate(PLAN, params, x, np.array(labels))
