"""Less memory, the same function: values, gradients, running statistics."""

import subprocess
import sys

import pytest
import torch
import torch.nn.functional as nnf

from preact.fast import fast, with_memory
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.plan import cifar_plan
from preact.spec import ROWS
from preact.train.footprint import activation_bytes, step_bytes

FRUGAL = ["recompute", "unit", "segment"]


def trained_once(row, memory, *, ghost=None, convs=2, depth=20):
    """Network after one backward pass."""
    plan = cifar_plan(
        ROWS[row], depth=depth, convs=convs, image=(3, 8, 8), width=4
    )
    network = with_memory(Network(plan, seed=0).double(), memory)
    set_ghost_batch(network, ghost)
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(8, 3, 8, 8, generator=rng, dtype=torch.float64)
    labels = torch.randint(0, 10, (8,), generator=rng)
    torch.manual_seed(0)
    nnf.cross_entropy(network(x), labels).backward()
    return network


@pytest.mark.parametrize("memory", FRUGAL)
@pytest.mark.parametrize(
    "case",
    [
        {"row": "original"},
        {"row": "full-preactivation"},
        {"row": "exclusive-gating-b-6"},
        {"row": "dropout-shortcut"},
        {"row": "full-preactivation", "ghost": 4, "convs": 3, "depth": 29},
    ],
    ids=lambda case: "-".join(map(str, case.values())),
)
def test_a_frugal_backward_pass_is_the_same_to_the_last_bit(case, memory):
    plain = trained_once(memory="keep", **case)
    frugal = trained_once(memory=memory, **case)
    for (name, a), b in zip(
        plain.named_parameters(), frugal.parameters(), strict=True
    ):
        assert torch.equal(a.grad, b.grad), name
    for (name, a), b in zip(
        plain.named_buffers(), frugal.buffers(), strict=True
    ):
        assert torch.equal(a, b), name


def test_a_choice_of_memory_leaves_nothing_behind():
    """Whatever was chosen before, in whatever order, and however often."""
    plan = cifar_plan(ROWS["full-preactivation"], depth=20, convs=2, width=4)
    network = Network(plan, seed=0)
    x = torch.randn(2, 3, 16, 16)
    before, _ = step_bytes(network, x)
    view = with_memory(with_memory(network, "recompute"), "recompute")
    less, _ = step_bytes(view, x)
    assert less < 0.7 * before
    for _ in range(3):
        for size in (16, 8, 12):
            view(x[..., :size, :size]).sum().backward()
    assert step_bytes(with_memory(view, "keep"), x)[0] == before
    assert step_bytes(network, x)[0] == before
    assert step_bytes(view, x)[0] == less
    assert not any(m._forward_hooks for m in network.modules())


def test_fast_and_memory_are_chosen_in_any_order():
    plan = cifar_plan(ROWS["full-preactivation"], depth=20, convs=2)
    network = Network(plan, seed=0)
    one = fast(with_memory(network, "segment"))
    other = with_memory(fast(network), "segment")
    assert (one.fused, one.memory) == (other.fused, other.memory)
    assert one.memory == "segment"


@pytest.mark.parametrize("memory", ["unit", "segment"])
def test_weights_replaced_between_the_passes_are_refused(memory):
    """`weight.data = other` is no change in place, and counts no version."""
    plan = cifar_plan(ROWS["full-preactivation"], depth=8, convs=2, width=4)
    network = with_memory(Network(plan, seed=0), memory)
    loss = network(torch.randn(2, 3, 8, 8)).sum()
    weight = network.units[1].weights[0].weight
    weight.data = weight.data * 2
    with pytest.raises(RuntimeError, match="in place or replaced between"):
        loss.backward()


def test_a_memory_that_does_not_exist_is_refused():
    plan = cifar_plan(ROWS["full-preactivation"], depth=8, convs=2)
    with pytest.raises(
        ValueError, match=r"must be one of 'keep'.*got 'unitt'"
    ):
        with_memory(Network(plan), "unitt")


@pytest.mark.slow
def test_recomputed_bn_relu_halves_what_is_kept_and_segments_keep_least():
    """Bytes an image, kept and at the peak, of a ResNet-164."""
    plan = cifar_plan(ROWS["full-preactivation"], depth=164, convs=3)
    ways = {m: activation_bytes(plan, m) for m in ("keep", *FRUGAL)}
    kept, peak = ({m: b[i] for m, b in ways.items()} for i in (0, 1))
    assert kept["segment"] < kept["unit"] < kept["recompute"]
    assert kept["recompute"] <= 0.53 * kept["keep"]
    assert peak["recompute"] <= 0.54 * peak["keep"]
    assert peak["segment"] < 0.26 * peak["keep"]
    x = torch.randn(2, 3, 32, 32).contiguous(memory_format=torch.channels_last)
    fused = with_memory(fast(Network(plan), fused=True), "recompute")
    assert step_bytes(fused, x)[0] <= 0.53 * kept["keep"]


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
