"""One probe for the stream: ours or foreign, and nothing is left behind."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from preact import reference
from preact.nn import Network, watch
from preact.plan import stack_plan
from preact.plan.open_paths import OpenPaths, closing
from preact.propagation import draw_batch, open_share, run_units
from preact.spec import BN, RELU, ROWS, TABLE_2, Scale, UnitSpec
from preact.train.profiles import watched as watched_step

UNITS = 4


class Foreign(nn.Module):
    """The original unit as anybody would write it."""

    def __init__(self, width, last_relu=True):
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(width, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 1, bias=False),
            nn.BatchNorm2d(width),
        )
        self.last_relu = last_relu

    def forward(self, x):
        y = self.branch(x)
        y += x
        return torch.relu_(y) if self.last_relu else y


class ForeignNetwork(nn.Module):
    def __init__(self, last_relu=True, width=6):
        super().__init__()
        self.dropout = nn.Dropout(0.3)
        self.blocks = nn.ModuleList(
            Foreign(width, last_relu) for _ in range(UNITS)
        )
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(self.dropout(x.mean((2, 3))))


def batch(width=6):
    torch.manual_seed(0)
    return torch.randn(5, width, 2, 2), torch.randint(0, 10, (5,))


def observe(network, units, images, labels, **options):
    """Watch one training step's passes."""
    with watch(units, **options) as watched:
        nn.functional.cross_entropy(network(images), labels).backward()
    return watched


def ours(row, units=UNITS):
    plan = stack_plan(TABLE_2[row], units=units, width=6, side=2)
    return plan, Network(plan, seed=0)


def test_a_network_without_a_plan_is_watched_unit_by_unit():
    network = ForeignNetwork()
    images, labels = batch()
    seen = observe(network, network.blocks, images, labels)
    x = images
    for i, block in enumerate(network.blocks):
        torch.testing.assert_close(seen.streams[i], x)
        x = block(x)
    torch.testing.assert_close(seen.streams[-1], x)
    # dE/dx_l through the units: what autograd says of x_0
    again = images.clone().requires_grad_()
    stream = again
    for block in network.blocks:
        stream = block(stream)
    (dx,) = torch.autograd.grad(stream, again, seen.gradients[-1])
    torch.testing.assert_close(seen.gradients[0], dx)


@pytest.mark.parametrize("last_relu", [False, True])
def test_autograd_tells_of_a_foreign_unit_whether_a_relu_closes_it(last_relu):
    network = ForeignNetwork(last_relu)
    seen = observe(network, network.blocks, *batch())
    open_, alive = [1.0], torch.ones(5, 6, 2, 2, dtype=torch.bool)
    for x in seen.streams[1:]:
        alive &= (x > 0) | (not last_relu)
        open_.append(float(alive.float().mean()))
    assert [float(s) for s in seen.open_share] == pytest.approx(open_)
    assert (open_[-1] < 0.7) == last_relu


def test_zeros_that_are_no_relus_after_the_addition_close_nothing():
    """F = ReLU(...) >= 0 on x_0 >= 0: where both are 0 so is the sum."""
    _, network = ours("relu-before-addition")
    images, labels = batch()
    seen = observe(network, network.units, images, labels)
    assert (seen.streams[1] == 0).any()
    assert [float(s) for s in seen.open_share] == [1.0] * (UNITS + 1)


@pytest.mark.parametrize("row", TABLE_2)
def test_the_rule_read_from_autograd_is_the_one_of_the_plan(row):
    plan, network = ours(row)
    images, labels = batch()
    rules = [closing(unit.spec) for unit in plan.units]
    guessed = observe(network, network.units, images, labels)
    told = observe(network, network.units, images, labels, closes=rules)
    assert [float(a) for a in guessed.open_share] == [
        float(b) for b in told.open_share
    ]


