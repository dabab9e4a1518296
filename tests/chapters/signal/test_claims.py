"""Sentences of chapter 02: what holds to rounding, and how streams grow."""

from itertools import product

import numpy as np
import pytest

from exact import EXACT, relative
from preact import reference
from preact.plan import stack_plan
from preact.propagation import draw_batch, profile, run_units
from preact.spec import CONTROLS, ROWS, TABLE_2
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim


@claim("linear-units-add-up-all-paths")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_a_product_of_linear_units_is_a_sum_over_branches_and_over_paths(seed):
    rng = np.random.default_rng(seed)
    W, x = rng.normal(0, 0.5, (6, 4, 4)), rng.normal(size=4)
    streams = [x]
    for weight in W:
        streams.append(streams[-1] + weight @ streams[-1])
    branches = [weight @ s for weight, s in zip(W, streams, strict=False)]
    paths = []
    for takes in product((False, True), repeat=len(W)):
        signal = x
        for branch, weight in zip(takes, W, strict=True):
            signal = weight @ signal if branch else signal
        paths.append(signal)
    assert len(paths) == 2 ** len(W)
    assert relative(x + sum(branches), streams[-1]) < EXACT
    assert relative(sum(paths), streams[-1]) < EXACT


@claim("eq-4-fails-in-the-original")
def test_eq_4_is_off_by_more_than_half_exactly_where_f_is_no_identity():
    for spec in (*TABLE_2.values(), *CONTROLS.values()):
        for seed in draw_seeds(3):
            plan = stack_plan(spec, units=50, width=64)
            params = reference.initialize(plan, seed)
            x, _ = draw_batch(plan, 64, seed)
            streams, caches = run_units(plan, params, x)
            missed = streams[-1] - streams[0] - sum(c.F for c in caches)
            off = np.linalg.norm(missed) / np.linalg.norm(streams[-1])
            assert off < EXACT if spec.is_identity_after else off > 0.5


def growth_without_bn(seed, units=20, width=64):
    """Factor of the mean square for each unit, both weights 2 / d."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(256, width))
    start = np.mean(x**2)
    for _ in range(units):
        W1, W2 = rng.normal(0, np.sqrt(2 / width), (2, width, width))
        x = x + np.maximum(np.maximum(x, 0) @ W1, 0) @ W2
    return (np.mean(x**2) / start) ** (1 / units)


@claim("without-bn-the-mean-square-doubles")
def test_a_preactivated_branch_without_bn_doubles_the_mean_square():
    factors = [growth_without_bn(seed) for seed in draw_seeds(8)]
    assert np.mean(factors) == pytest.approx(2, abs=0.2)


@claim("growth-laws")
@pytest.mark.parametrize("row", [*TABLE_2, *CONTROLS])
@pytest.mark.slow
def test_streams_of_fresh_units_grow_by_their_laws(row):
    """Means of three networks; BN after addition is as large at 20 units."""
    plan = stack_plan(ROWS[row], units=200, width=64)
    seen = [profile(plan, batch=128, seed=s).signal_rms for s in draw_seeds(3)]
    rms = np.mean(seen, axis=0)
    laws = {
        "bn-after-addition": rms[20],
        "relu-before-addition": 200 / np.sqrt(2 * np.pi),
    }
    assert rms[200] == pytest.approx(laws.get(row, np.sqrt(201)), rel=0.1)
