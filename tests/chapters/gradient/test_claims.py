"""Sentences of chapter 03: gradients at the start, and in recorded training.

What is drawn is drawn anew for each master seed: fully connected units of
width 64, batches of 256, nothing trained. What is recorded are runs on digits.
"""

import math
from functools import cache

import numpy as np
import pytest

from preact import reference
from preact.book.panels import FINAL_BN
from preact.book.recorded import runs_at
from preact.plan import stack_plan
from preact.propagation import (
    direct_coefficient,
    draw_batch,
    profile,
    run_units,
    shortcut_products,
)
from preact.records.compare import load_records
from preact.spec import BN, RELU, ROWS, Scale, UnitSpec
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
FULL = "full-preactivation"


def scaled(value, *, original=False):
    """Full pre-activation, or the original, with a factor on its shortcut."""
    places = {"post": (BN,), "after": (RELU,)} if original else {}
    return UnitSpec(
        **(places or {"pre": (BN, RELU)}), on_shortcut=Scale(value)
    )


@cache
def profiles(row, units, seeds=3):
    plan = stack_plan(ROWS[row], units=units, width=64)
    return [profile(plan, seed=seed) for seed in draw_seeds(seeds)]


def ratio(row, units):
    return np.mean([p.gradient_ratio for p in profiles(row, units)])


# ----------------------------------------------------------- direct term
@slow
@claim("open-share-falls-like-the-root")
def test_open_paths_of_the_original_fall_like_the_root_of_depth():
    depths = np.array([10, 20, 50, 100, 200])
    for run in profiles("original", 200):
        times_root = run.open_share[depths] * np.sqrt(depths)
        assert 0.75 < times_root.min() < times_root.max() < 1


@slow
@claim("direct-term-at-16-units")
@pytest.mark.parametrize(
    ("spec", "units", "off"),
    [
        (ROWS["original"], 16, 0.1),
        (ROWS[FULL], 16, 0.1),
        (scaled(0.8, original=True), 5, 0.06),
    ],
)
def test_the_direct_term_is_the_product_of_factors_times_the_open_share(
    spec, units, off
):
    """The mean of twelve networks, five standard errors wide."""
    plan = stack_plan(spec, units=units, width=64)
    seeds = draw_seeds(12)
    direct = np.mean(
        [direct_coefficient(plan, seed=s, probes=10)[0] for s in seeds]
    )
    share = np.mean([profile(plan, seed=s).open_share[-1] for s in seeds[:3]])
    product = shortcut_products(plan)[0]
    assert direct == pytest.approx(product * share, abs=off)
    if RELU in spec.after:  # neither factor alone
        assert direct < product - off
    if product < 1:
        assert direct < share - off


# --------------------------------------------- a factor on the shortcut
@slow
@claim("lambda-below-1-and-the-gradient-grows")
@pytest.mark.parametrize("value", [0.5, 0.9])
def test_the_gradient_grows_where_the_direct_term_vanishes(value):
    """0.9^100 of the shortcut is left; the stream has come to rest."""
    plan = stack_plan(scaled(value), units=100, width=64)
    assert shortcut_products(plan)[0] < 3e-5
    for seed in draw_seeds(3):
        run = profile(plan, seed=seed)
        assert run.gradient_ratio > 1e3
        at_rest = 1 / math.sqrt(1 - value**2)
        assert run.signal_rms[-1] == pytest.approx(at_rest, rel=0.15)


def beside_equation_growth(value, seeds, units=100):
    """Measured growth of the gradient, relative to what is predicted."""
    v, square = 1.0, 1.0
    for _ in range(units):
        square *= value**2 + 1 / ((1 - 1 / np.pi) * v)
        v = value**2 * v + 1 - 1 / np.pi
    plan = stack_plan(scaled(value), units=units, width=64)
    runs = [profile(plan, seed=s).gradient_ratio for s in draw_seeds(seeds)]
    return np.array(runs) / np.sqrt(square)


@slow
@claim("equation-growth")
@pytest.mark.parametrize("value", [0.99, 1.0])
def test_near_lambda_1_equation_growth_is_right_within_a_factor(value):
    off = beside_equation_growth(value, 6)
    assert 1 / 1.6 < off.min() < off.max() < 1.6
    assert 0.85 < off.mean() < 1.25


