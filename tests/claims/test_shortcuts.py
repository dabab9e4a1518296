"""Sentences of chapter 05, as inequalities."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from claims.test_chapters import cells
from preact import paper
from preact.book.shortcut_builder import PLACEMENTS, SHORTCUTS, combinations
from preact.book.shortcuts import (
    PAPER_ROWS,
    along_shortcuts,
    at_start,
    recorded_on_digits,
    share_in_order,
    theories,
    watch_units,
)
from preact.plan import stack_plan
from preact.propagation import pullback, rms
from preact.records.compare import load_records
from preact.reference.unit import dropout_mask
from preact.spec import TABLE_1, Conv1x1, Dropout, Gated, Scale, UnitSpec
from sampled import sampled

claim = pytest.mark.claim
slow = pytest.mark.slow
SEEDS = range(10, 14)  # others than the chapter's
GATED = TABLE_1["shortcut-only-gating-b-6"]
BETTER = replace(
    GATED,
    on_shortcut=Gated(-6.0, complement=True, design="two conv3x3"),
)


def passed(spec, seed, units=54):
    """Mean product of the factors that the shortcuts really take."""
    plan = stack_plan(spec, units=units, width=64)
    _, caches = watch_units(plan, seed=seed)
    return np.prod([cache.s for cache in caches], axis=0).mean()


# ---------------------------------------------------------------- derived
@claim("silent-branches-leave-the-shortcuts")
@pytest.mark.parametrize(
    "shortcut", [Scale(0.7), Gated(-1.0, complement=True), Dropout(0.5)]
)
def test_along_the_shortcuts_a_gradient_meets_their_factors(shortcut):
    """f is the identity, so that no mask of a ReLU joins the product."""
    spec = UnitSpec(on_shortcut=shortcut)
    plan = stack_plan(spec, units=5, width=6)
    streams, caches = watch_units(plan, batch=8)
    last = np.random.default_rng(0).normal(size=streams[-1].shape)
    product = np.prod([cache.s for cache in caches], axis=0)
    back = along_shortcuts(caches, last)
    np.testing.assert_allclose(back[0], product * last)


@claim("silent-branches-leave-the-shortcuts")
def test_a_convolution_on_the_shortcut_multiplies_by_its_jacobian():
    plan = stack_plan(UnitSpec(on_shortcut=Conv1x1()), units=1, width=5)
    streams, caches = watch_units(plan, batch=7)
    last = np.random.default_rng(0).normal(size=streams[-1].shape)
    conv, bn = (own for _, own in caches[0].short)
    W = conv.weight[:, :, 0, 0]
    g, x_hat = last[:, :, 0, 0], bn.x_hat[:, :, 0, 0]
    through_bn = g - g.mean(0) - x_hat * (g * x_hat).mean(0)
    wanted = (through_bn / bn.sigma) @ W
    back = along_shortcuts(caches, last)[0]
    np.testing.assert_allclose(back[:, :, 0, 0], wanted)


@claim("dropout-has-two-conventions")
def test_a_mask_has_two_conventions_with_unlike_moments():
    rescaled = dropout_mask(np.random.default_rng(0), (400_000,), 0.5)
    kept = rescaled / 2
    for mask, mean, square in ((kept, 0.5, 0.5), (rescaled, 1.0, 2.0)):
        assert mask.mean() == pytest.approx(mean, rel=0.01)
        assert (mask**2).mean() == pytest.approx(square, rel=0.01)


# --------------------------------------------------------------- at start
@claim("a-bn-in-the-gate-keeps-it-near-its-bias")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_gates_that_end_in_a_bn_stay_near_their_setting(seed):
    assert passed(BETTER, seed) > 0.7
    assert passed(GATED, seed) < 0.1


@claim("the-gates-sum-outgrows-half-its-bias")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_what_a_gate_reads_outgrows_half_its_bias(seed):
    """What it reads is found from what it gives: s = 1 - sigmoid(z - 6)."""
    plan = stack_plan(GATED, units=54, width=64)
    streams, caches = watch_units(plan, seed=seed)
    read = [np.log(1 / cache.s - 1) + 6 for cache in caches]
    ratio = [
        (z**2).mean() / (x**2).mean()
        for z, x in zip(read, streams, strict=False)
    ]
    assert np.mean(ratio) == pytest.approx(2, rel=0.05)
    for z, unit in zip(read[19:], caches[19:], strict=True):
        assert rms(z) > 3
        assert 0.01 < (unit.s < 0.5).mean() < 0.12


def growth(plan, caches, last):
    back = pullback(plan, caches, last)
    return np.linalg.norm(back[0]) / np.linalg.norm(last)


@claim("x-g-prime-counts-where-the-stream-is-large")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_the_gates_own_term_counts_in_shortcut_only_gating_alone(seed):
    share = {}
    for row in ("shortcut-only-gating-b-6", "exclusive-gating-b-6"):
        plan = stack_plan(TABLE_1[row], units=54, width=64)
        streams, caches = watch_units(plan, seed=seed)
        last = np.random.default_rng(seed).normal(size=streams[-1].shape)
        fixed = [replace(own, gate=None) for own in caches]
        share[row] = growth(plan, caches, last) / growth(plan, fixed, last)
    assert share["shortcut-only-gating-b-6"] > 2
    assert share["exclusive-gating-b-6"] == pytest.approx(1, abs=0.02)


@cache
def sizes(kept, seed):
    names = cells("05-shortcuts", "def sizes")
    row = TABLE_1["dropout-shortcut"]
    names |= {"np": np, "dropped": stack_plan(row, units=54, width=64)}
    return names["sizes"](kept, seed)


@slow
@claim("doubling-ends-when-the-batch-runs-out")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_rescaled_dropout_doubles_until_the_batch_runs_out(seed):
    stream = np.array(sizes(2.0, seed))
    doubled = (stream[8] / stream[2]) ** 2
    assert 2**6 / 3 < doubled < 2**6 * 3
    assert stream[-1] < 1e4 < 2.0**27 / 1e3


@slow
@claim("nothing-survives-54-masks")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_after_54_masks_no_value_of_the_first_stream_is_left(seed):
    plan = stack_plan(TABLE_1["dropout-shortcut"], units=54, width=64)
    _, caches = watch_units(plan, seed=seed)
    alive = np.prod([own.s > 0 for own in caches], axis=0)
    assert alive.sum() == 0


def test_the_chapters_own_masks_are_those_of_the_package():
    plan = stack_plan(TABLE_1["dropout-shortcut"], units=54, width=64)
    streams, _ = watch_units(plan, seed=0)
    np.testing.assert_allclose(sizes(2.0, 0), [rms(x) for x in streams])


@slow
@claim("shortcut-decides-more-than-placement")
def test_shortcuts_spread_the_growth_more_than_placements_do():
    growths = {
        name: np.median(at_start(spec).growth)
        for name, spec in combinations().items()
    }
    for place in PLACEMENTS:
        own = [growths[f"{place}/{row}"] for row in SHORTCUTS]
        assert max(own) / min(own) > 1e5
    identities = [growths[f"{place}/original"] for place in PLACEMENTS]
    assert max(identities) / min(identities) < 5


# --------------------------------------------------------------- theories
@cache
def numbers():
    return theories(PAPER_ROWS)


@slow
@claim("three-numbers-none-fits")
@pytest.mark.parametrize("theory", ["as_set", "at_work", "growth"])
def test_each_number_orders_more_than_half_and_fewer_than_all(theory):
    sign = -1 if theory == "growth" else 1
    rows = numbers()[theory]
    seeds = len(next(iter(rows.values())))
    for seed in range(seeds):
        guess = {row: sign * values[seed] for row, values in rows.items()}
        assert 0.55 < share_in_order(guess, PAPER_ROWS) < 0.85


@claim("products-do-not-order-table-1")
def test_rows_without_a_product_train_and_a_larger_product_is_worse():
    as_set = {
        "constant-scaling-0.5-0.5": 0.5**54,
        "constant-scaling-0.5-1": 0.5**54,
        "shortcut-only-gating-b0": 0.5**54,
    }
    assert max(as_set.values()) < 1e-10
    found = {row: PAPER_ROWS[row] for row in as_set}
    assert found["constant-scaling-0.5-1"] is None
    assert 12 < found["constant-scaling-0.5-0.5"] < 13
    assert 12 < found["shortcut-only-gating-b0"] < 13
    seven, six = (PAPER_ROWS[f"exclusive-gating-b-{b}"] for b in (7, 6))
    assert seven > six


@slow
@claim("growth-separates-seven-from-twelve")
def test_below_seven_percent_the_gradient_grows_a_thousand_times_less():
    small, large = [], []
    for row, values in numbers()["growth"].items():
        if row.startswith(("exclusive", "dropout")):
            continue
        error = PAPER_ROWS[row]
        near = error is not None and error < 7
        (small if near else large).append(values)
    assert len(small) == 2
    assert len(large) == 5
    assert np.min(large) > 1e3 * np.max(small)


@slow
@claim("minus-five-looks-like-minus-six")
def test_five_and_six_are_alike_before_training_and_unlike_after():
    five, six = (at_start(TABLE_1[f"exclusive-gating-b-{b}"]) for b in (5, 6))
    assert max(five.growth.max(), six.growth.max()) < 1
    assert np.min(five.at_work) > np.max(six.at_work) / 2
    assert PAPER_ROWS["exclusive-gating-b-5"] is None
    assert PAPER_ROWS["exclusive-gating-b-6"] == 8.70


def test_guessing_orders_half_of_the_pairs():
    errors = {"a": 1.0, "b": 2.0, "c": None, "d": None}
    assert share_in_order(dict.fromkeys(errors, 0.0), errors) == 0.5
    assert share_in_order({"a": 4, "b": 3, "c": 2, "d": 1}, errors) == 1.0
    assert share_in_order({"a": 1, "b": 2, "c": 4, "d": 3}, errors) == 0.0


# ---------------------------------------------------------------- records
@cache
def recorded():
    return recorded_on_digits()


@claim("not-only-the-head-fails")
def test_a_final_bn_mends_the_identity_and_no_other_shortcut():
    with_bn = {row: r for (row, tail), r in recorded().items() if tail == "BN"}
    identity = with_bn.pop("original")
    without = recorded()["original", ""]
    assert without.error_pct.min() > 60
    assert identity.error_pct.max() < 10
    assert len(with_bn) == 7
    assert all(run.error_pct.min() > 70 for run in with_bn.values())


@claim("exclusive-gating-learns-on-digits")
@pytest.mark.parametrize("bias", [-3, -4, -5, -6, -7])
def test_without_a_final_bn_exclusive_gates_learn_where_the_identity_fails(
    bias,
):
    gated = recorded()[f"exclusive-gating-b{bias}", ""]
    assert gated.error_pct.max() < 15
    assert recorded()["original", ""].error_pct.min() > 60


@claim("on-digits-the-error-rises-toward-minus-seven")
def test_the_median_error_rises_from_minus_three_to_minus_seven():
    medians = [
        np.median(recorded()[f"exclusive-gating-b{b}", ""].error_pct)
        for b in (-3, -4, -5, -6, -7)
    ]
    assert all(np.diff(medians) > 0)


@claim("large-growth-never-learned")
def test_growth_above_ten_thousand_failed_and_below_a_thousand_learned():
    exceptions = {("original", ""), ("dropout-shortcut", "")}
    exceptions.add(("dropout-shortcut", "BN"))
    for key, run in recorded().items():
        large = run.growth > 1e4
        assert (run.error_pct[large] > 70).all(), key
        if key not in exceptions:
            small = run.growth < 1e3
            assert (run.error_pct[small] < 50).all(), key
        else:
            assert (run.growth < 1e3).all(), key
            assert (run.error_pct > 60).all(), key


def test_the_records_are_those_of_the_chapters_tables():
    rows = {row for row, tail in recorded() if not tail}
    assert rows == {run.row for run in load_records("digits_table_1")}


# --------------------------------------------------------------- reported
@claim("disputed-run-changes-more-than-the-gate", "gates-are-disputed")
def test_the_disputed_numbers_are_one_run_each():
    other = paper.read("text")["literature"]["highway_110"]
    assert other["runs"] == 1
    assert other["cifar10_error_pct"] < other["own_resnet_error_pct"]
    assert other["own_resnet_error_pct"] < PAPER_ROWS["exclusive-gating-b-6"]


# ------------------------------------------------------------------- live
@cache
def trained(shortcut):
    names = cells("05-shortcuts", "def factor", "def network", "def train")
    names["np"] = np
    return names["train"](shortcut, seed=1)


def toy(shortcut, tail):
    return trained(shortcut)[tail]


@slow
@claim("one-bn-mends-the-gate")
def test_with_a_final_bn_a_gate_with_a_bn_learns_as_the_identity_does():
    identity, mended, gate = (
        np.median(toy(shortcut, "BN"))
        for shortcut in ("identity", "gate-bn", "gate")
    )
    assert mended < 1.5 * identity
    assert gate > 2 * mended


@slow
@claim("no-head-rescues-one-half")
@pytest.mark.parametrize("tail", ["", "BN"])
def test_no_head_rescues_a_factor_of_one_half(tail):
    assert toy("half", tail).min() > 75


@slow
@claim("the-head-slows-the-identity-too")
@pytest.mark.parametrize("shortcut", ["identity", "gate-bn"])
def test_without_a_final_bn_identity_and_better_gate_are_slower(shortcut):
    assert np.median(toy(shortcut, "")) > 2 * np.median(toy(shortcut, "BN"))
