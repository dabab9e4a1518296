"""Sentences of chapters 01 to 04 and the front page, as inequalities.

Each test takes its networks, its point in time and its seeds from the
sentence. Where a chapter computes, the test runs the chapter's own cells.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from preact import paper, reference
from preact.book.race import race_errors
from preact.paper import FAIL_ERROR_PCT
from preact.plan import stack_plan
from preact.propagation import (
    direct_coefficient,
    draw_batch,
    pullback,
    run_units,
)
from preact.records.compare import load_records
from preact.spec import (
    TABLE_2,
)
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow


# ------------------------------------------------------------ chapter 01
PAIR = ("original", "full-preactivation")
CONTROL = "no-relu-after-addition"


@cache
def raced(arm, *, lr=0.1, units=20):
    """Training errors of eight networks of the race, in percent."""
    seeds = tuple(draw_seeds(8))
    return race_errors(arm, units, lr=lr, seeds=seeds)


@slow
@claim("toy-order-turns-round")
@pytest.mark.parametrize(
    ("lr", "order"),
    [
        (0.1, ("full-preactivation", CONTROL, "original")),
        (0.03, (CONTROL, "full-preactivation", "original")),
        (0.01, (CONTROL, "original", "full-preactivation")),
    ],
)
def test_full_preactivation_is_first_second_or_last_by_the_rate(lr, order):
    error = {arm: np.median(raced(arm, lr=lr)) for arm in order}
    assert tuple(sorted(error, key=error.get)) == order


@slow
@claim("toy-order-turns-round")
@pytest.mark.parametrize("row", ["original", CONTROL])
def test_a_final_bn_helps_at_a_rate_of_01_and_hurts_at_a_tenth_of_it(row):
    bn = f"{row}+final-bn"
    assert np.median(raced(bn)) < 0.75 * np.median(raced(row))
    slow_bn, slow_row = (np.median(raced(arm, lr=0.01)) for arm in (bn, row))
    assert slow_bn > 1.2 * slow_row


@slow
@claim("toy-plain")
def test_plain_networks_miss_more_of_their_own_images_with_every_depth():
    plain = "constant-scaling-0-1"
    errors = [raced(plain, units=units) for units in (2, 8, 20)]
    for shallower, deeper in pairwise(np.median(errors, axis=1)):
        assert deeper > 1.4 * shallower
    assert errors[-1].min() > 60


@claim("stochastic-depth-is-level")
def test_the_original_unit_reaches_the_papers_error_with_stochastic_depth():
    (ours,) = (
        r.error_pct
        for r in paper.results(3)
        if (r.data, r.depth, r.row) == ("CIFAR-10", 1001, "full-preactivation")
    )
    theirs = paper.read("text")["literature"]["stochastic_depth"]
    assert abs(theirs["cifar10_error_pct"] - ours) < 0.14  # one deviation


# -------------------------------------------------------- the front page
@claim("digits-without-final-bn-order-decides")
@pytest.mark.parametrize("lr", [0.1, 0.01])
def test_without_a_final_bn_original_and_control_fail_at_01_alone(lr):
    runs = [
        run
        for run in load_records("digits_rates")
        if (run.depth, run.config["recipe"]["lr"]) == (110, lr)
    ]
    for row in (*PAIR, "no-relu-after-addition"):
        for final_bn in (True, False):
            seeds, errors = zip(
                *(
                    (run.seed, run.test_error_pct)
                    for run in runs
                    if (run.row, "BN" in run.tail) == (row, final_bn)
                ),
                strict=True,
            )
            assert sorted(seeds) == [6, 7, 8, 9, 10]
            fails = lr == 0.1 and not final_bn and row != PAIR[1]
            assert {e > FAIL_ERROR_PCT for e in errors} == {fails}


@claim("direct-term-is-not-dominant")
@pytest.mark.parametrize("units", [10, 20])
@slow
def test_the_1_of_eq_5_is_there_but_small_in_norm(units):
    plan = stack_plan(TABLE_2["full-preactivation"], units=units, width=64)
    direct, cosines = [], []
    for seed in draw_seeds(6):
        direct.append(direct_coefficient(plan, seed=seed)[0])
        params = reference.initialize(plan, seed)
        x, _ = draw_batch(plan, 256, seed)
        streams, caches = run_units(plan, params, x)
        last = np.random.default_rng(seed).normal(size=streams[-1].shape)
        first = pullback(plan, caches, last)[0]
        norms = np.linalg.norm(first) * np.linalg.norm(last)
        cosines.append((first * last).sum() / norms)
    assert np.mean(direct) == pytest.approx(1.0, abs=0.15)
    assert np.mean(cosines) < 0.3