@slow
@claim("equation-growth")
@pytest.mark.parametrize("value", [0.5, 0.9])
def test_below_1_each_of_a_hundred_factors_is_right_within_3_percent(value):
    off = beside_equation_growth(value, 3)
    assert abs(off ** (1 / 100) - 1).max() < 0.03


@slow
@claim("equation-growth")
def test_the_gradient_of_full_preactivation_grows_nearly_linearly():
    """|g_0| / |g_L| like L^1.08: half of c = (pi / (pi - 1))^2 = 2.15."""
    values = [ratio(FULL, L) for L in (20, 50, 200)]
    slope = np.polyfit(np.log([20, 50, 200]), np.log(values), 1)[0]
    assert slope == pytest.approx(1.08, abs=0.15)


# ------------------------------------------------------------- folklore
@slow
@claim("nothing-vanishes-at-the-start")
@pytest.mark.parametrize(
    "row",
    [
        "original",
        "bn-after-addition",
        "relu-before-addition",
        "relu-only-preactivation",
        FULL,
        "constant-scaling-0-1",
    ],
)
def test_nothing_vanishes_at_initialization(row):
    assert all(p.gradient_ratio > 1 for p in profiles(row, 50))


@slow
@claim("early-gradients-of-the-stack")
@pytest.mark.parametrize("units", [20, 50, 200])
def test_early_gradients_of_the_original_are_the_larger_ones(units):
    assert 1.3 < ratio("original", units) / ratio(FULL, units) < 6


def bn_after(seed, units=50):
    """By unit: BN's factors, predicted growth, closed share; profile."""
    plan = stack_plan(ROWS["bn-after-addition"], units=units, width=64)
    params = reference.initialize(plan, seed)
    streams, caches = run_units(plan, params, draw_batch(plan, 256, seed)[0])
    kept, growth_rate = [1.0], []
    for i, (x, cached) in enumerate(zip(streams, caches, strict=False)):
        weight = params[f"units.{i}.weights.0.weight"][:, :, 0, 0]
        y, z = x + cached.F, x[:, :, 0, 0] @ weight.T
        kept.append(kept[-1] * np.mean(1 / y.std(axis=0)))
        branch = 2 * np.mean(1 / z.var(axis=0))
        growth_rate.append((1 + branch) / 2 * np.mean(1 / y.var(axis=0)))
    closed = [np.mean(x == 0) for x in streams[1:]]
    return kept, growth_rate, closed, profile(plan, seed=seed)


@slow
@claim("bn-after-addition-is-closed-by-its-relu")
def test_the_relu_and_not_the_bn_closes_the_shortcut_of_fig_4b():
    for seed in draw_seeds(3):
        kept, _, closed, measured = bn_after(seed)
        assert min(closed) > 0.49
        assert np.mean(closed[-10:]) > 0.6
        for units in (5, 10, 20):
            assert measured.open_share[units] < kept[units] / 4
        for earlier, later in ((5, 10), (10, 20)):  # exponential: 0.8 a unit
            rate = measured.open_share[later] / measured.open_share[earlier]
            assert rate < 0.8 ** (later - earlier)


@slow
def test_equation_growth_bn_after_is_right_within_10_percent_a_unit():
    _, predicted, _, measured = bn_after(*draw_seeds(1))
    for units in (10, 50):
        first, last = measured.gradient_norm[::units][:2]
        rate = (first / last) ** (2 / units)
        wanted = np.prod(predicted[:units]) ** (1 / units)
        assert wanted == pytest.approx(rate, rel=0.1)


# ---------------------------------------------------- recorded training
def recorded(runs, iteration):
    """|g_0|, |g_L| and the last open share of every run, at one iteration."""
    measured = [
        (p.gradient_norm[0], p.gradient_norm[-1], p.open_share[-1])
        for run in runs
        for p in run.profiles
        if p.iteration == iteration
    ]
    assert len(measured) == len(runs) > 0
    return np.array(measured, dtype=float).T


def runs_of(depth, row, tail):
    return [
        run
        for run in load_records("digits_depth")
        if (run.depth, run.row, run.tail) == (depth, row, tail)
    ]


