"""Sentences of chapter 07 that rest on records: every run, every seed.

What was found with the seeds of `digits_depth` is tested on those of
`digits_rates` where these have the network.
"""

from itertools import pairwise

import numpy as np
import pytest

from preact.book.depth import RATES, errors_by_rate, recorded_runs
from preact.book.panels import FINAL_BN
from preact.book.recorded import runs_at

claim = pytest.mark.claim
ROWS = ("original", "no-relu-after-addition", "full-preactivation")
WARM, EARLY, LATE = 18, 30, 100  # the rate rises after iteration 20


def at(run, iteration):
    (profile,) = (p for p in run.profiles if p.iteration == iteration)
    return profile


def first(profile):
    return profile.gradient_norm[0]


def last(profile):
    return profile.gradient_norm[-1]


def ratio(profile):
    return first(profile) / last(profile)


def paths(profile):
    return profile.open_share[-1]


def left(run, iteration, read):
    """Share of what there was at iteration 0."""
    return read(at(run, iteration)) / read(at(run, 0))


def runs(depth, arm):
    found = recorded_runs(depth)[arm]
    assert len(found) >= 3
    return found


def new_runs(row, head, rate, depth=110):
    """Runs of new seeds, without a BN before the classifier, or with one."""
    found = runs_at(depth, rate)[row + "+final-bn" * head]
    assert {run.seed for run in found} == {6, 7, 8, 9, 10}
    return found


def errors(row, head, rate, depth=110):
    return [run.test_error_pct for run in new_runs(row, head, rate, depth)]


@claim("early-gradients-grow-with-layers")
@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_more_layers_mean_a_larger_first_gradient_before_training(row):
    head = row == "full-preactivation"
    ratios = [
        [ratio(at(run, 0)) for run in runs(depth, row + FINAL_BN * head)]
        for depth in (20, 110, 164, 1001)
    ]
    for k, depth in enumerate((20, 110)):
        found = new_runs(row, head, 0.1, depth)
        ratios[k] += [ratio(at(run, 0)) for run in found]
    for fewer, more in pairwise(ratios):
        assert min(more) > 1.5 * max(fewer)


@claim("one-step-takes-the-early-gradient")
def test_one_step_moves_the_first_signal_of_1001_layers_and_its_gradient():
    def grown(run):
        return left(run, 1, lambda p: p.signal_rms[0])

    for run in runs(1001, "original"):
        assert grown(run) > 1000
        assert ratio(at(run, 0)) > 9e6
        assert 1 < ratio(at(run, 1)) < 2
    for run in runs(1001, "full-preactivation" + FINAL_BN):
        assert grown(run) > 50
        assert left(run, 1, ratio) < 1 / 500


@claim("the-ratio-falls-before-the-paths-close")
@pytest.mark.parametrize(("depth", "iteration"), [(164, 10), (1001, 3)])
def test_the_ratio_falls_a_hundredfold_while_the_paths_are_open(
    depth, iteration
):
    found = [*runs(depth, "original")]
    if depth == 164:
        found += runs_at(164, 0.1)["original"]
    for run in found:
        assert left(run, iteration, ratio) < 0.01
        assert left(run, iteration, paths) > 0.75


@claim("the-larger-rate-closes-the-paths")
def test_from_one_start_paths_close_at_the_larger_rate_alone():
    large, small = (new_runs("original", 0, rate) for rate in (0.1, 0.01))
    for one, other in zip(large, small, strict=True):
        assert at(one, WARM) == at(other, WARM)
        assert left(one, WARM, paths) > 0.7
        assert left(one, EARLY, paths) < 0.1
        open_ = [paths(p) for p in other.profiles]
        assert min(open_) > 0.6 * paths(at(other, 0))


