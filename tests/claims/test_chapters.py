"""Sentences of chapters 01 to 04 and the front page, as inequalities.

Each test takes its networks, its point in time and its seeds from the
sentence. Where a chapter computes, the test runs the chapter's own cells.
"""

import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from paths import ROOT
from preact import paper, reference
from preact.plan import Conventions, cifar_plan, stack_plan
from preact.propagation import (
    direct_coefficient,
    draw_batch,
    growth,
    profile,
    run_units,
    shortcut_products,
)
from preact.records.compare import load_records
from preact.spec import (
    BN,
    CONTROLS,
    RELU,
    TABLE_1,
    TABLE_2,
    Scale,
    UnitSpec,
)
from sampled import sampled

claim = pytest.mark.claim
slow = pytest.mark.slow


def cells(chapter, *wanted):
    """Run the cells of a chapter that contain one of some phrases."""
    text = (ROOT / f"book/en/{chapter}.md").read_text("utf-8")
    names = {}
    pattern = r"^```{code-cell} python\n(.*?)^```"
    for cell in re.findall(pattern, text, re.DOTALL | re.MULTILINE):
        if any(phrase in cell for phrase in wanted):
            exec(re.sub(r"^:tags:.*\n", "", cell), names)
    return names


# ------------------------------------------------------------ chapter 01
PAIR = ("original", "full-preactivation")
ORIGINAL, CONTROL = TABLE_2["original"], CONTROLS["no-relu-after-addition"]


@cache
def digits(spec, tail, *, units=20, steps=60, seeds=8):
    """Training errors, other seeds than the chapter's."""
    names = cells("01-why", "def place", "def network", "def training_errors")
    return names["training_errors"](
        spec, tail, units, seed=1, steps=steps, seeds=seeds
    )


@slow
@claim("toy-head-and-relu")
@pytest.mark.parametrize("spec", [ORIGINAL, CONTROL])
def test_at_20_units_the_final_bn_helps_with_and_without_the_last_relu(spec):
    without, with_bn = (np.median(digits(spec, t)) for t in ((), (BN,)))
    assert without > 2 * with_bn


@slow
@claim("toy-head-and-relu")
@pytest.mark.parametrize("tail", [(), (BN,)])
def test_at_20_units_leaving_out_the_last_relu_helps_under_both_heads(tail):
    assert np.median(digits(CONTROL, tail)) < np.median(digits(ORIGINAL, tail))


@slow
@claim("toy-head-and-relu")
def test_the_head_matters_more_than_the_last_relu_in_every_pair():
    error = {
        (spec, tail): np.median(digits(spec, tail))
        for spec in (ORIGINAL, CONTROL)
        for tail in ((), (BN,))
    }
    head = [error[s, ()] / error[s, (BN,)] for s in (ORIGINAL, CONTROL)]
    relu = [error[ORIGINAL, t] / error[CONTROL, t] for t in ((), (BN,))]
    assert min(head) > max(relu)


@slow
@claim("toy-with-final-bn")
def test_with_a_normalized_head_residual_networks_end_within_a_few_points():
    arms = [
        digits(ORIGINAL, (BN,)),
        digits(CONTROL, (BN,)),
        digits(TABLE_2["full-preactivation"], (BN, RELU)),
    ]
    medians = [np.median(arm) for arm in arms]
    assert max(medians) - min(medians) < 3


@slow
@claim("toy-plain")
def test_the_plain_network_of_20_units_misses_the_images_it_was_shown():
    assert digits(TABLE_1["constant-scaling-0-1"], ()).min() > 50


@slow
@claim("toy-plain")
def test_every_deeper_plain_network_ends_worse_than_every_shallower_one():
    plain = TABLE_1["constant-scaling-0-1"]
    errors = [digits(plain, (), units=units) for units in (2, 8, 20)]
    for shallower, deeper in pairwise(errors):
        assert deeper.min() > 2 * shallower.max()


@slow
@claim("toy-original-is-slow")
def test_after_ten_times_as_many_steps_the_original_has_learned_too():
    assert digits(ORIGINAL, (), steps=600, seeds=4).max() < 1


@claim("gain-and-additions")
def test_the_gain_goes_with_additions_and_is_no_function_of_them():
    """108 additions gain more than 54; two networks of 54 gain differently."""
    errors = {
        (r.network, r.row): r.error_pct
        for r in paper.results(3)
        if r.data == "CIFAR-10"
    }
    gain = {
        network: 1
        - errors[network, "full-preactivation"] / errors[network, "original"]
        for network, _ in errors
    }
    assert gain["ResNet-110 (1-layer skip)"] > 2 * gain["ResNet-110"]
    assert gain["ResNet-164"] > 2 * gain["ResNet-110"]


