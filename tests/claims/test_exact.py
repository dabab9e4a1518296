"""Sentences of the chapters that hold to rounding, or by construction.

No tolerance here is statistical: what is drawn at random may be anything.
"""

from itertools import product
from math import comb

import numpy as np
import pytest

from exact import EXACT, relative
from preact import reference
from preact.plan import stack_plan
from preact.propagation import draw_batch, run_units
from preact.spec import TABLE_2
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim


# ------------------------------------------------------------ chapter 02
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
    for row in TABLE_2:
        for seed in draw_seeds(3):
            plan = stack_plan(TABLE_2[row], units=50, width=64)
            params = reference.initialize(plan, seed)
            streams, caches = run_units(
                plan, params, draw_batch(plan, 64, seed)[0]
            )
            right = streams[0] + sum(cache.F for cache in caches)
            off = np.linalg.norm(streams[-1] - right) / np.linalg.norm(
                streams[-1]
            )
            assert off < EXACT if TABLE_2[row].is_identity_after else off > 0.5


# ------------------------------- words of the checkers that are claims too
def test_paths_through_half_of_the_branches_are_hardly_more_than_the_next():
    assert 0.95 < comb(54, 26) / comb(54, 27) < 1
