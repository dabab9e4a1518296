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
    direct_coefficient,
    draw_batch,
    growth,
    profile,
    pullback,
    run_units,
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


@pytest.mark.claim("nothing-vanishes-at-the-start")
@pytest.mark.parametrize(
    "row",
    [
        "original",
        "bn-after-addition",
        "relu-before-addition",
        "relu-only-preactivation",
        "full-preactivation",
        "constant-scaling-0-1",
    ],
)
def test_1_nothing_vanishes_at_initialization(row):
    assert all(p.gradient_ratio > 1 for p in profiles(row, 50))


@pytest.mark.claim("early-gradients-of-the-stack")
@pytest.mark.parametrize("units", [20, 50, 200])
def test_1_early_gradients_of_the_original_are_the_larger_ones(units):
    factor = ratio("original", units) / ratio("full-preactivation", units)
    assert 1.5 < factor < 6


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


@pytest.mark.claim("growth-laws")
@pytest.mark.parametrize("row", ["original", "full-preactivation"])
@pytest.mark.parametrize("units", [50, 200])
def test_3_both_streams_grow_like_the_root_of_depth(row, units):
    assert rms(row, units) == pytest.approx(math.sqrt(units + 1), rel=0.1)


@pytest.mark.claim("growth-laws")
def test_3_rectified_branches_grow_linearly():
    """0.399 a unit, the mean of a rectified unit Gaussian."""
    wanted = 200 / math.sqrt(2 * math.pi)
    assert rms("relu-before-addition", 200) == pytest.approx(wanted, rel=0.08)


@pytest.mark.claim("growth-laws")
def test_3_bn_after_addition_stays_constant():
    assert rms("bn-after-addition", 200) == pytest.approx(
        rms("bn-after-addition", 20), rel=0.1
    )


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


@pytest.mark.claim("gradients-grow-nearly-linearly")
def test_5_the_gradient_of_full_preactivation_grows_nearly_linearly():
    """|g_0| / |g_L| like L^1.08: half of c = (pi / (pi - 1))^2 = 2.15."""
    values = [ratio("full-preactivation", L) for L in (20, 50, 200)]
    slope = np.polyfit(np.log([20, 50, 200]), np.log(values), 1)[0]
    assert slope == pytest.approx(1.08, abs=0.15)


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


@pytest.mark.claim("direct-term-is-not-dominant")
@pytest.mark.parametrize("units", [10, 20])
def test_7_the_one_of_eq_5_is_exactly_there_but_small_in_norm(units):
    plan = stack_plan(ROWS["full-preactivation"], units=units, width=64)
    direct, cosines = [], []
    for seed in SEEDS:
        direct.append(direct_coefficient(plan, seed=seed)[0])
        params = reference.initialize(plan, seed)
        x, _ = draw_batch(plan, 256, seed)
        streams, caches = run_units(plan, params, x)
        last = np.random.default_rng(seed).normal(size=streams[-1].shape)
        first = pullback(plan, caches, last)[0]
        cosines.append(
            (first * last).sum() / np.linalg.norm(first) / np.linalg.norm(last)
        )
    assert np.mean(direct) == pytest.approx(1.0, abs=0.12)
    assert np.mean(cosines) < 0.3


@pytest.mark.claim("open-share-falls-like-the-root")
@pytest.mark.parametrize(
    ("units", "share"), [(10, 0.26), (20, 0.19), (50, 0.125), (200, 0.065)]
)
def test_8_open_paths_of_the_original_fall_like_the_root_of_depth(
    units, share
):
    measured = np.mean([p.open_share[-1] for p in profiles("original", units)])
    assert measured == pytest.approx(share, rel=0.1)
    assert measured * math.sqrt(units) == pytest.approx(0.88, abs=0.08)


@pytest.mark.claim("the-original-closes-ever-fewer")
def test_8_closed_gates_become_rare_with_depth():
    plan = stack_plan(ROWS["original"], units=201, width=64)
    params = reference.initialize(plan, 0)
    x, _ = draw_batch(plan, 256, 0)
    streams, _ = run_units(plan, params, x)
    closed = [float((streams[i + 1] == 0).mean()) for i in (0, 20, 50, 200)]
    np.testing.assert_allclose(closed, [0.37, 0.12, 0.08, 0.04], atol=0.03)
