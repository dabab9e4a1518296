"""Sentences of the chapters that hold to rounding, or by construction.

No tolerance here is statistical: what is drawn at random may be anything.
"""

from itertools import product
from math import comb

import numpy as np
import pytest

from claims.test_section_2 import EXACT, relative
from preact import reference
from preact.plan import stack_plan
from preact.propagation import draw_batch, run_units, stream_jacobian
from preact.spec import BN, RELU, TABLE_2, Gated, UnitSpec
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim
ORIGINAL = TABLE_2["original"]


# ------------------------------------------------------------ chapter 01
@claim("silent-original-copies")
def test_silent_units_copy_unless_a_bn_follows_the_addition():
    """In a network, where the original meets no negative numbers."""
    for row in TABLE_2:
        for seed in range(3):
            plan = stack_plan(TABLE_2[row], units=3, width=16)
            params = reference.initialize(plan, seed)
            last = "post.0" if BN in TABLE_2[row].post else "weights.3"
            for i in range(3):
                params[f"units.{i}.{last}.weight"] *= 0.0
            streams, _ = run_units(plan, params, draw_batch(plan, 32, seed)[0])
            moved = np.abs(streams[-1] - streams[0]).max()
            assert moved > 0.1 if row == "bn-after-addition" else moved == 0.0


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


# ------------------------------------------------------------ chapter 03


@claim("the-last-relu-masks-both-terms")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_the_original_unit_backward_is_the_mask_times_i_plus_the_branch(seed):
    plan = stack_plan(ORIGINAL, units=1, width=4)
    params = reference.initialize(plan, seed)
    x, _ = draw_batch(plan, 6, seed)
    total, branch = stream_jacobian(plan, params, x)
    streams, (cache,) = run_units(plan, params, x)
    mask = np.diag((streams[0] + cache.F > 0).ravel().astype(float))
    inner = np.eye(len(total)) + branch
    assert relative(total, mask @ inner) < EXACT
    assert relative(total, inner @ mask) > 0.1  # the other order is another


@claim("a-gate-has-a-derivative-of-its-own")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_the_derivative_of_a_gated_shortcut_has_the_term_x_g_prime(seed):
    """d (1 - g(x)) x / dx = 1 - g - x g', with W_g in g'."""
    spec = UnitSpec(
        pre=(BN, RELU), on_shortcut=Gated(bias=-2.0, complement=True)
    )
    plan = stack_plan(spec, units=1, width=4)
    params = reference.initialize(plan, seed)
    params["units.0.weights.3.weight"] *= 0.0  # only the shortcut is left
    x, _ = draw_batch(plan, 6, seed)
    total, _ = stream_jacobian(plan, params, x)
    stream = run_units(plan, params, x)[0][0][:, :, 0, 0]
    W = params["units.0.gate.0.weight"][:, :, 0, 0]
    g = 1 / (1 + np.exp(-(stream @ W.T - 2.0)))
    for n, (x_n, g_n) in enumerate(zip(stream, g, strict=True)):
        image = total.reshape(6, 4, 6, 4)[n, :, n, :]
        own = np.diag(1 - g_n) - (x_n * g_n * (1 - g_n))[:, None] * W
        assert relative(image, own) < EXACT
        assert relative(image, np.diag(1 - g_n)) > 1e-3


# ------------------------------- words of the checkers that are claims too
def test_paths_through_half_of_the_branches_are_hardly_more_than_the_next():
    assert 0.95 < comb(54, 26) / comb(54, 27) < 1
