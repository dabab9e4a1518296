"""Every unit of the tables as lines of code, and the builders' axes."""

import numpy as np
import pytest
import torch
from torch.nn.functional import batch_norm, conv2d

from preact import reference
from preact.book.builder import ticks
from preact.book.placements import (
    numpy_line,
    spec_line,
    torch_line,
    twelve_units,
)
from preact.plan import stack_plan
from preact.reference import unit_forward
from preact.reference.layers import bn_forward, conv_forward, sigmoid
from preact.reference.network import unit_params
from preact.spec import (
    BN,
    RELU,
    TABLE_1,
    Conv1x1,
    Dropout,
    Gated,
    Scale,
    UnitSpec,
)

ALL_WAYS = TABLE_1 | twelve_units()
SOME_WAYS = pytest.mark.parametrize("way", [*ALL_WAYS][::3])
NAMES = {
    "UnitSpec": UnitSpec,
    "BN": BN,
    "RELU": RELU,
    "Scale": Scale,
    "Gated": Gated,
    "Dropout": Dropout,
    "Conv1x1": Conv1x1,
}


def test_the_line_of_data_is_the_unit():
    for spec in ALL_WAYS.values():
        assert eval(spec_line(spec), dict(NAMES)) == spec


@SOME_WAYS
def test_both_lines_of_code_compute_what_the_package_does(way):
    spec = ALL_WAYS[way]
    plan = stack_plan(spec, units=1, width=4, kernel=3, side=5)
    own = unit_params(plan, reference.initialize(plan, seed=0))[0]
    x = np.random.default_rng(1).normal(size=(6, 4, 5, 5))
    mask = 2.0 * (np.random.default_rng(2).random(x.shape) >= 0.5)
    expected, _ = unit_forward(plan.units[0], own, x, mask=mask)
    ones, zeros = np.ones(4), np.zeros(4)

    def gate(v):
        weight, bias = own["gate.0.weight"], own["gate.0.bias"]
        return sigmoid(conv_forward(v, weight, bias)[0])

    mine = {
        "x": x,
        "mask": mask,
        "W1": own["weights.0.weight"],
        "W2": own["weights.3.weight"],
        "Ws": own.get("shortcut.0.weight"),
        "g": gate,
        "conv": lambda v, W: conv_forward(v, W)[0],
        "bn": lambda v: bn_forward(v, ones, zeros)[0],
        "relu": lambda v: np.maximum(v, 0),
    }
    np.testing.assert_allclose(eval(numpy_line(spec), mine), expected)
    theirs = {
        "x": torch.tensor(x),
        "self": Module(own),
        "relu": torch.relu,
        "dropout": lambda v, _: v * torch.tensor(mask),
    }
    np.testing.assert_allclose(eval(torch_line(spec), theirs), expected)


class Module:
    """What a PyTorch module would hold: convolutions, BNs, a gate."""

    def __init__(self, own):
        own = {name: torch.tensor(value) for name, value in own.items()}
        weights = own["weights.0.weight"], own["weights.3.weight"]
        self.conv1 = lambda v: conv2d(v, weights[0], padding=1)
        self.conv2 = lambda v: conv2d(v, weights[1], padding=1)
        self.bn = self.bn1 = lambda v: batch_norm(v, None, None, training=True)
        self.shortcut = lambda v: self.bn(conv2d(v, own["shortcut.0.weight"]))
        self.g = lambda v: torch.sigmoid(
            conv2d(v, own["gate.0.weight"], own["gate.0.bias"])
        )


@pytest.mark.parametrize("ends", [(0.5, 2), (0.01, 1e3), (0.02, 3e9)])
def test_an_axis_holds_all_values_and_its_ticks_do_not_meet(ends):
    marks = ticks([np.array(ends)])
    assert marks[0] <= ends[0]
    assert ends[1] <= marks[-1]
    assert 2 < len(marks) < 10
