"""A wrong network is not timed: its errors are seen beside PyTorch's own."""

import math

import pytest
import torch

from preact.bench.errors import Compared, compare
from preact.fast import fast
from preact.nn import Network
from preact.plan import cifar_plan
from preact.spec import TABLE_2

PARTS = ["logits", "gradients", "statistics"]


def compared(view):
    plan = cifar_plan(
        TABLE_2["full-preactivation"], depth=14, convs=2, image=(3, 16, 16)
    )
    rows = compare(view, plan, torch.device("cpu"))
    assert [row.part for row in rows] == PARTS
    return {row.part: row for row in rows}


class Mistaken(Network):
    """A thousandth of one number is wrong, somewhere."""

    part: str

    def run_units(self, x):
        if self.part == "gradients" and x.requires_grad:
            x.register_hook(lambda dx: dx * 1.001)
        return super().run_units(x)

    def forward(self, x):
        if self.part == "statistics":
            self.units[1].weights[1].momentum *= 1.001
        logits = super().forward(x)
        return logits * 1.001 if self.part == "logits" else logits


@pytest.mark.parametrize("part", PARTS)
def test_a_mistake_of_a_thousandth_is_seen(part):
    def view(network):
        network.__class__ = Mistaken
        network.part = part
        return network

    assert not compared(view)[part].agrees


def test_the_kernels_of_this_processor_agree_and_leave_random_numbers_alone():
    torch.manual_seed(3)
    state = torch.get_rng_state()
    assert all(row.agrees for row in compared(fast).values())
    assert torch.equal(torch.get_rng_state(), state)


def test_nan_agrees_with_nothing():
    assert not Compared("logits", math.nan, math.nan).agrees
    assert not Compared("logits", math.nan, 1.0).agrees
