"""Units of one's own in a planned network."""

import pytest
import torch
from torch import nn

from preact.nn import Network, put_units
from preact.plan import cifar_plan

PLAN = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
NETWORK = Network(PLAN, seed=0)  # made first: it draws, too


def unit(c_in, c_out, stride):
    return nn.Conv2d(c_in, c_out, 3, stride, padding=1)


def drawn(seed):
    units = put_units(NETWORK, unit, seed).units
    return torch.cat([p.detach().flatten() for p in units.parameters()])


def test_own_units_are_drawn_by_their_seed_and_leave_the_generator_alone():
    before = torch.random.get_rng_state()
    first = drawn(0)
    torch.rand(3)
    assert drawn(0).equal(first)
    assert not drawn(1).equal(first)
    torch.random.set_rng_state(before)
    drawn(0)
    assert torch.random.get_rng_state().equal(before)


def test_without_a_seed_own_units_are_drawn_as_the_generator_goes_on():
    torch.manual_seed(0)
    first, second = drawn(None), drawn(None)
    torch.manual_seed(0)
    assert drawn(None).equal(first)
    assert not second.equal(first)


class Detached(nn.Conv2d):
    def forward(self, x):
        return super().forward(x.detach())


class Listed(nn.Module):
    """Its layer is in a list, where PyTorch does not look."""

    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.layers = [nn.Conv2d(c_in, c_out, 3, stride, padding=1)]

    def forward(self, x):
        return self.layers[0](x)


def detached(c_in, c_out, stride):
    return Detached(c_in, c_out, 3, stride, padding=1)


@pytest.mark.parametrize(
    ("make", "says"),
    [(detached, "through to its input"), (Listed, "use nn.ModuleList")],
)
def test_a_unit_that_could_not_be_trained_whole_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        put_units(NETWORK, make)


def test_a_seed_of_own_units_may_be_left_out():
    torch.manual_seed(0)
    left_out = put_units(NETWORK, unit).units[0].weight
    torch.manual_seed(0)
    assert put_units(NETWORK, unit, None).units[0].weight.equal(left_out)
