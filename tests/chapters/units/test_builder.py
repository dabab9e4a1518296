"""Twelve units from one BN and one ReLU: counted, written, measured."""

from itertools import product

import numpy as np
import pytest
import torch
from torch.nn.functional import batch_norm, conv2d

from engine.calls import call, needs_node
from preact import reference
from preact.book.placements import (
    PLACES,
    key,
    measure,
    numpy_line,
    row_of,
    spec_line,
    torch_line,
    twelve_units,
)
from preact.book.units import growth_by_place_of_bn
from preact.plan import stack_plan
from preact.propagation import profile
from preact.reference import unit_forward
from preact.reference.layers import bn_forward, conv_forward
from preact.reference.network import unit_params
from preact.spec import BN, RELU, TABLE_2, UnitSpec

WAYS = twelve_units()
claim = pytest.mark.claim
SOME_WAYS = pytest.mark.parametrize("way", [*WAYS][::2])


def test_one_bn_and_one_relu_have_twelve_arrangements():
    assert len(WAYS) == len(set(WAYS.values())) == 12
    for spec in WAYS.values():
        assert sorted(spec.pre + spec.post + spec.after) == [BN, RELU]


def test_the_paper_has_five_of_them():
    assert [row_of(spec) for spec in WAYS.values()] == [*TABLE_2] + 7 * [None]


def test_the_line_of_data_is_the_unit():
    names = {"UnitSpec": UnitSpec, "BN": BN, "RELU": RELU}
    for spec in WAYS.values():
        assert eval(spec_line(spec), names) == spec


@SOME_WAYS
def test_both_lines_of_code_compute_what_the_package_does(way):
    spec = WAYS[way]
    plan = stack_plan(spec, units=1, width=4, kernel=3, side=5)
    own = unit_params(plan, reference.initialize(plan, seed=0))[0]
    x = np.random.default_rng(1).normal(size=(6, 4, 5, 5))
    expected, _ = unit_forward(plan.units[0], own, x)
    W1, W2 = own["weights.0.weight"], own["weights.3.weight"]
    ones, zeros = np.ones(4), np.zeros(4)
    mine = {
        "x": x,
        "W1": W1,
        "W2": W2,
        "conv": lambda v, W: conv_forward(v, W)[0],
        "bn": lambda v: bn_forward(v, ones, zeros)[0],
        "relu": lambda v: np.maximum(v, 0),
    }
    np.testing.assert_allclose(eval(numpy_line(spec), mine), expected)
    theirs = {
        "x": torch.tensor(x),
        "self": Module(torch.tensor(W1), torch.tensor(W2)),
        "relu": torch.relu,
    }
    np.testing.assert_allclose(eval(torch_line(spec), theirs), expected)


class Module:
    """What a PyTorch module would hold: two convolutions, two BNs."""

    def __init__(self, W1, W2):
        self.conv1 = lambda v: conv2d(v, W1, padding=1)
        self.conv2 = lambda v: conv2d(v, W2, padding=1)
        self.bn = self.bn1 = lambda v: batch_norm(v, None, None, training=True)


@pytest.mark.parametrize("way", [*WAYS][::4])
def test_what_is_shown_is_what_propagation_measures(way):
    shown = measure(WAYS[way], units=5, width=8, batch=32, seeds=2)
    plan = stack_plan(WAYS[way], units=5, width=8)
    for seed in range(2):
        run = profile(plan, batch=32, seed=seed)
        relative = run.gradient_norm / run.gradient_norm[-1]
        np.testing.assert_array_equal(shown.signal[seed], run.signal_rms)
        np.testing.assert_array_equal(shown.gradient[seed], relative)
        np.testing.assert_array_equal(
            shown.open_share[seed], run.open_share[-1]
        )


@needs_node
def test_the_page_names_every_choice_as_python_does():
    choices, wanted = [], []
    for bn, relu, relu_first in product(PLACES, PLACES, (False, True)):
        choices.append({"bn": bn, "relu": relu, "reluFirst": relu_first})
        places = {bn: (BN,), relu: (RELU,)}
        if bn == relu:
            places = {bn: (RELU, BN) if relu_first else (BN, RELU)}
        wanted.append(key(UnitSpec(**places)))
    ways = call("units.wayOf", [[choice] for choice in choices])
    assert ways == wanted
    assert set(wanted) == set(WAYS)
    choices = call("units.choiceOf", [[way] for way in ways])
    assert call("units.wayOf", [[c] for c in choices]) == wanted


@pytest.mark.slow
def test_the_growth_of_a_place_is_the_median_over_its_units():
    growth = growth_by_place_of_bn()
    for place in ("pre", "post", "after"):
        ratios = [
            np.median(measure(spec).gradient[:, 0])
            for spec in twelve_units().values()
            if BN in getattr(spec, place)
        ]
        assert len(ratios) == 4
        assert growth[f"place_{place}"] == np.median(ratios)
