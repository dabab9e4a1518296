"""A network in the hands of PyTorch's own tools, whatever it keeps."""

import copy

import numpy as np
import pytest
import torch
from torch import nn
from torch._dynamo.utils import counters
from torch.nn.parallel import DistributedDataParallel

from preact.nn import Network
from preact.plan import cifar_plan
from preact.spec import ROWS

# PyTorch's tools warn of their own work; here warnings are errors.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
]
MEMORY = ("keep", "recompute", "segment")
IMAGES = torch.Generator().manual_seed(0)
X = torch.randn(4, 3, 16, 16, generator=IMAGES)


def evaluating(memory, depth=20):
    plan = cifar_plan(
        ROWS["full-preactivation"],
        depth=depth,
        convs=2,
        image=(3, 16, 16),
        width=4,
    )
    return Network(plan, seed=0, memory=memory).eval()


@pytest.fixture(params=MEMORY)
def memory(request):
    return request.param


@pytest.mark.slow
def test_units_that_are_alike_are_compiled_once(memory):
    """So a thousand layers take no longer to compile than twenty."""
    graphs = []
    for depth in (20, 38):
        network = evaluating(memory, depth)
        expected = network(X)
        torch._dynamo.reset()
        counters.clear()
        for unit in network.units:
            unit.compile(backend="eager", fullgraph=True)
        torch.testing.assert_close(network(X), expected)
        graphs.append(counters["stats"]["unique_graphs"])
    assert graphs[0] == graphs[1] < 9


@pytest.mark.slow
def test_an_exported_program_takes_batches_of_any_size(memory):
    network = evaluating(memory)
    n = torch.export.Dim("n")
    program = torch.export.export(network, (X,), dynamic_shapes=({0: n},))
    for images in (X, X[:3]):
        torch.testing.assert_close(program.module()(images), network(images))


@pytest.mark.slow
def test_an_onnx_file_computes_the_same_logits(memory, tmp_path):
    import onnx.reference  # a second, which others need not wait

    network, path = evaluating(memory), tmp_path / "network.onnx"
    n = torch.export.Dim("n")
    torch.onnx.export(
        network, (X,), path, dynamo=True, dynamic_shapes=({0: n},)
    )
    session = onnx.reference.ReferenceEvaluator(str(path))
    (logits,) = session.run(None, {session.input_names[0]: X[:3].numpy()})
    np.testing.assert_allclose(
        logits, network(X[:3]).detach(), rtol=1e-4, atol=1e-4
    )


def test_a_copy_shares_nothing(memory):
    network = evaluating(memory)
    other = copy.deepcopy(network)
    expected = network(X)
    with torch.no_grad():
        for p in other.parameters():
            p.zero_()
    torch.testing.assert_close(network(X), expected, rtol=0, atol=0)
    assert not other(X).any()


@pytest.mark.parametrize("wrap", [nn.DataParallel, DistributedDataParallel])
def test_data_parallel_wrappers_change_no_gradient(memory, wrap, tmp_path):
    plain, wrapped = evaluating(memory), evaluating(memory)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1
    )
    try:
        for network in (plain, wrap(wrapped)):
            network(X).square().sum().backward()
    finally:
        torch.distributed.destroy_process_group()
    for a, b in zip(plain.parameters(), wrapped.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad)


def test_a_trace_computes_the_same_logits(memory):
    network = evaluating(memory)
    with torch.no_grad():
        traced = torch.jit.trace(network, (X,))
    torch.testing.assert_close(traced(X[:2]), network(X[:2]))
