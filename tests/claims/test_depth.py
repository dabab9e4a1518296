"""Sentences of chapter 07 that rest on records: every run, every seed."""

from itertools import pairwise

import numpy as np
import pytest

from preact.book.depth import RATE_EXPERIMENT, errors_by_rate, recorded_runs
from preact.records.compare import load_records

claim = pytest.mark.claim
BN_TAIL = "+final-bn"
EARLY, LATE = 30, 100


def at(run, iteration):
    (profile,) = (p for p in run.profiles if p.iteration == iteration)
    return profile


def ratio(run, iteration):
    g = at(run, iteration).gradient_norm
    return g[0] / g[-1]


def runs(depth, arm):
    found = recorded_runs(depth)[arm]
    assert len(found) >= 3
    return found


@claim("the-head-shouts-without-a-bn")
def test_without_a_final_bn_ten_times_the_gradient_enters_the_last_unit():
    bare, with_bn = (
        [at(run, EARLY).gradient_norm[-1] for run in runs(110, arm)]
        for arm in ("original", "original" + BN_TAIL)
    )
    assert min(bare) > 10 * max(with_bn)


@claim("early-gradients-grow-with-layers")
@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_more_layers_mean_a_larger_first_gradient_before_training(row):
    ratios = [
        [ratio(run, 0) for run in runs(depth, row)]
        for depth in (20, 110, 164, 1001)
    ]
    for fewer, more in pairwise(ratios):
        assert min(more) > 2 * max(fewer)


def grown(run):
    """By how much one step changes the signal at the first unit."""
    return at(run, 1).signal_rms[0] / at(run, 0).signal_rms[0]


@claim("one-step-is-too-much-at-1001")
def test_one_step_moves_the_first_signal_of_1001_layers_by_magnitudes():
    assert min(grown(run) for run in runs(1001, "original")) > 1000
    assert min(grown(run) for run in runs(1001, "full-preactivation")) > 50


@claim("one-step-is-too-much-at-1001")
@pytest.mark.parametrize("row", ["original", "full-preactivation"])
@pytest.mark.parametrize("depth", [20, 110])
def test_one_step_hardly_moves_that_of_20_or_110_layers(row, depth):
    for run in runs(depth, row):
        assert grown(run) == pytest.approx(1, abs=0.1)


@claim("one-step-takes-the-early-gradient")
def test_one_step_takes_the_gradient_of_the_first_unit_and_no_path():
    for run in runs(1001, "original"):
        assert ratio(run, 0) > 9e6
        assert 1 < ratio(run, 1) < 2
        before, after = at(run, 0).open_share[-1], at(run, 1).open_share[-1]
        assert after == pytest.approx(before, rel=0.2)
    for run in runs(1001, "full-preactivation"):
        assert ratio(run, 0) > 3e5
        assert 100 < ratio(run, 1) < 1000


