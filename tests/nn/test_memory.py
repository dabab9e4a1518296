"""Less memory, the same function: values, gradients, running statistics."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as nnf
from torch import nn

from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.plan import cifar_plan
from preact.spec import ROWS
from preact.train.footprint import step_bytes

FRUGAL = ["recompute", "unit", "segment"]
frugal = pytest.mark.parametrize("memory", FRUGAL)


def network_of(memory, row="full-preactivation", convs=2, depth=20):
    plan = cifar_plan(
        ROWS[row], depth=depth, convs=convs, image=(3, 8, 8), width=4
    )
    return Network(plan, seed=0, memory=memory)


def batch():
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(8, 3, 8, 8, generator=rng)
    return x, torch.randint(0, 10, (8,), generator=rng)


def step(network):
    """All that one forward and one backward pass leave behind."""
    x, labels = batch()
    x.requires_grad_()
    torch.manual_seed(0)
    logits = network(x)
    nnf.cross_entropy(logits, labels).backward()
    gradients = [p.grad for p in network.parameters() if p.grad is not None]
    return [logits.detach(), x.grad, *gradients, *network.buffers()]


def assert_same(ours, plain):
    for i, (a, b) in enumerate(zip(ours, plain, strict=True)):
        assert torch.equal(a, b), i


@frugal
@pytest.mark.parametrize(
    "case",
    [
        {"row": "original"},
        {"row": "full-preactivation"},
        {"row": "exclusive-gating-b-6"},
        {"row": "dropout-shortcut"},
        {"row": "relu-only-preactivation"},
        {"row": "full-preactivation", "convs": 3, "depth": 29},
    ],
    ids=lambda case: "-".join(map(str, case.values())),
)
def test_a_frugal_step_is_the_plain_one_to_the_last_bit(case, memory):
    networks = [network_of(way, **case) for way in ("keep", memory)]
    for network in networks:
        set_ghost_batch(network, 4 if "convs" in case else None)
    plain, ours = map(step, networks)
    assert_same(ours, plain)


def frozen_statistics(network):
    network.units[1].weights[1].eval()


def frozen_weights(network):
    network.units[1].weights[0].weight.requires_grad_(False)
    network.units[3].requires_grad_(False)


def other_layers(network):
    """Among them dropout, whose mask must be the same when it runs again."""
    network.units[1].weights[1] = nn.BatchNorm2d(4)
    network.units[3].weights[2] = nn.Dropout(0.5)
    network.units[5] = nn.Identity()


def hooks(network):
    network.units[1].weights[1].register_forward_hook(lambda _m, _x, y: y / 2)
    network.units[3].register_forward_pre_hook(lambda _m, x: x[0] * 2)
    network.units[4].register_full_backward_hook(
        lambda _m, dx, _dy: (dx[0] * 0.5,)
    )


@frugal
@pytest.mark.parametrize(
    "change",
    [nn.Module.eval, frozen_statistics, frozen_weights, other_layers, hooks],
)
def test_what_is_done_to_a_network_has_the_same_result(change, memory):
    networks = [network_of(way) for way in ("keep", memory)]
    for network in networks:
        change(network)
    plain, ours = map(step, networks)
    assert_same(ours, plain)


@frugal
def test_gradients_of_gradients_and_second_backward_passes_agree(memory):
    found = []
    for network in map(network_of, ("keep", memory)):
        x, labels = batch()
        x.requires_grad_()
        loss = nnf.cross_entropy(network(x), labels)
        (dx,) = torch.autograd.grad(loss, x, create_graph=True)
        penalty = loss + dx.square().sum()
        penalty.backward(retain_graph=True)
        penalty.backward()
        found.append([x.grad, *(p.grad for p in network.parameters())])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b)


def in_place(network):
    with torch.no_grad():
        network.units[1].weights[0].weight.mul_(0.5)


def by_data(network):
    """`weight.data = other` is no change in place, and counts no version."""
    weight = network.units[1].weights[0].weight
    weight.data = weight.data * 2


@frugal
@pytest.mark.parametrize("change", [in_place, by_data, nn.Module.eval])
def test_a_change_between_the_passes_is_refused(change, memory):
    network = network_of(memory)
    loss = network(batch()[0]).sum()
    change(network)
    with pytest.raises(RuntimeError, match="must stay as they are from"):
        loss.backward()


def test_less_is_kept():
    x = torch.randn(2, 3, 32, 32)
    kept = {
        memory: step_bytes(network_of(memory, depth=38), x)[0]
        for memory in ("keep", *FRUGAL)
    }
    assert kept["recompute"] < 0.7 * kept["keep"]
    assert kept["unit"] < 0.7 * kept["recompute"]
    assert kept["segment"] < 0.6 * kept["unit"]


def test_a_memory_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="memory must be one of 'keep'"):
        network_of("none")


@pytest.mark.slow
def test_out_of_memory_is_answered_with_what_needs_less(tmp_path):
    """A real failure: the address space of a process is cut short."""
    code = f"""
import resource, sys
from preact.cli import main
from preact.data import load
load("digits")
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + {10**9},) * 2)
sys.exit(main(["train", "--depth", "1001", "--recipe", "paper",
    "--iterations", "2", "--out", {str(tmp_path)!r}, "--device", "cpu"]))
"""
    told = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert told.returncode == 2, told.stderr[-500:]
    assert "out of memory: a step of 128 images" in told.stderr
    assert "use a smaller batch, or --memory recompute" in told.stderr