@pytest.mark.parametrize("row", [r for r in ROWS if "dropout" not in r][::4])
def test_training_profiles_and_propagation_share_the_rule(row):
    plan = stack_plan(ROWS[row], units=UNITS, width=6)
    network = Network(plan, seed=0).double()
    x, labels = draw_batch(plan, 8, 0)
    with watched_step(network, 0) as profile:
        logits = network(torch.tensor(x))
        nn.functional.cross_entropy(logits, torch.tensor(labels)).backward()
    streams, _ = run_units(plan, network.arrays(), x)
    np.testing.assert_allclose(
        profile["open_share"], open_share(plan, streams), rtol=1e-3
    )
    *_, gradients, _ = reference.propagate(plan, network.arrays(), x, labels)
    np.testing.assert_allclose(
        profile["gradient_norm"],
        [np.linalg.norm(g) for g in gradients],
        rtol=1e-3,
    )


def test_a_shortcut_factor_of_zero_closes_all_paths():
    plan = stack_plan(UnitSpec(on_shortcut=Scale(0.0)), units=2, width=3)
    params = reference.initialize(plan, 0)
    streams, _ = run_units(plan, params, draw_batch(plan, 4, 0)[0])
    assert open_share(plan, streams).tolist() == [1.0, 0.0, 0.0]


def test_a_relu_whose_zeros_bn_has_moved_is_not_called_open():
    plan = stack_plan(UnitSpec(after=(RELU, BN)), units=2, width=3)
    params = reference.initialize(plan, 0)
    streams, _ = run_units(plan, params, draw_batch(plan, 4, 0)[0])
    first, *rest = open_share(plan, streams)
    assert first == 1.0
    assert all(math.isnan(share) for share in rest)


def test_a_pass_without_gradients_calls_no_path_open_that_it_cannot_see():
    units = [Foreign(4), nn.Identity()]
    with torch.no_grad(), watch(units) as watched:
        nn.Sequential(*units)(torch.randn(8, 4, 2, 2))
    first, *rest = watched.open_share
    assert first == 1.0
    assert all(math.isnan(share) for share in rest)


def test_a_unit_that_hands_on_its_input_closes_nothing():
    units = [nn.Identity(), nn.Identity()]
    with watch(units) as watched:
        nn.Sequential(*units)(torch.randn(8, 4, 2, 2))
    assert watched.open_share == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("last", ["nothing", "zeros", "unseen"])
def test_what_cannot_be_seen_stays_unseen_and_what_is_closed_closed(last):
    x = torch.ones(2, 3)
    paths = OpenPaths((2, 3))
    assert math.isnan(paths.after_unit(x, "unseen"))
    assert math.isnan(paths.after_unit(x, last))
    assert paths.after_unit(x, "everything") == 0.0
    assert paths.after_unit(x, last) == 0.0


def test_no_hook_is_left_when_a_pass_fails():
    network = ForeignNetwork()
    images, labels = batch()
    with pytest.raises(IndexError):
        observe(network, network.blocks, images, labels + 10)
    assert not any(
        module._forward_hooks or module._forward_pre_hooks
        for module in network.modules()
    )


@pytest.mark.parametrize("memory", ["recompute", "segment"])
def test_units_that_run_again_on_the_way_back_are_seen_once(memory):
    images, labels = batch()
    plan, plain = ours("original", units=6)
    rules = [closing(unit.spec) for unit in plan.units]
    frugal = Network(plan, seed=0, memory=memory)
    seen = []
    for network in (plain, frugal):
        with watch(network.units, closes=rules) as watched:
            loss = nn.functional.cross_entropy(network(images), labels)
            loss.backward()
        seen.append(watched)
    for name in ("streams", "gradients", "open_share"):
        for a, b in zip(*(getattr(w, name) for w in seen), strict=True):
            torch.testing.assert_close(torch.as_tensor(a), torch.as_tensor(b))


def test_lists_that_do_not_belong_together_are_refused():
    network = ForeignNetwork()
    for wrong, message in (
        ({"units": []}, "units must be one module or more; got none"),
        ({"closes": ["zeros"] * 3}, "one for each of 4 units; got 3"),
    ):
        kept = {"units": network.blocks, **wrong}
        with (
            pytest.raises(ValueError, match=message),
            watch(kept.pop("units"), **kept),
        ):
            pass


def test_a_unit_that_returns_no_tensor_is_named():
    class Pair(nn.Module):
        def forward(self, x):
            return x, x

    units = [nn.Identity(), Pair()]
    with (
        watch(units),
        pytest.raises(TypeError, match="unit 1 returns a tuple"),
    ):
        nn.Sequential(*units)(torch.ones(2, 3))
