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
from preact.nn.layers import BatchNorm, set_ghost_batch
from preact.plan import cifar_plan
from preact.spec import ROWS, TABLE_2
from preact.train.profiles import watched

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
        ("bottleneck", None, (3, 8, 8), 8),
        ("bottleneck", 4, (3, 8, 8), 8),
        # Rows that fill no tile, and ghosts that end inside of one.
        ("bottleneck", 3, (3, 12, 12), 6),
        # More programs than the last one reads at once.
        ("bottleneck", None, (3, 12, 12), 8),
        ("basic", None, (3, 8, 8), 8),
        ("basic", 4, (3, 8, 8), 8),
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
    want, want_dx = learn(exact, x, labels)
    got, got_dx = learn(ours, x, labels)
    assert error(got, want) < TOLERANCE
    assert error(got_dx, want_dx) < TOLERANCE
    for (name, a), b in zip(
        ours.named_parameters(), exact.parameters(), strict=True
    ):
        assert error(a.grad, b.grad) < TOLERANCE, name
    for (name, a), b in zip(
        ours.named_buffers(), exact.buffers(), strict=True
    ):
        assert error(a, b) < TOLERANCE, name
    with torch.no_grad():
        images = x.to(DEVICE).float()
        assert error(ours.eval()(images), exact.eval()(x)) < TOLERANCE


@pytest.mark.parametrize("kind", KINDS)
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


def test_every_unit_but_the_first_of_a_stage_is_fused(launched):
    plan = planned()
    network = fused(plan)
    learn(network, *batch(plan))
    units = len(network.units) - 3
    assert {name: launched.count(name) for name in launched} == {
        "conv_forward": 3 * units,
        "product_backward": 2 * units,
        "conv3_backward_input": units,
        "conv3_backward_weight": units,
        "finish": units,
    }


@pytest.mark.parametrize("row", sorted(set(TABLE_2) - {"full-preactivation"}))
def test_units_of_another_order_run_as_they_were(row, launched):
    plan = planned("basic", row)
    learn(fused(plan), *batch(plan))
    assert not launched


@pytest.mark.filterwarnings("ignore:.*invalid value:RuntimeWarning")
@pytest.mark.parametrize("place", ["weight", "image"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_and_infinity_go_where_pytorch_lets_them_go(place, value):
    plan = planned("one convolution")
    ours, plain = fused(plan), Network(plan, seed=0).to(DEVICE)
    labels, states = batch(plan)[1], []
    for network in (ours, plain):
        x = batch(plan)[0].float().to(DEVICE)
        x = network.stem(x).detach()
        if place == "image":
            x[0, 0, 0, 0] = value
        else:
            with torch.no_grad():
                network.units[1].weights[0].weight[0, 0, 0, 0] = value
        x.requires_grad_()
        logits = network.classifier(
            network.tail(network.run_units(x)).mean((2, 3))
        )
        nnf.cross_entropy(logits, labels.to(DEVICE)).backward()
        gradients = [p.grad for p in list(network.units.parameters())]
        states.append([logits, x.grad, *gradients, *network.buffers()])
    for ours_, plain_ in zip(*states, strict=True):
        assert torch.equal(ours_.isfinite(), plain_.isfinite())


def test_a_deeper_network_needs_no_more_kernels_compiled(monkeypatch):
    kinds = set()

    def note(launcher, kernel, how, *args, deep=1, **shape):
        kinds.add((kernel.__name__, how, *sorted(shape.items())))

    monkeypatch.setattr(Launcher, "_run", note)
    found = []
    for depth in (29, 101):
        plan = cifar_plan(ROWS["full-preactivation"], depth=depth, convs=3)
        fused(plan)(
            torch.zeros(2, *plan.image, device=DEVICE)
        ).sum().backward()
        found.append(set(kinds))
        kinds.clear()
    assert found[0] == found[1]


def test_frugal_modes_change_no_bit():
    plan = planned()
    x, labels = batch(plan)
    kept, frugal = fused(plan), fused(plan)
    frugal = with_memory(frugal, "segment")
    assert torch.equal(learn(kept, x, labels)[1], learn(frugal, x, labels)[1])
    for a, b in zip(
        kept.state_dict().values(), frugal.state_dict().values(), strict=True
    ):
        assert torch.equal(a, b)
    for a, b in zip(kept.parameters(), frugal.parameters(), strict=True):
        assert torch.equal(a.grad, b.grad)


def test_a_watched_unit_shows_what_it_does():
    plan = planned("one convolution")
    network, plain = fused(plan), Network(plan, seed=0)
    seen = []
    for one in (network, plain):
        with watched(one, 0) as profile:
            learn(one, *batch(plan))
        seen.append(profile)
    for name in ("signal_rms", "gradient_norm", "open_share"):
        assert seen[0][name] == pytest.approx(seen[1][name], rel=1e-2)


def test_a_ghost_batch_that_does_not_divide_the_batch_is_refused():
    plan = planned("one convolution")
    network = fused(plan)
    for module in network.units[1:].modules():
        if isinstance(module, BatchNorm):
            module.ghost_batch = 3
    with pytest.raises(ValueError, match="divide the batch of 8; got 3"):
        learn(network, *batch(plan))


@pytest.mark.parametrize("architecture", ["80", "90"])
def test_the_kernels_compile_and_keep_everything_in_registers(architecture):
    """For Ampere and Hopper, by Triton's own assembler; no GPU is needed."""
    told = subprocess.run(
        [
            sys.executable,
            Path(__file__).with_name("compiled.py"),
            architecture,
            "float16",
        ],
        env={k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    kernels = json.loads(told.stdout)
    assert len({k["kernel"] for k in kernels}) == 5
    assert not [k for k in kernels if k["spilled"]]
    # Two programs share a multiprocessor's 227 KB, 163 KB on Ampere's A100.
    assert max(k["shared"] for k in kernels) < 163 * 1024 // 2
