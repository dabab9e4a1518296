"""The fast network is the same function, and shares what it learns."""

import pytest
import torch
import torch.nn.functional as nnf

from preact.fast import fast, kernels
from preact.fast.cpu import bn_relu
from preact.fast.memory import set_memory
from preact.fast.unit import FastUnit
from preact.nn import Network
from preact.nn.layers import BatchNorm, set_ghost_batch
from preact.plan import BatchNorm as Planned
from preact.plan import cifar_plan, stack_plan
from preact.spec import ROWS, TABLE_2
from preact.train.footprint import network_bytes

KINDS = {"basic": (2, 8), "bottleneck": (3, 11), "one convolution": (1, 8)}
# Of float32 through three stages; what grows with depth is not ours to test.
TOLERANCE = 2e-4


def planned(row, kind="bottleneck"):
    convs, depth = KINDS[kind]
    return cifar_plan(
        ROWS[row], depth=depth, convs=convs, image=(3, 8, 8), width=8
    )


def batch(dtype, layout=torch.channels_last):
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(8, 3, 8, 8, generator=rng, dtype=torch.float64)
    labels = torch.randint(0, 10, (8,), generator=rng)
    return x.to(dtype).contiguous(memory_format=layout), labels


def close(ours, exact):
    scale = exact.abs().max().clamp(min=1e-3)
    return float((ours.double() - exact).abs().max() / scale) < TOLERANCE


def backward(network, dtype):
    torch.manual_seed(1)
    x, labels = batch(dtype)
    x.requires_grad_()
    logits = network(x)
    nnf.cross_entropy(logits, labels).backward()
    return logits.detach(), x.grad


@pytest.fixture(autouse=True)
def with_kernels():
    assert kernels() is not None, "these tests need a C compiler"


@pytest.mark.parametrize("ghost", [None, 4])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "row", [*TABLE_2, "no-relu-after-addition", "exclusive-gating-b-6"]
)
def test_values_gradients_and_statistics_are_those_of_float64(
    row, kind, ghost
):
    plan = planned(row, kind)
    exact = Network(plan, seed=0).double()
    plain = Network(plan, seed=0)
    for network in (exact, plain):
        set_ghost_batch(network, ghost)
    ours = fast(plain)
    (want, want_dx), (got, got_dx) = (
        backward(network, dtype)
        for network, dtype in ((exact, torch.float64), (ours, torch.float32))
    )
    assert close(got, want)
    assert close(got_dx, want_dx)
    for (name, a), b in zip(
        ours.named_parameters(), exact.parameters(), strict=True
    ):
        assert close(a.grad, b.grad), name
    for (name, a), b in zip(
        ours.named_buffers(), exact.buffers(), strict=True
    ):
        assert close(a, b), name
    for network in (ours, exact):
        network.eval()
    with torch.no_grad():
        assert close(
            ours(batch(torch.float32)[0]), exact(batch(torch.float64)[0])
        )


@pytest.mark.parametrize("row", TABLE_2)
def test_a_stack_of_1x1_convolutions_is_the_same_function(row):
    plan = stack_plan(TABLE_2[row], units=3, width=8)
    exact, plain = Network(plan, seed=0).double(), Network(plan, seed=0)
    ours = fast(plain)
    x = torch.randn(16, *plan.image, dtype=torch.float64)
    single = x.float().contiguous(memory_format=torch.channels_last)
    for network, images in ((exact, x), (ours, single)):
        network(images).square().sum().backward()
    for a, b in zip(ours.parameters(), exact.parameters(), strict=True):
        assert close(a.grad, b.grad)


@pytest.mark.slow
def test_the_gradient_of_a_deep_network_is_that_of_float64():
    """After some steps: drawn anew, such a network is chaotic."""
    plan = cifar_plan(
        ROWS["full-preactivation"], depth=164, convs=3, image=(3, 8, 8)
    )
    ours = fast(Network(plan, seed=0))
    sgd = torch.optim.SGD(ours.parameters(), lr=0.02, momentum=0.9)
    for _ in range(30):
        sgd.zero_grad()
        backward(ours, torch.float32)
        sgd.step()
    exact = Network(plan).double()
    exact.load_state_dict(ours.state_dict())
    found = []
    for network, dtype in ((ours, torch.float32), (exact, torch.float64)):
        network.zero_grad()
        backward(network, dtype)
        found.append(
            torch.cat(
                [p.grad.double().flatten() for p in network.parameters()]
            )
        )
    got, want = found
    assert (got - want).norm() < 2e-3 * want.norm()