def ratios_at_the_start(arms, row):
    """Of a row with and without a final BN; neither has moved them."""
    runs = [run for arm in (row, row + FINAL_BN) for run in arms[arm]]
    first, last, _ = recorded(runs, 0)
    return first / last


@claim("early-gradients-of-110-are-larger-with-preactivation")
def test_in_110_preactivation_begins_with_the_larger_early_gradients():
    """Seeds 6 to 10; the sentence was written on 1 to 5."""
    arms = runs_at(110, 0.1)
    original = ratios_at_the_start(arms, "original")
    assert ratios_at_the_start(arms, FULL).min() > 2 * original.max()


@claim("early-gradients-of-164-are-smaller-with-preactivation")
def test_in_164_preactivation_begins_with_the_smaller_early_gradients():
    """Seeds 11 and 12; the sentence was written on 1 to 5."""
    arms = runs_at(164, 0.1)
    full = ratios_at_the_start(arms, FULL)
    assert ratios_at_the_start(arms, "original").min() > 2 * full.max()


@claim("original-without-final-bn-loses-its-paths")
@pytest.mark.parametrize("depth", [110, 164, 1001])
def test_in_failing_runs_paths_are_closed_and_the_gradient_small(depth):
    runs = runs_of(depth, "original", "")
    if depth < 1001:
        runs += runs_at(depth, 0.1)["original"]  # not seen before
    first, last, share = recorded(runs, 100)
    assert share.max() < 0.03
    assert (first / last).max() < (1e-3 if depth == 1001 else 1 / 5)
    failed = [run for run in runs if run.test_error_pct > 20]
    assert len(runs) - len(failed) == (depth == 164)


@claim("final-bn-keeps-the-paths-open")
@pytest.mark.parametrize("lr", [0.1, 0.03, 0.01])
def test_with_a_final_bn_the_original_110_keeps_paths_and_gradient(lr):
    runs = runs_at(110, lr)["original" + FINAL_BN]
    first, last, share = recorded(runs, 100)
    assert share.min() > 0.2
    assert (first / last).min() > 1
    assert max(run.test_error_pct for run in runs) < 20


@claim("a-ratio-below-1-is-no-failure")
@pytest.mark.parametrize("iteration", [100, 299])
def test_preactivation_of_1001_layers_falls_below_1_and_learns(iteration):
    """In the middle of training, and in its last iteration."""
    runs = runs_of(1001, FULL, "BN ReLU")
    first, last, share = recorded(runs, iteration)
    assert (first / last).max() < 1
    assert share.min() == 1
    assert max(run.test_error_pct for run in runs) < 20


@claim("closed-paths-are-not-needed-to-fail")
@pytest.mark.parametrize("lr", [0.1, 0.01])
def test_the_control_fails_or_learns_with_every_path_open(lr):
    runs = runs_at(110, lr)["no-relu-after-addition"]
    start, _, _ = recorded(runs, 0)
    first, _, share = recorded(runs, 100)
    assert share.min() == 1
    errors = [run.test_error_pct for run in runs]
    if lr == 0.1:
        assert (first / start).min() > 100
        assert min(errors) > 50
    else:
        assert (first / start).max() < 1
        assert max(errors) < 20


@claim("both-gradients-move")
@pytest.mark.parametrize("name", ["digits_table_2", "digits_rates"])
def test_both_gradients_move_from_their_start(name):
    """Medians; the sentence was written on `digits_rates`."""
    arms = {
        tail: [
            run
            for run in load_records(name)
            if (run.depth, run.row, run.tail) == (110, "original", tail)
            and run.config["recipe"]["lr"] == 0.1
        ]
        for tail in ("", "BN")
    }
    at = {
        (tail, i): np.median(recorded(runs, i)[:2], axis=1)
        for tail, runs in arms.items()
        for i in (0, 100)
    }
    assert (at["", 0] > 2 * at["BN", 0]).all()
    first, last = at["", 100] / at["", 0]
    assert first < 1 / 50
    assert last > 5
    first, last = at["BN", 100] / at["BN", 0]
    assert first > 1 / 8
    assert last < 1
