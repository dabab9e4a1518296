"""Claims about what the package computes, each with its scope.

Fully connected stacks or the paper's own networks at iteration 0, unless a
name says otherwise; each seed must bear the claim out.
"""

from dataclasses import replace

import numpy as np
import pytest

from preact import nn, paper, reference
from preact.plan import cifar_plan, stack_plan
from preact.propagation import (
    direct_coefficient,
    draw_batch,
    open_share,
    profile,
    run_units,
    shortcut_products,
)
from preact.records.compare import load_records
from preact.spec import BN, RELU, ROWS, TABLE_2, Scale, UnitSpec
from sampled import sampled

claim = pytest.mark.claim
slow = pytest.mark.slow
SEEDS = range(3)


# ----------------------------------------------------------------- gates
@claim("gates-at-work-are-not-gates-at-their-bias")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
@pytest.mark.parametrize("bias", [-4, -6, -10])
def test_gates_that_read_the_stream_pass_less_than_their_bias_says(bias, seed):
    """He-drawn W_g on a stream of rms sqrt(l): far from its value at 0."""
    row = f"shortcut-only-gating-b{bias}"
    plan = stack_plan(ROWS[row], units=54, width=64)
    params = reference.initialize(plan, seed)
    _, caches = run_units(plan, params, draw_batch(plan, 64, seed)[0])
    at_work = np.prod([cache.s for cache in caches], axis=0)
    nominal = shortcut_products(plan)[0]
    assert at_work.mean() < nominal / 3
    assert np.median(at_work) < at_work.mean()


@claim("products-of-gates-do-not-explain-table-1")
def test_equal_products_of_gates_have_unequal_errors_in_table_1():
    error = {result.row: result.error_pct for result in paper.results(1)}
    product = {}
    for row in ("exclusive-gating-b-6", "shortcut-only-gating-b-6"):
        plan = cifar_plan(ROWS[row], depth=110, convs=2)
        product[row] = shortcut_products(plan)[0]
    one, other = product
    assert product[one] == product[other] == pytest.approx(0.875, abs=5e-4)
    assert error[one] - error[other] > 1
    # A larger product may go with the larger error: 0.952 at a bias of -7
    assert error["exclusive-gating-b-7"] > error["exclusive-gating-b-6"]


# ----------------------------------------------------------- direct term
@claim("direct-term-is-lambda-times-open-share")
@pytest.mark.parametrize("value", [0.8, 1.0])
def test_the_direct_term_is_lambda_to_the_depth_times_the_open_share(value):
    """With f = ReLU neither factor of the two will do alone."""
    spec = UnitSpec(post=(BN,), after=(RELU,), on_shortcut=Scale(value))
    plan = stack_plan(spec, units=5, width=64)
    direct, share = [], []
    for seed in range(6):
        terms = direct_coefficient(plan, batch=64, seed=seed, probes=10)
        direct.append(terms[0])
        params = reference.initialize(plan, seed)
        streams, _ = run_units(plan, params, draw_batch(plan, 64, seed)[0])
        share.append(open_share(plan, streams)[-1])
    error = np.std(direct, ddof=1) / np.sqrt(len(direct))
    expected = shortcut_products(plan)[0] * np.mean(share)
    assert error < 0.05
    assert np.mean(direct) == pytest.approx(expected, abs=3 * error)
    assert np.mean(direct) < shortcut_products(plan)[0] - 3 * error
    if value < 1:
        assert np.mean(direct) < np.mean(share) - 3 * error


# ---------------------------------------------- the popular bug, Fig. 4(b)
@claim("popular-bug-is-fig-4b")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_a_shortcut_behind_bn_relu_in_every_unit_is_exactly_fig_4b(seed):
    """y' = a + F(a), a = ReLU(BN(y)): the same network, cut elsewhere."""
    bug = stack_plan(TABLE_2["full-preactivation"], units=6, width=8)
    bug = replace(
        bug,
        units=tuple(replace(unit, tap="after pre") for unit in bug.units),
    )
    paper_row = stack_plan(TABLE_2["bn-after-addition"], units=6, width=8)
    rng = np.random.default_rng(seed)
    ours = {
        name: value + 0.3 * rng.random(value.shape)
        for name, value in reference.initialize(bug, seed).items()
    }
    theirs = {}
    for name in reference.initialize(paper_row, seed):
        _, index, place, *_rest = (*name.split("."), "", "", "")
        if name.startswith("stem"):
            source = name.replace("stem", "units.0.pre")
        elif place == "after" and int(index) == 5:
            source = name.replace("units.5.after", "tail")
        elif place == "after":
            source = name.replace(
                f"units.{index}.after", f"units.{int(index) + 1}.pre"
            )
        else:
            source = name
        theirs[name] = ours[source]
    x, _ = draw_batch(bug, 16, seed)
    mine, buggy = reference.network_forward(bug, ours, x)
    logits, row = reference.network_forward(paper_row, theirs, x)
    assert np.abs(mine - logits).max() == 0.0
    for a, b in zip(buggy.streams[1:], row.units, strict=True):
        np.testing.assert_array_equal(a, b.h + b.F)


# --------------------------------------- early gradients, by network and time
@slow
@claim("early-gradients-of-110-are-larger-with-preactivation")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_resnet_110_has_the_larger_early_gradients_with_preactivation(seed):
    """The other way round than in the stack and in bottleneck networks."""
    ratio = {}
    for row in ("original", "full-preactivation"):
        plan = cifar_plan(ROWS[row], depth=110, convs=2, image=(3, 16, 16))
        measured = profile(
            plan, batch=12, seed=seed, engine=nn, dtype=np.float32
        )
        ratio[row] = measured.gradient_ratio
    assert 1.2 * ratio["original"] < ratio["full-preactivation"]


def recorded(depth, row, iteration):
    """Gradient ratio and open share of each seed of `digits_depth`."""
    values = []
    for record in load_records("digits_depth"):
        if (record["depth"], record["row"]) != (depth, row):
            continue
        for measured in record["profiles"]:
            if measured["iteration"] == iteration:
                first, *_, last = measured["gradient_norm"]
                values.append((first / last, measured["open_share"][-1]))
    assert len(values) >= 3
    return np.array(values).T


@claim("early-gradients-of-110-are-larger-with-preactivation")
def test_so_do_the_recorded_runs_of_110_and_not_those_of_1001():
    for depth, larger, smaller in (
        (110, "full-preactivation", "original"),
        (1001, "original", "full-preactivation"),
    ):
        least = recorded(depth, larger, 0)[0].min()
        assert least > 2 * recorded(depth, smaller, 0)[0].max()


@claim("nothing-vanishes-is-a-statement-about-iteration-0")
@pytest.mark.parametrize("depth", [110, 1001])
def test_what_explodes_at_iteration_0_vanishes_by_iteration_100(depth):
    at_start, open_at_start = recorded(depth, "original", 0)
    later, open_later = recorded(depth, "original", 100)
    assert at_start.min() > 10
    assert later.max() < 0.5
    assert open_later.max() < open_at_start.min() / 50
    kept = recorded(depth, "full-preactivation", 100)[1]
    assert (kept == 1.0).all()