def test_the_fast_path_is_taken_where_it_can_be(monkeypatch):
    taken = []
    real = bn_relu.bn_relu_forward
    monkeypatch.setattr(
        "preact.fast.unit.bn_relu_forward",
        lambda bn, x, y: taken.append(1) or real(bn, x, y),
    )
    ours = fast(Network(planned("full-preactivation"), seed=0))
    ours(batch(torch.float32)[0])
    whole = [unit for unit in ours.units if unit.branch]
    assert len(taken) == 3 * len(whole)
    assert [u.tap_after_pre for u in ours.units] == [
        not u.branch for u in ours.units
    ]
    taken.clear()
    ours(batch(torch.float32, torch.contiguous_format)[0])
    ours.double()(batch(torch.float64)[0])
    assert not taken


def test_names_parameters_and_buffers_are_shared():
    network = Network(planned("original"), seed=0)
    ours = fast(network)
    assert list(ours.state_dict()) == list(network.state_dict())
    for a, b in zip(
        network.state_dict().values(), ours.state_dict().values(), strict=True
    ):
        assert a.data_ptr() == b.data_ptr()
    assert all(isinstance(unit, FastUnit) for unit in ours.units)


@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_evaluation_sees_what_training_has_changed(row):
    network = Network(planned(row), seed=0)
    ours = fast(network)
    x, labels = batch(torch.float32)
    sgd = torch.optim.SGD(ours.parameters(), lr=0.05)
    for _ in range(3):
        ours.train()
        nnf.cross_entropy(ours(x), labels).backward()
        sgd.step()
        sgd.zero_grad()
        for model in (ours, network):
            model.eval()
        with torch.no_grad():
            assert close(ours(x), network(x).double())
    state = {k: v + 0.1 for k, v in network.state_dict().items()}
    network.load_state_dict(state)
    with torch.no_grad():
        assert close(ours(x), network(x).double())


@pytest.mark.parametrize("memory", ["recompute", "unit", "segment"])
def test_frugal_modes_change_nothing_in_the_fast_network(memory):
    networks = [fast(Network(planned("original"), seed=0)) for _ in range(2)]
    set_memory(networks[1], memory)
    for network in networks:
        backward(network, torch.float32)
    plain, frugal = networks
    for a, b in zip(plain.parameters(), frugal.parameters(), strict=True):
        assert torch.equal(a.grad, b.grad)
    for a, b in zip(plain.buffers(), frugal.buffers(), strict=True):
        assert torch.equal(a, b)


def test_half_of_the_activations_are_kept():
    plan = cifar_plan(TABLE_2["full-preactivation"], depth=164, convs=3)
    x = torch.randn(2, 3, 32, 32).contiguous(memory_format=torch.channels_last)
    plain, _ = network_bytes(Network(plan), x)
    frugal = fast(Network(plan))
    set_memory(
        frugal, "recompute"
    )  # for the three units that stay as they were
    ours, _ = network_bytes(frugal, x)
    assert ours <= 0.51 * plain


def test_without_a_compiler_the_function_is_the_same(monkeypatch):
    network = Network(planned("full-preactivation"), seed=0)
    with_them = backward(fast(network), torch.float32)
    network.zero_grad()
    monkeypatch.setattr(bn_relu, "kernels", lambda: None)
    without = backward(fast(network), torch.float32)
    for a, b in zip(with_them, without, strict=True):
        assert close(a, b.double())


def test_a_ghost_batch_that_does_not_divide_the_batch_is_refused():
    ours = fast(Network(planned("full-preactivation"), seed=0))
    set_ghost_batch(ours, 3)
    with pytest.raises(ValueError, match="divide the batch of 8; got 3"):
        ours(batch(torch.float32)[0])


def test_a_large_mean_costs_no_digits():
    x = torch.randn(64, 16, 8, 8) + 1e4
    x = x.contiguous(memory_format=torch.channels_last)
    bn = bn_relu.FastBNReLU(BatchNorm(Planned(name="pre.0", channels=16)))
    seen = bn_relu.bn_relu_forward(bn, x, torch.empty_like(x))
    exact = x.double().var((0, 2, 3), correction=0).add(1e-5).rsqrt()
    assert close(seen.rstd, exact)