@claim("only-the-last-stage-closes")
@pytest.mark.parametrize("depth", [110, 164, 1001])
def test_the_last_stage_closes_and_the_first_two_do_not(depth):
    found = [*runs(depth, "original")]
    if depth == 110:
        found += new_runs("original", 0, 0.1)
    for run in found:
        before, after = at(run, 0).open_share, at(run, EARLY).open_share
        ends = [(len(after) - 1) * k // 3 for k in (1, 2, 3)]
        one, two, three = (after[end] / before[end] for end in ends)
        assert min(one, two) > 0.5
        assert three < 0.4


@claim("the-last-gradient-grows-where-paths-close")
def test_the_last_gradient_grows_only_in_the_runs_that_fail():
    for run in new_runs("original", 0, 0.1):
        assert left(run, LATE, last) > 3
        assert left(run, LATE, first) < 0.5
    for row in ("original", "full-preactivation"):
        for run in new_runs(row, 1, 0.1):
            assert left(run, LATE, last) < 1
            assert left(run, LATE, first) < 0.5


@claim("the-control-explodes-instead")
def test_without_the_last_relu_signal_and_gradient_explode():
    for run in new_runs("no-relu-after-addition", 0, 0.1):
        for read in (first, last, lambda p: p.signal_rms[-1]):
            assert left(run, LATE, read) > 100
        assert set(at(run, LATE).open_share) == {1.0}
        assert run.test_error_pct > 80


@claim("twenty-layers-learn-without-a-final-bn")
@pytest.mark.parametrize("rate", RATES)
def test_20_layers_of_every_unit_learn_at_every_rate_under_either_head(rate):
    for row in ROWS:
        for head in (0, 1):
            assert max(errors(row, head, rate, depth=20)) < 10


@claim("a-tenth-of-the-learning-rate-cures-both")
@pytest.mark.parametrize("row", ["original", "no-relu-after-addition"])
def test_at_a_tenth_of_the_rate_every_run_learns(row):
    assert max(errors(row, 0, 0.01)) < 10
    assert min(errors(row, 0, 0.1)) > 20


@claim("at-a-tenth-of-the-rate-the-order-reverses")
def test_at_the_larger_rate_a_final_bn_or_preactivation_is_enough():
    for row in ROWS:
        assert max(errors(row, 1, 0.1)) < 10
    assert max(errors("full-preactivation", 0, 0.1)) < 15


@claim("at-a-tenth-of-the-rate-the-order-reverses")
@pytest.mark.parametrize("head", [0, 1], ids=["without", "with-bn"])
def test_under_either_head_a_tenth_of_the_rate_reverses_the_order(head):
    found = {row: errors(row, head, 0.01) for row in ROWS}
    original, control, full = (np.median(found[row]) for row in ROWS)
    assert control <= original < full
    assert max(map(max, found.values())) < 15


@claim("at-164-layers-the-last-relu-costs")
@pytest.mark.parametrize("head", ["", "+final-bn"], ids=["without", "with-bn"])
def test_with_164_layers_the_last_relu_costs_at_most_rates(head):
    original, control, full = (errors_by_rate(164)[row + head] for row in ROWS)
    assert original.shape == (len(RATES), 2)
    for k, rate in enumerate(RATES):
        assert min(original[k]) > max(full[k])
        if rate < 0.1 or head:
            assert min(original[k]) > max(control[k])
        else:
            assert np.median(control[k]) > np.median(original[k])
        if rate < 0.1:
            assert np.median(original[k]) > 2 * np.median(control[k])


@claim("images-the-control-learns")
def test_on_images_the_control_learns_without_a_final_bn():
    ends = {
        arm: [run.test_error_pct for run in found]
        for arm, found in runs_at(110, 0.1, "cifar16_table_2").items()
    }
    original, control, full = ROWS
    assert min(ends[original]) > 50
    assert max(ends[control]) < 40
    assert min(ends[full] + ends[full + "+final-bn"]) > 40
    for row in (original, control):
        assert len(ends[row]) == len(ends[row + "+final-bn"]) == 3
        assert max(ends[row + "+final-bn"]) < 40


@claim("at-1001-layers-the-head-keeps-paths-open")
def test_with_1001_layers_a_final_bn_keeps_the_last_stage_open():
    for rate in (0.1, 0.01):
        begun = runs_at(1001, rate, "cifar16_1001")
        bare, normalized = begun["original"], begun["original" + FINAL_BN]
        assert len(bare) == len(normalized) == 3
        assert all(left(run, 99, paths) < 0.1 for run in bare)
        assert all(left(run, 99, paths) > 0.5 for run in normalized)