def ends_of_stages(run, iteration):
    share = at(run, iteration).open_share
    units = len(share) - 1
    return [share[units * k // 3] for k in (1, 2, 3)]


@claim("only-the-last-stage-closes")
@pytest.mark.parametrize("depth", [110, 164, 1001])
def test_the_last_stage_closes_and_the_first_two_do_not(depth):
    for run in runs(depth, "original"):
        before, after = ends_of_stages(run, 0), ends_of_stages(run, EARLY)
        assert after[2] < 0.4 * before[2]
        assert after[0] > 0.6 * before[0]
        assert after[1] > 0.6 * before[1]
        if depth == 1001:
            assert after[0] > 3 * before[0]


@claim("the-signal-of-the-last-unit-dies")
@pytest.mark.parametrize("depth", [110, 164, 1001])
def test_the_last_signal_falls_from_near_four_or_more_to_below_one(depth):
    for run in runs(depth, "original"):
        assert at(run, 0).signal_rms[-1] > 3.8
        assert at(run, LATE).signal_rms[-1] < 1


@claim("paths-close-before-the-gradient-vanishes")
@pytest.mark.parametrize("depth", [110, 164])
def test_paths_are_closed_while_the_first_gradient_is_still_there(depth):
    for run in runs(depth, "original"):
        start = at(run, 0).open_share[-1]
        assert at(run, EARLY).open_share[-1] < 0.4 * start
        assert ratio(run, EARLY) > 0.25
        assert ratio(run, LATE) < 0.2


@claim("at-1001-the-ratio-falls-first")
def test_at_1001_layers_the_ratio_falls_before_any_path_has_closed():
    for run in runs(1001, "original"):
        assert ratio(run, 3) < 1 / 3
        assert at(run, 3).open_share[-1] >= at(run, 0).open_share[-1]


@claim("smaller-steps-keep-the-gradient-at-110")
def test_at_a_tenth_of_the_rate_the_original_keeps_gradient_and_paths():
    slow = [r for r in load_records(RATE_EXPERIMENT) if r.row == "original"]
    assert len(slow) == 3
    for run in slow:
        assert (run.depth, run.tail) == (110, "")
        for p in run.profiles:
            assert p.gradient_norm[0] > 5 * p.gradient_norm[-1]
            assert p.open_share[-1] > 0.25


@claim("the-control-explodes-instead")
def test_without_the_last_relu_signal_and_gradient_explode():
    for run in runs(110, "no-relu-after-addition"):
        start, late = at(run, 0), at(run, LATE)
        assert late.signal_rms[-1] > 1000 * start.signal_rms[-1]
        for end in (0, -1):
            grown_by = late.gradient_norm[end] / start.gradient_norm[end]
            assert grown_by > 1000
        assert ratio(run, LATE) > 0.9
        assert set(late.open_share) == {1.0}
        assert run.test_error_pct > 80


@claim("twenty-layers-learn-without-a-final-bn")
def test_20_layers_of_the_original_unit_keep_their_paths_and_learn():
    for run in runs(20, "original"):
        assert run.tail == ""
        assert min(p.open_share[-1] for p in run.profiles) > 0.3
        assert run.test_error_pct < 5


@claim("a-tenth-of-the-learning-rate-cures-both")
@pytest.mark.parametrize("row", ["original", "no-relu-after-addition"])
def test_at_a_tenth_of_the_rate_every_run_learns(row):
    _, errors = errors_by_rate()
    large, small = errors[row]
    assert len(small) == 3
    assert small.max() < 10
    assert large.min() > 50


@claim("preactivation-gains-nothing-from-smaller-steps")
def test_preactivation_ends_worse_at_a_tenth_of_the_rate_with_every_seed():
    rates, errors = errors_by_rate()
    assert rates == [0.1, 0.01]
    large, small = errors["full-preactivation"]
    assert (small > large).all()
    assert small.max() < 15


@claim("preactivation-gains-nothing-from-smaller-steps")
def test_at_a_tenth_of_the_rate_preactivation_has_the_largest_median():
    _, errors = errors_by_rate()
    medians = {row: np.median(both[1]) for row, both in errors.items()}
    assert max(medians, key=medians.get) == "full-preactivation"


def exponents(row, shallow, deep, factor):
    """Exponent a stage, for each pair of a shallow and a deep run."""
    return [
        np.log(ratio(b, 0) / ratio(a, 0)) / np.log(factor) / 3
        for a in runs(shallow, row)
        for b in runs(deep, row)
    ]


@claim("no-one-exponent-for-both-kinds-of-unit")
def test_which_gradient_grows_faster_with_depth_depends_on_the_unit():
    basic = {
        row: exponents(row, 20, 110, 18 / 3)
        for row in ("original", "full-preactivation")
    }
    bottleneck = {row: exponents(row, 164, 1001, 111 / 18) for row in basic}
    medians = {row: np.median(found) for row, found in basic.items()}
    assert medians["full-preactivation"] > 1.2 * medians["original"]
    assert max(bottleneck["full-preactivation"]) < min(bottleneck["original"])