@claim("stochastic-depth-is-level")
def test_the_original_unit_reaches_the_papers_error_with_stochastic_depth():
    (ours,) = (
        r.error_pct
        for r in paper.results(3)
        if (r.data, r.depth, r.row) == ("CIFAR-10", 1001, "full-preactivation")
    )
    theirs = paper.read("text")["literature"]["stochastic_depth"]
    assert abs(theirs["cifar10_error_pct"] - ours) < 0.14  # one deviation


# ------------------------------------------------------------ chapter 02
def growth_without_bn(seed, *, first_relu=True, units=20, width=64):
    """Factor of the mean square for each unit, both weights 2 / d."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(256, width))
    start = np.mean(x**2)
    for _ in range(units):
        W1, W2 = rng.normal(0, np.sqrt(2 / width), (2, width, width))
        a = np.maximum(x, 0) if first_relu else x
        x = x + np.maximum(a @ W1, 0) @ W2
    return (np.mean(x**2) / start) ** (1 / units)


@claim("without-bn-the-mean-square-doubles")
def test_a_preactivated_branch_without_bn_doubles_the_mean_square():
    factors = [growth_without_bn(seed) for seed in range(8)]
    assert np.mean(factors) == pytest.approx(2, abs=0.2)


@claim("without-bn-the-mean-square-doubles")
def test_without_its_first_relu_the_same_branch_triples_it():
    factors = [growth_without_bn(s, first_relu=False) for s in range(8)]
    assert np.mean(factors) == pytest.approx(3, abs=0.3)


@claim("streams-grow-alike")
@pytest.mark.parametrize("spec", [*map(TABLE_2.get, PAIR), CONTROL])
@pytest.mark.slow
def test_streams_of_200_fresh_units_grow_with_an_exponent_near_a_half(spec):
    plan = stack_plan(spec, units=200, width=64)
    fits = [
        growth(plan, profile(plan, batch=128, seed=seed).signal_rms)[0]
        for seed in range(2)
    ]
    assert np.mean(fits) == pytest.approx(0.5, abs=0.15)


@claim("tail-and-gradient")
@pytest.mark.parametrize("row", PAIR)
@pytest.mark.slow
def test_the_tail_changes_the_gradient_and_hardly_its_course(row):
    first, ratio = {}, {}
    for name, tail in {"own": None, "BN": (BN,)}.items():
        plan = stack_plan(
            TABLE_2[row],
            units=50,
            width=64,
            conventions=Conventions(tail=tail),
        )
        measured = [profile(plan, seed=seed) for seed in range(3)]
        first[name] = np.mean([p.gradient_norm[-1] for p in measured])
        ratio[name] = np.mean([p.gradient_ratio for p in measured])
    assert ratio["own"] == pytest.approx(ratio["BN"], rel=0.15)
    assert first["own"] != pytest.approx(first["BN"], rel=0.15)


# ------------------------------------------------------------ chapter 03
@claim("direct-term-at-16-units")
@pytest.mark.parametrize("row", PAIR)
@pytest.mark.slow
def test_the_direct_term_after_16_units_is_the_open_share(row):
    plan = stack_plan(TABLE_2[row], units=16, width=64)
    direct = [
        direct_coefficient(plan, seed=seed, probes=10)[0] for seed in range(6)
    ]
    share = np.mean([profile(plan, seed=s).open_share[-1] for s in range(6)])
    error = np.std(direct, ddof=1) / np.sqrt(len(direct))
    assert error < 0.06
    assert np.mean(direct) == pytest.approx(share, abs=3 * error)


def scaled_plan(value, width):
    spec = UnitSpec(pre=(BN, RELU), on_shortcut=Scale(value))
    return stack_plan(spec, units=100, width=width)


def predicted_by_equation_growth(value, units=100):
    v, square = 1.0, 1.0
    for _ in range(units):
        square *= value**2 + 1 / ((1 - 1 / np.pi) * v)
        v = value**2 * v + 1 - 1 / np.pi
    return np.sqrt(square)


@slow
@claim("equation-growth-closes-with-width")
@pytest.mark.parametrize("value", [0.99, 1.0])
def test_near_lambda_1_equation_growth_is_low_by_less_than_a_fifth(value):
    """A bias, not noise: all seeds lie above, and a wider network less so."""
    off = {
        width: [
            profile(scaled_plan(value, width), seed=seed).gradient_ratio
            / predicted_by_equation_growth(value)
            - 1
            for seed in seeds
        ]
        for width, seeds in {64: range(8), 256: range(2)}.items()
    }
    mean = {width: np.mean(values) for width, values in off.items()}
    error = np.std(off[64], ddof=1) / np.sqrt(8)
    assert 2 * error < mean[64] < 0.20
    assert abs(mean[256]) < min(0.08, mean[64])


@slow
@claim("equation-growth-per-unit")
@pytest.mark.parametrize("value", [0.5, 0.9])
@pytest.mark.parametrize("width", [64, 256])
def test_below_1_each_of_a_hundred_factors_is_right_within_2_percent(
    value, width
):
    ratio = profile(scaled_plan(value, width)).gradient_ratio
    rate = (ratio / predicted_by_equation_growth(value)) ** (1 / 100)
    assert rate == pytest.approx(1, abs=0.02)


def gates_at_work(row, seed):
    """Mean product of the 54 factors 1 - g(x) as the network computes them."""
    plan = stack_plan(TABLE_1[row], units=54, width=64)
    params = reference.initialize(plan, seed)
    _, caches = run_units(plan, params, draw_batch(plan, 128, seed)[0])
    at_bias = shortcut_products(plan)[0]
    return np.prod([cached.s for cached in caches], axis=0).mean() / at_bias


@claim("shortcut-only-passes-less-than-exclusive")
@slow
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_at_the_best_bias_shortcut_only_gates_pass_less_than_exclusive(seed):
    """And Table 1 has the smaller error for those that pass less."""
    rows = ("shortcut-only-gating-b-6", "exclusive-gating-b-6")
    only, exclusive = (gates_at_work(row, seed) for row in rows)
    assert only < 0.1
    assert exclusive > 0.85
    errors = {r.row: r.error_pct for r in paper.results(1)}
    assert errors[rows[0]] < errors[rows[1]]


@cache
def bn_after(seed, units=50):
    """By unit: BN's factors, predicted growth, closed share; profile."""
    plan = stack_plan(TABLE_2["bn-after-addition"], units=units, width=64)
    params = reference.initialize(plan, seed)
    streams, caches = run_units(plan, params, draw_batch(plan, 256, seed)[0])
    kept, growth_rate = [1.0], []
    for i, (x, cached) in enumerate(zip(streams, caches, strict=False)):
        weight = params[f"units.{i}.weights.0.weight"][:, :, 0, 0]
        y, z = x + cached.F, x[:, :, 0, 0] @ weight.T
        kept.append(kept[-1] * np.mean(1 / y.std(axis=0)))
        branch = 2 * np.mean(1 / z.var(axis=0))
        growth_rate.append((1 + branch) / 2 * np.mean(1 / y.var(axis=0)))
    closed = [np.mean(x == 0) for x in streams[1:]]
    return kept, growth_rate, closed, profile(plan, seed=seed)


