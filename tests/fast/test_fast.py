"""The fast network is the same function, by one operation a unit."""

from functools import partial

import pytest
import torch
import torch.nn.functional as nnf

from preact.data import load as load_data
from preact.fast import fast as fast_here
from preact.fast import with_memory
from preact.fast.bn_relu import bn_relu_forward
from preact.nn import Network, put_units, with_classes
from preact.nn.layers import BatchNorm, set_ghost_batch
from preact.plan import BatchNorm as Planned
from preact.plan import cifar_plan
from preact.records.speed import fused_gain, fused_pays, load_times
from preact.spec import ROWS, TABLE_2
from preact.weights import load, save

fast = partial(fast_here, fused=True)  # whatever processor this is
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


@pytest.mark.parametrize(
    ("row", "kind", "memory", "ghost"),
    [
        (row, kind, *[("keep", None), ("recompute", 4)][(i + j) % 2])
        for i, row in enumerate(
            [*TABLE_2, "no-relu-after-addition", "exclusive-gating-b-6"]
        )
        for j, kind in enumerate(KINDS)
    ],
)
def test_values_gradients_and_statistics_are_those_of_float64(
    row, kind, ghost, memory
):
    plan = planned(row, kind)
    exact = Network(plan, seed=0).double()
    plain = Network(plan, seed=0)
    for network in (exact, plain):
        set_ghost_batch(network, ghost)
    ours = with_memory(fast(plain), memory)
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


@pytest.mark.parametrize("view", [lambda network: network, fast])
def test_images_of_another_dtype_than_the_weights_are_refused(view):
    network = view(Network(planned("original"), seed=0))
    x, _ = batch(torch.float64)
    with pytest.raises(TypeError, match=r"torch\.float32; got torch\.float64"):
        network(x)
    with torch.autocast("cpu"):
        assert network(x.bfloat16()).shape == (8, 10)


def test_the_fast_path_is_taken_where_it_can_be(compiled):
    """Seen in the graph of autograd: one operation in place of many."""
    ours = fast(Network(planned("full-preactivation"), seed=0))
    x = batch(torch.float32)[0]

    def operations(network, x):
        seen, left = [], [network(x).grad_fn]
        while left:
            node = left.pop()
            if node is not None and node not in seen:
                seen.append(node)
                left += [n for n, _ in node.next_functions]
        names = [node.name() for node in seen]
        return sum("Operation" in name for name in names)

    assert operations(ours, x) == len(ours.units)
    assert operations(ours.double(), x.double()) == 0
    ours.float()
    assert operations(ours, x) == len(ours.units)
    ours.to(memory_format=torch.contiguous_format)
    assert operations(ours, x.contiguous()) == 0


def test_a_view_is_made_of_the_very_modules():
    network = Network(planned("original"), seed=0)
    ours = fast(network)
    assert list(ours.state_dict()) == list(network.state_dict())
    assert [*ours.modules()][1:] == [*network.modules()][1:]
    network.classifier = torch.nn.Linear(network.classifier.in_features, 3)
    assert ours(batch(torch.float32)[0]).shape == (8, 3)


@pytest.mark.parametrize("view", [fast, partial(with_memory, memory="unit")])
def test_a_view_is_saved_and_given_classes_as_its_network(view, tmp_path):
    network = Network(planned("original"), seed=0)
    network.preprocess = load_data("digits").preprocessing("channel")
    save(view(network), tmp_path / "a.safetensors")
    read = view(load(tmp_path / "a.safetensors"))
    assert read.preprocess.names == network.preprocess.names
    pets = with_classes(read, 7, seed=0)
    assert pets(batch(torch.float32)[0]).shape == (8, 7)
    assert (pets.preprocess.names, len(read.preprocess.names)) == ((), 10)


def test_a_view_knows_what_is_put_into_its_network_later():
    network = Network(planned("original"), seed=0)
    ours = fast(network)
    put_units(ours, plain_unit, seed=0)
    assert network.make == f"{__name__}:plain_unit"
    network.make = "my_units:other"
    network.preprocess = torch.square
    assert (ours.make, ours.preprocess) == ("my_units:other", torch.square)


def plain_unit(c_in, c_out, stride):
    return torch.nn.Conv2d(c_in, c_out, 3, stride, padding=1)


@pytest.mark.parametrize("memory", ["recompute", "unit", "segment"])
def test_frugal_modes_change_nothing_in_the_fast_network(memory):
    networks = [fast(Network(planned("original"), seed=0)) for _ in range(2)]
    networks[1] = with_memory(networks[1], memory)
    for network in networks:
        backward(network, torch.float32)
    plain, frugal = networks
    for a, b in zip(plain.parameters(), frugal.parameters(), strict=True):
        assert torch.equal(a.grad, b.grad)
    for a, b in zip(plain.buffers(), frugal.buffers(), strict=True):
        assert torch.equal(a, b)


def test_a_ghost_batch_that_does_not_divide_the_batch_is_refused():
    ours = fast(Network(planned("full-preactivation"), seed=0))
    set_ghost_batch(ours, 3)
    with pytest.raises(ValueError, match="divide the batch of 8; got 3"):
        ours(batch(torch.float32)[0])


def test_a_large_mean_costs_no_digits(compiled):
    x = torch.randn(64, 16, 8, 8) + 1e4
    x = x.contiguous(memory_format=torch.channels_last)
    bn = BatchNorm(Planned(name="pre.0", channels=16))
    seen = bn_relu_forward(bn, x, torch.empty_like(x))
    exact = x.double().var((0, 2, 3), correction=0).add(1e-5).rsqrt()
    assert close(seen.rstd, exact)


@pytest.mark.parametrize(
    "wrong", [torch.nn.DataParallel, lambda n: torch.nn.Linear(1, 1)]
)
def test_what_is_no_network_is_refused(wrong):
    other = wrong(Network(planned("original")))
    with pytest.raises(TypeError, match=r"needs a preact\.nn\.Network itself"):
        fast(other)


def test_a_hook_on_the_network_as_a_whole_is_refused():
    network = Network(planned("original"))
    network.register_forward_hook(lambda *_: None)
    with pytest.raises(TypeError, match="cannot take along a hook"):
        fast(network)


def test_units_are_fused_where_all_records_say_that_it_pays(monkeypatch):
    records = [load_times(name) for name in ("cpu-164", "cpu-1001")]
    assert all(fused_gain(record) >= 1.15 for record in records)
    assert fused_pays(records[0]["device"])
    for other in ("AMD EPYC 7763 64-Core Processor", "arm", ""):
        assert not fused_pays(other)
    row = {"name": "theirs, channels_last", "train_ms_min": 1.0}
    records[0]["rows"].append(row)  # a peer as fast as this takes the ground
    monkeypatch.setattr(
        "preact.records.speed.load_times",
        lambda name: records[name == "cpu-1001"],
    )
    assert not fused_pays(records[0]["device"])


@pytest.mark.parametrize("pays", [True, False])
def test_a_processor_where_it_does_not_pay_runs_the_plain_network(
    monkeypatch, pays
):
    monkeypatch.setattr("preact.fast.network.fused_pays", lambda _: pays)
    network = Network(planned("full-preactivation"))
    view = fast_here(network)
    assert view.fused == pays
    weight = view.units[1].weights[3].weight
    assert weight.is_contiguous(memory_format=torch.channels_last)
