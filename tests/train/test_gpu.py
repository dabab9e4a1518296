"""What a GPU computes; without one, nothing here can be told."""

import pytest
import torch

from preact import Network, cifar_plan
from preact.train import Execution, Run, train
from preact.train.stop import TimeOver
from small import small_run

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="no CUDA device is here"
)


def run_of(row: str, **execution: object) -> Run:
    """A small run on the digits, in ghost batches."""
    recipe = {"iterations": 16, "batch": 64, "ghost_batch": 32}
    return small_run(
        row,
        depth=14,
        width=16,
        recipe=recipe,
        execution=Execution(**execution),
    )


@pytest.fixture(autouse=True)
def same_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sums in the same order, each time."""
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    monkeypatch.setattr(torch.backends.cudnn, "deterministic", True)


@pytest.mark.parametrize(
    ("row", "execution"),
    [
        ("original", {}),
        ("full-preactivation", {"channels_last": True}),
        ("full-preactivation", {"precision": "bf16", "memory": "recompute"}),
        ("original", {"precision": "fp16", "channels_last": True}),
        ("dropout-shortcut", {}),
    ],
)
def test_a_step_of_a_cuda_graph_is_the_plain_step_bit_for_bit(
    row, execution, tmp_path, monkeypatch
):
    run = run_of(row, **execution)
    graph = train(run, tmp_path / "graph", device="cuda")
    session = "preact.train.session.Session._can_be_recorded"
    monkeypatch.setattr(session, lambda _: False)
    plain = train(run, tmp_path / "plain", device="cuda")
    for name, value in plain.weights.items():
        assert torch.equal(graph.weights[name], value), name
    assert graph.curve == plain.curve


def test_an_interrupted_run_on_a_gpu_ends_where_the_whole_one_ends(tmp_path):
    run = run_of("full-preactivation")
    whole = train(run, tmp_path / "whole", device="cuda")
    calls = iter(range(100))
    with pytest.raises(TimeOver):
        train(
            run,
            tmp_path / "parts",
            device="cuda",
            left_s=lambda: 8 - next(calls),
        )
    parts = train(run, tmp_path / "parts", device="cuda")
    for name, value in whole.weights.items():
        assert torch.equal(parts.weights[name], value), name


@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_gradients_on_a_gpu_are_those_of_the_cpu_to_rounding(row):
    plan = cifar_plan(row, depth=29, convs=3)
    x = torch.randn(4, 3, 32, 32, dtype=torch.float64)
    found = []
    for device in ("cpu", "cuda"):
        network = Network(plan, seed=0).double().to(device)
        network(x.to(device)).logsumexp(1).sum().backward()
        found.append([p.grad.cpu() for p in network.parameters()])
    for here, there in zip(*found, strict=True):
        assert (here - there).norm() <= 1e-9 * here.norm()