@claim("bn-after-addition-is-closed-by-its-relu")
@slow
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_the_relu_and_not_the_bn_closes_the_shortcut_of_fig_4b(seed):
    kept, _, closed, measured = bn_after(seed)
    assert 0.5 <= min(closed) < max(closed) < 0.8
    assert closed[0] < 0.55
    assert np.mean(closed[-10:]) > 0.65
    assert kept[1] == pytest.approx(1, abs=0.05)
    for units in (5, 10, 20):
        assert measured.open_share[units] < kept[units] / 4
    for earlier, later in ((5, 10), (10, 20)):  # exponential: 0.8 a unit
        rate = measured.open_share[later] / measured.open_share[earlier]
        assert rate < 0.8 ** (later - earlier)


@claim("bn-after-addition-grows-by-its-own-law")
@slow
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_equation_growth_bn_after_is_right_within_10_percent_a_unit(seed):
    _, predicted, _, measured = bn_after(seed)
    for units in (10, 50):
        first, last = measured.gradient_norm[::units][:2]
        rate = (first / last) ** (2 / units)
        wanted = np.prod(predicted[:units]) ** (1 / units)
        assert wanted == pytest.approx(rate, rel=0.1)


def recorded(experiment, depth, row, tail, iteration):
    """Gradient ratio and open share of every seed at one iteration."""
    ratios, shares, errors = [], [], []
    for run in load_records(experiment):
        if (run["depth"], run["row"], run["tail"]) == (depth, row, tail):
            errors.append(run["test_error_pct"])
            for p in run["profiles"]:
                if p["iteration"] == iteration:
                    g = p["gradient_norm"]
                    ratios.append(g[0] / g[-1])
                    shares.append(p["open_share"][-1])
    assert ratios
    return ratios, shares, errors


@claim("original-without-final-bn-loses-its-paths")
@pytest.mark.parametrize("depth", [110, 1001])
def test_in_failing_runs_paths_are_closed_and_the_gradient_small(depth):
    ratios, shares, errors = recorded(
        "digits_depth", depth, "original", "", 100
    )
    assert max(shares) < 0.01
    assert min(errors) > 50
    if depth == 110:  # five to twenty-four times smaller
        assert 1 / 24.5 < min(ratios) < max(ratios) < 1 / 5
    else:
        assert 1e-11 < min(ratios) < max(ratios) < 1e-3


