"""Sentences of the front page: what failed without a final BN, and the 1."""

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
from preact.spec import TABLE_2
from seeds import draw_seeds

PAIR = ("original", "full-preactivation")


@pytest.mark.claim("digits-without-final-bn-order-decides")
@pytest.mark.parametrize("lr", [0.1, 0.01])
def test_without_a_final_bn_original_and_control_fail_at_01_alone(lr):
    runs = [
        run
        for run in load_records("digits_rates")
        if (run.depth, run.config["recipe"]["lr"]) == (110, lr)
    ]
    for row in (*PAIR, "no-relu-after-addition"):
        for final_bn in (True, False):
            ends = {
                run.seed: run.test_error_pct > FAIL_ERROR_PCT
                for run in runs
                if (run.row, "BN" in run.tail) == (row, final_bn)
            }
            fails = lr == 0.1 and not final_bn and row != PAIR[1]
            assert ends == dict.fromkeys([6, 7, 8, 9, 10], fails)


@pytest.mark.claim("direct-term-is-not-dominant")
@pytest.mark.parametrize("units", [10, 20])
@pytest.mark.slow
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
