"""What honest computation shows at the start of training.

Fully connected units, width 64, batch 256, Gaussian input, real batch norm;
three seeds. These are eight facts that contradict, or bound, what is commonly
said about the paper. Tolerances are about twice the spread over seeds.
"""

import math
from functools import cache

import numpy as np
import pytest

from preact import reference
from preact.plan import stack_plan
from preact.propagation import (
    draw_batch,
    growth,
    profile,
)
from preact.spec import ROWS

SEEDS = range(3)
pytestmark = pytest.mark.slow


@cache
def profiles(row, units):
    plan = stack_plan(ROWS[row], units=units, width=64)
    return [profile(plan, seed=seed) for seed in SEEDS]


def ratio(row, units):
    return np.mean([p.gradient_ratio for p in profiles(row, units)])


def rms(row, units):
    return np.mean([p.signal_rms[-1] for p in profiles(row, units)])


def test_2_plain_networks_explode_by_the_theoretical_rate():
    """sqrt(pi / (pi - 1)) for each BN-ReLU layer, two layers a unit."""
    plan = stack_plan(ROWS["constant-scaling-0-1"], units=50, width=64)
    rates = [
        1 / growth(plan, p.gradient_norm)[1]
        for p in profiles("constant-scaling-0-1", 50)
    ]
    assert np.mean(rates) == pytest.approx(math.pi / (math.pi - 1), rel=0.05)


def test_2_bn_after_addition_explodes_exponentially():
    short, long = (ratio("bn-after-addition", L) for L in (20, 50))
    assert (long / short) ** (1 / 30) == pytest.approx(1.24, abs=0.04)


def test_4_without_bn_the_stream_doubles_its_variance_in_each_unit():
    """x + W2 ReLU(W1 x), He initialization: BN's part is taken out by hand."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(256, 64))
    start = np.mean(x**2)
    for _ in range(20):
        W1, W2 = rng.normal(0, math.sqrt(2 / 64), (2, 64, 64))
        W2 /= math.sqrt(2)  # no ReLU follows: 1 / 64 keeps the variance
        x = x + np.maximum(x @ W1, 0) @ W2
    assert np.log2(np.mean(x**2) / start) / 20 == pytest.approx(1.0, abs=0.25)


@pytest.mark.parametrize(
    ("row", "factor"), [("full-preactivation", 21), ("original", 35)]
)
def test_6_weight_gradients_are_not_uniform_over_layers(row, factor):
    plan = stack_plan(ROWS[row], units=50, width=64)
    ratios = []
    for seed in SEEDS:
        params = reference.initialize(plan, seed)
        x, labels = draw_batch(plan, 256, seed)
        logits, cache_ = reference.network_forward(plan, params, x)
        _, dlogits = reference.layers.cross_entropy(logits, labels)
        _, grads = reference.network_backward(plan, dlogits, cache_)
        first, last = (
            np.linalg.norm(grads[f"units.{i}.weights.0.weight"])
            for i in (0, 49)
        )
        ratios.append(first / last)
    assert np.mean(ratios) == pytest.approx(factor, rel=0.5)
