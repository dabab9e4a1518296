"""`fast` and `with_memory` give the network's own function, whatever is done.

Every situation is seen by `Network` in float64 and float32, and by the views
in float32; they may err some times as much as float32 does. A ReLU within
rounding of zero may turn over and spoil one draw of weights: so the median of
three draws decides, looked at only where the first one is off.
"""

import statistics
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import pytest
import torch

from fast.situations import SITUATIONS, seen
from preact.fast import fast, with_memory
from preact.nn import Network
from preact.plan import cifar_plan
from preact.spec import ROWS

VIEWS = {
    "fast": partial(fast, fused=True),
    "fast, recompute": lambda n: with_memory(fast(n, fused=True), "recompute"),
    "recompute": lambda n: with_memory(n, "recompute"),
    "segment": lambda n: with_memory(n, "segment"),
}
slow = pytest.mark.slow
# Each situation meets `fast`, every other one another view by turns.
OTHERS = [*VIEWS][1:]
CASES = [
    pytest.param(name, view, marks=() if i % 6 == 0 else slow)
    for i, name in enumerate(SITUATIONS)
    for view in ("fast", *([OTHERS[i // 2 % 3]] if i % 2 else []))
]
SOME_VIEWS = ["fast", *(pytest.param(v, marks=slow) for v in [*VIEWS][1:])]
# Of a network this shallow; times float32's own error.
LEAST, TIMES = 2e-6, 8


def planned(row="full-preactivation", convs=2):
    return cifar_plan(
        ROWS[row],
        depth={2: 14, 3: 20}[convs],
        convs=convs,
        image=(3, 8, 8),
        width=8,
    )


def batch(dtype, seed=0):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(8, 3, 8, 8, generator=rng, dtype=torch.float64)
    labels = torch.randint(0, 10, (8,), generator=rng)
    return x.to(dtype).contiguous(memory_format=torch.channels_last), labels


def results(name, dtype, seed, view=lambda n: n):
    network = Network(planned(), seed=seed).to(dtype)
    # The layout is part of the function where random masks are drawn.
    network.to(memory_format=torch.channels_last)
    torch.manual_seed(seed)
    return SITUATIONS[name](network, view(network), *batch(dtype, seed))


exactly = cache(results)


def error(ours, exact):
    assert len(ours) == len(exact)
    worst = 0.0
    for a, b in zip(ours, exact, strict=True):
        assert a.shape == b.shape
        scale = b.abs().max().clamp(min=1e-3)
        worst = max(worst, float((a.double() - b).abs().max() / scale))
    return worst


def ratio(name, seed, view):
    exact = exactly(name, torch.float64, seed)
    float32 = error(exactly(name, torch.float32, seed), exact)
    ours = error(results(name, torch.float32, seed, VIEWS[view]), exact)
    return ours / max(float32, LEAST)


@pytest.mark.filterwarnings("ignore:.*functorch:UserWarning")
@pytest.mark.filterwarnings("ignore:.*jit.script:DeprecationWarning")
@pytest.mark.parametrize(("name", "view"), CASES)
def test_the_function_is_the_networks_own(name, view):
    first = ratio(name, 0, view)
    if not first < TIMES:
        rest = [ratio(name, seed, view) for seed in (1, 2)]
        assert statistics.median([first, *rest]) < TIMES


def network_and(view, *, seed=0):
    """One network by itself, and one of the same weights seen by a view."""
    plain, other = Network(planned(), seed=seed), Network(planned(), seed=seed)
    plain.to(memory_format=torch.channels_last)
    return plain, other, VIEWS[view](other)


# In conv, BN or statistics; of a unit, the stem, the tail, the classifier.
PLACES = [
    "stem.0.weight",
    "units.1.weights.0.weight",
    "units.3.pre.0.weight",
    "units.2.pre.0.bias",
    "tail.0.bias",
    "classifier.weight",
]


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        pytest.param(-float("inf"), marks=slow),
    ],
)
@pytest.mark.parametrize("view", SOME_VIEWS)
def test_what_is_not_finite_is_so_in_the_same_places(view, value):
    for place in PLACES:
        plain, other, ours = network_and(view)
        results = []
        for network, called in ((plain, plain), (other, ours)):
            with torch.no_grad():
                network.get_parameter(place)[0] = value
            results.append(seen(called, *batch(torch.float32)))
        for a, b in zip(*results, strict=True):
            assert torch.equal(a.isfinite(), b.isfinite()), place
            assert torch.equal(a.isnan(), b.isnan()), place


@pytest.mark.parametrize("view", VIEWS)
def test_one_value_per_channel_is_refused_and_moves_nothing(view):
    plain, _, ours = network_and(view)
    x = batch(torch.float32)[0][:1, :, :4, :4]  # one pixel in the last stage
    sentences = []
    for network in (plain, ours):
        with pytest.raises(ValueError, match="per channel") as refusal:
            network(x)
        sentences.append(str(refusal.value))
        last = network.units[-1].pre[0]
        assert torch.equal(last.running_mean, torch.zeros_like(last.bias))
    assert sentences[0] == sentences[1]


@pytest.mark.parametrize("view", SOME_VIEWS)
def test_threads_may_share_a_network(view):
    *_, ours = network_and(view)
    ours.eval()
    rng = torch.Generator().manual_seed(0)
    batches = [torch.randn(n, 3, 8, 8, generator=rng) for n in (2, 4, 8)] * 8

    def logits_and_gradient(x):
        with torch.no_grad():
            logits = ours(x)
        weight = ours.stem[0].weight
        (gradient,) = torch.autograd.grad(ours(x).square().sum(), weight)
        return logits, gradient

    alone = [logits_and_gradient(x) for x in batches[:3]] * 8
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(logits_and_gradient, batches))
    for pair, expected in zip(together, alone, strict=True):
        for a, b in zip(pair, expected, strict=True):
            assert error([a], [b]) < 1e-4


@pytest.mark.parametrize("view", VIEWS)
def test_weights_that_move_between_forward_and_backward_are_refused(view):
    plain, other, ours = network_and(view)
    for network, called in ((plain, plain), (other, ours)):
        loss = called(batch(torch.float32)[0]).sum()
        with torch.no_grad():
            for p in network.parameters():
                p.mul_(0.5)
        with pytest.raises(RuntimeError, match=r"in-?place"):
            loss.backward()


@slow
@pytest.mark.parametrize("view", VIEWS)
def test_dynamo_sees_one_graph(view):
    plain, _, ours = network_and(view)
    x, _ = batch(torch.float32)
    whole = torch.compile(ours, backend="eager", fullgraph=True)
    torch.testing.assert_close(whole(x), plain(x))
