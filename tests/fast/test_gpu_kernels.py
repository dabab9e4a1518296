"""The GPU's kernels compute the same function: interpreted, where none is.

Without a GPU, Triton runs each program in Python: slow, but the same code.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as nnf

from preact.fast import NetworkView, fast, with_memory
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.plan import cifar_plan
from preact.spec import ROWS, TABLE_2

pytest.importorskip(
    "triton", minversion="3.3", reason="no Triton for our kernels"
)
from preact.fast.gpu import launch
from preact.fast.gpu.launch import Launcher
from preact.fast.gpu.run import run_fused

pytestmark = pytest.mark.nightly
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KINDS = {"basic": (2, 14), "bottleneck": (3, 20), "one convolution": (1, 11)}
# Of float32 through three stages, relative to the largest number of a tensor.
TOLERANCE = 2e-5


@pytest.fixture(autouse=True)
def many_programs(monkeypatch):
    """Let even these small tensors be shared by several programs."""
    monkeypatch.setattr(launch, "PER_PROCESSOR", 64)
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


@pytest.fixture
def launched(monkeypatch):
    """Names of the kernels that were launched."""
    names = []
    run = Launcher._run

    def note(launcher, kernel, *args, **options):
        names.append(kernel.__name__)
        run(launcher, kernel, *args, **options)

    monkeypatch.setattr(Launcher, "_run", note)
    return names


def planned(kind="bottleneck", row="full-preactivation", image=(3, 8, 8)):
    convs, depth = KINDS[kind]
    return cifar_plan(ROWS[row], depth=depth, convs=convs, image=image)


def fused(plan):
    return NetworkView(Network(plan, seed=0).to(DEVICE), run_fused, "keep")


def batch(plan, n=8):
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(n, *plan.image, generator=rng, dtype=torch.float64)
    return x, torch.randint(0, 10, (n,), generator=rng)


def learn(network, x, labels, half=None):
    """Logits and gradient of x; parameters have theirs."""
    parameter = next(network.parameters())
    x = x.to(parameter.device, parameter.dtype)
    x = x.contiguous(memory_format=torch.channels_last).requires_grad_()
    with torch.autocast(parameter.device.type, half, enabled=half is not None):
        logits = network(x)
    nnf.cross_entropy(logits.float(), labels.to(x.device)).backward()
    return logits.detach(), x.grad


def error(ours, exact):
    scale = exact.abs().max().clamp(min=1e-3)
    return float((ours.cpu().double() - exact).abs().max() / scale)


@pytest.mark.parametrize(
    ("kind", "ghost", "image", "n"),
    [
        ("bottleneck", 4, (3, 8, 8), 8),
        # Rows that fill no tile, and ghosts that end inside of one.
        ("bottleneck", 3, (3, 12, 12), 6),
        # More programs than the last one reads at once.
        ("bottleneck", None, (3, 12, 12), 8),
        ("basic", None, (3, 8, 8), 8),
        ("one convolution", None, (3, 8, 8), 8),
    ],
)
def test_values_gradients_and_statistics_are_those_of_float64(
    kind, ghost, image, n
):
    plan = planned(kind, image=image)
    x, labels = batch(plan, n)
    exact, ours = Network(plan, seed=0).double(), fused(plan)
    for network in (exact, ours):
        set_ghost_batch(network, ghost)
    for a, b in zip(
        learn(ours, x, labels), learn(exact, x, labels), strict=True
    ):
        assert error(a, b) < TOLERANCE
    for (name, a), b in zip(
        ours.named_parameters(), exact.parameters(), strict=True
    ):
        assert error(a.grad, b.grad) < TOLERANCE, name
    for (name, a), b in zip(
        ours.named_buffers(), exact.buffers(), strict=True
    ):
        assert error(a, b) < TOLERANCE, name


@pytest.mark.parametrize("kind", ["basic", "bottleneck"])
def test_half_precision_errs_no_more_than_pytorch_does_in_it(kind):
    plan = planned(kind)
    x, labels = batch(plan, 16)
    exact, ours = Network(plan, seed=0).double(), fused(plan)
    eager = fast(Network(plan, seed=0)).to(DEVICE)
    learn(exact, x, labels)
    errors = []
    for network in (ours, eager):
        logits, _ = learn(network, x, labels, half=torch.float16)
        assert logits.dtype == torch.float16
        errors.append(
            sum(
                (a.grad.cpu().double() - b.grad).norm() / b.grad.norm()
                for a, b in zip(
                    network.parameters(), exact.parameters(), strict=True
                )
            )
        )
    assert 0 < errors[0] < 1.2 * errors[1]


@pytest.mark.parametrize("row", sorted(TABLE_2))
def test_what_the_kernels_do_not_compute_runs_by_pytorch(row, launched):
    """The first unit of a stage, units of another order, evaluation."""
    plan = planned("basic", row)
    network = fused(plan)
    learn(network.eval(), *batch(plan))
    assert not launched
    learn(network.train(), *batch(plan))
    kernels = 4 if row == "full-preactivation" else 0
    units = len(network.units) - 3
    assert len(launched) == 2 * kernels * units


def test_the_same_step_gives_the_same_bits_in_less_memory():
    plan = planned()
    kept = fused(plan)
    frugal = with_memory(fused(plan), "segment")
    for a, b in zip(
        learn(kept, *batch(plan)), learn(frugal, *batch(plan)), strict=True
    ):
        assert torch.equal(a, b)
    for a, b in zip(kept.parameters(), frugal.parameters(), strict=True):
        assert torch.equal(a.grad, b.grad)


@pytest.mark.parametrize("architecture", ["80", "90"])
def test_the_kernels_compile_and_keep_everything_in_registers(architecture):
    """For Ampere and Hopper, by Triton's own assembler; no GPU is needed."""
    told = subprocess.run(
        [
            sys.executable,
            Path(__file__).with_name("compiled.py"),
            architecture,
        ],
        env={k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    kernels = json.loads(told.stdout)
    assert len({k["kernel"] for k in kernels}) == 4
    assert not [k for k in kernels if k["spilled"]]
    # Two programs share a multiprocessor's 227 KB, 163 KB on Ampere's A100.
    assert max(k["shared"] for k in kernels) < 163 * 1024 // 2
