"""The twelve units as lines of code, and the builder's axes."""

import numpy as np
import pytest
import torch
from torch.nn.functional import batch_norm, conv2d

from preact import reference
from preact.book.placements import (
    numpy_line,
    spec_line,
    torch_line,
    twelve_units,
)
from preact.book.units import ticks
from preact.plan import stack_plan
from preact.reference import unit_forward
from preact.reference.layers import bn_forward, conv_forward
from preact.reference.network import unit_params
from preact.spec import BN, RELU, UnitSpec

WAYS = twelve_units()
NAMES = {"UnitSpec": UnitSpec, "BN": BN, "RELU": RELU}


def test_the_line_of_data_is_the_unit():
    for spec in WAYS.values():
        assert eval(spec_line(spec), dict(NAMES)) == spec


@pytest.mark.parametrize("way", [*WAYS][::3])
def test_both_lines_of_code_compute_what_the_package_does(way):
    spec = WAYS[way]
    plan = stack_plan(spec, units=1, width=4, kernel=3, side=5)
    own = unit_params(plan, reference.initialize(plan, seed=0))[0]
    x = np.random.default_rng(1).normal(size=(6, 4, 5, 5))
    expected, _ = unit_forward(plan.units[0], own, x)
    ones, zeros = np.ones(4), np.zeros(4)

    mine = {
        "x": x,
        "W1": own["weights.0.weight"],
        "W2": own["weights.3.weight"],
        "conv": lambda v, W: conv_forward(v, W)[0],
        "bn": lambda v: bn_forward(v, ones, zeros)[0],
        "relu": lambda v: np.maximum(v, 0),
    }
    np.testing.assert_allclose(eval(numpy_line(spec), mine), expected)
    theirs = {"x": torch.tensor(x), "self": Module(own), "relu": torch.relu}
    np.testing.assert_allclose(eval(torch_line(spec), theirs), expected)


class Module:
    """What a PyTorch module would hold: convolutions and BNs."""

    def __init__(self, own):
        own = {name: torch.tensor(value) for name, value in own.items()}
        weights = own["weights.0.weight"], own["weights.3.weight"]
        self.conv1 = lambda v: conv2d(v, weights[0], padding=1)
        self.conv2 = lambda v: conv2d(v, weights[1], padding=1)
        self.bn = self.bn1 = lambda v: batch_norm(v, None, None, training=True)


def test_an_axis_holds_all_values_and_its_ticks_do_not_meet():
    for ends in [(0.5, 2), (0.01, 1e3), (0.02, 3e9)]:
        marks = ticks([np.array(ends)])
        assert marks[0] <= ends[0]
        assert ends[1] <= marks[-1]
        assert 2 < len(marks) < 10
