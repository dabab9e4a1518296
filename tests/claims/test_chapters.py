"""Sentences of chapters 01 to 04 and the front page, as inequalities.

Each test takes its networks, its point in time and its seeds from the
sentence. Where a chapter computes, the test runs the chapter's own cells.
"""

import numpy as np
import pytest

from preact import reference
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