@claim("original-without-final-bn-loses-its-paths")
@pytest.mark.parametrize("depth", [110, 1001])
def test_in_failing_runs_the_stages_before_the_last_stay_open(depth):
    """The share is of paths from the beginning of a stage."""
    runs = [
        run
        for run in load_records("digits_depth")
        if (run["depth"], run["row"], run["tail"]) == (depth, "original", "")
    ]
    assert len(runs) >= 3
    for run in runs:
        (share,) = (
            p["open_share"] for p in run["profiles"] if p["iteration"] == 100
        )
        stage = (len(share) - 1) // 3
        for end in (stage, 2 * stage):
            assert 1 / 8 < share[end] < 2 / 5


@claim("final-bn-keeps-the-paths-open")
def test_with_a_final_bn_the_original_110_keeps_paths_and_gradient():
    ratios, shares, errors = recorded(
        "digits_table_2", 110, "original", "BN", 100
    )
    assert min(shares) > 0.2
    assert min(ratios) > 1
    assert max(errors) < 10


@claim("a-ratio-below-1-is-no-failure")
@pytest.mark.parametrize("iteration", [100, 299])
def test_preactivation_of_1001_layers_falls_below_1_and_learns(iteration):
    """In the middle of training, and in its last iteration."""
    ratios, shares, errors = recorded(
        "digits_depth", 1001, "full-preactivation", "BN ReLU", iteration
    )
    assert len(ratios) == 3
    assert max(ratios) < 1
    assert min(shares) == 1
    assert max(errors) < 20


# ------------------------------------------------------------ chapter 04
@cache
def growth_over_50_units(tap):
    """Gradient ratios of full pre-activation, one tap in every unit."""
    plan = stack_plan(TABLE_2["full-preactivation"], units=50, width=64)
    units = tuple(replace(unit, tap=tap) for unit in plan.units)
    plan = replace(plan, units=units)
    return [profile(plan, seed=seed).gradient_ratio for seed in range(4, 8)]


@claim("popular-bug-explodes")
@pytest.mark.slow
def test_the_popular_bug_grows_the_gradient_ten_thousandfold():
    """50 fresh units of width 64, other seeds than the chapter's."""
    assert min(growth_over_50_units("after pre")) > 1e4
    assert max(growth_over_50_units("before pre")) < 100


@claim("popular-bug-is-the-worst-row")
@pytest.mark.parametrize("depth", [110, 164])
def test_bn_after_addition_is_the_worst_row_of_table_2(depth):
    errors = {r.row: r.error_pct for r in paper.results(2) if r.depth == depth}
    assert max(errors, key=errors.get) == "bn-after-addition"


@claim("three-units-change-the-width")
@pytest.mark.parametrize(
    ("depth", "convs", "count"), [(110, 2, 2), (164, 3, 3)]
)
def test_two_basic_units_change_the_width_and_three_bottlenecks(
    depth, convs, count
):
    plan = cifar_plan(TABLE_2["full-preactivation"], depth=depth, convs=convs)
    changing = [i for i, u in enumerate(plan.units) if u.c_in != u.c_out]
    assert len(changing) == count
    assert (0 in changing) == (convs == 3)


# -------------------------------------------------------- the front page
@cache
def errors_of_digits(final_bn):
    """Test errors of every seed by row; with a BN before the head or not."""
    errors = {}
    for run in load_records("digits_table_2"):
        if ("BN" in run["tail"]) == final_bn:
            errors.setdefault(run["row"], []).append(run["test_error_pct"])
    return errors


@claim("digits-bn-after-addition-is-not-cured")
@pytest.mark.parametrize("final_bn", [False, True])
def test_on_digits_bn_after_addition_hurts_with_and_without_a_final_bn(
    final_bn,
):
    assert min(errors_of_digits(final_bn)["bn-after-addition"]) > 50


@claim("digits-with-final-bn-close-together")
def test_with_a_final_bn_all_other_units_end_close_together():
    others = errors_of_digits(final_bn=True).copy()
    others.pop("bn-after-addition")
    assert len(others) == 5
    assert max(map(max, others.values())) < 6


@claim("digits-without-final-bn-order-decides")
def test_without_a_final_bn_every_run_of_every_other_unit_ends_worse():
    others = errors_of_digits(final_bn=False).copy()
    full = others.pop("full-preactivation")
    assert len(others) == 5
    assert max(full) < min(map(min, others.values()))
    for row in ("original", "no-relu-after-addition"):
        assert min(others[row]) > 50
