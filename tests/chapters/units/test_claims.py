"""Sentences of chapter 04, as inequalities."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from paths import ROOT
from preact import paper, reference
from preact.book.placements import twelve_units
from preact.plan import cifar_plan, stack_plan
from preact.propagation import draw_batch, profile, run_units
from preact.reference.layers import bn_backward, bn_forward
from preact.spec import BN, RELU, TABLE_2, UnitSpec
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim
WAYS = twelve_units()


# ------------------------------------------------------------ twelve units
@cache
def fresh(spec, seeds=3):
    """Signal at the last unit, growth of the gradient: networks drawn anew."""
    plan = stack_plan(spec, units=50, width=64)
    runs = [profile(plan, seed=seed) for seed in draw_seeds(seeds)]
    signal = [run.signal_rms[-1] for run in runs]
    return signal, [run.gradient_ratio for run in runs]


@claim("a-thousandfold-needs-bn-after-addition")
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_thousandfold_growth_needs_bn_after_the_addition(way):
    """Three of four grow so; the branch of the fourth can only add."""
    signal, growth = fresh(WAYS[way])
    after = BN in WAYS[way].after
    only_adds = WAYS[way].post == (RELU,)
    assert (np.median(growth) > 1000) == (after and not only_adds)
    if after:
        assert 0.7 < min(signal) < max(signal) < 1.1


@claim("a-unit-not-in-the-paper-grows-about-as-much")
@pytest.mark.slow
def test_a_unit_not_in_the_paper_grows_about_as_much_as_full_preactivation():
    _, other = fresh(UnitSpec(pre=(BN,), post=(RELU,)), seeds=8)
    _, full = fresh(TABLE_2["full-preactivation"], seeds=8)
    assert 0.6 < np.median(other) / np.median(full) < 1.5


# --------------------------------------------------------------- written
def test_the_units_written_in_the_chapter_import_no_part_of_the_package():
    text = (ROOT / "book/en/04-units.md").read_text("utf-8")
    section = text.split("(units-yours)=")[1].split("(units-bn)=")[0]
    pattern = r"^```{code-cell} python\n(.*?)^```"
    written, compared = re.findall(pattern, section, re.S | re.M)
    assert "import" not in written
    assert "assert_allclose(my_unit(x, W1, W2), expected)" in compared
    names = {"np": np, "TABLE_2": TABLE_2, "reference": reference}
    exec(written + compared, names)


@claim("bn-dx")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_bn_lets_through_neither_equal_gradients_nor_those_along_x_hat(seed):
    rng = np.random.default_rng(seed)
    x, gamma = rng.normal(3.0, 2.0, (32, 5, 1, 1)), rng.normal(size=5)
    _, cache = bn_forward(x, gamma, np.zeros(5))
    x_hat = (x - x.mean(0)) / x.std(0)
    g = rng.normal(size=x.shape)
    size = np.abs(bn_backward(g, cache)[0]).max()
    assert size > 0.01
    for lost in (np.ones_like(x), x_hat):
        dx = bn_backward(lost, cache)[0]
        assert np.abs(dx).max() < 1e-5 * size  # epsilon's part along x_hat


@claim("popular-bug-is-fig-4b")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
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
    source = {"stem": "units.0.pre", "units.5.after": "tail"}
    source |= {f"units.{i}.after": f"units.{i + 1}.pre" for i in range(5)}
    theirs = {}
    for name in reference.initialize(paper_row, seed):
        moved = [part for part in source if name.startswith(part)]
        own = name.replace(moved[0], source[moved[0]]) if moved else name
        theirs[name] = ours[own]
    x, _ = draw_batch(bug, 16, seed)
    mine, buggy = reference.network_forward(bug, ours, x)
    logits, row = reference.network_forward(paper_row, theirs, x)
    assert np.abs(mine - logits).max() == 0.0
    for a, b in zip(buggy.streams[1:], row.units, strict=True):
        np.testing.assert_array_equal(a, b.h + b.F)


# ---------------------------------------------------------- one tap in all
@cache
def growth_over_50_units(tap):
    """Gradient ratios of full pre-activation, one tap in every unit."""
    plan = stack_plan(TABLE_2["full-preactivation"], units=50, width=64)
    units = tuple(replace(unit, tap=tap) for unit in plan.units)
    plan = replace(plan, units=units)
    return [profile(plan, seed=seed).gradient_ratio for seed in draw_seeds(4)]


@claim("popular-bug-explodes")
@pytest.mark.slow
def test_a_shortcut_behind_bn_and_relu_makes_the_gradient_explode():
    """50 fresh units of width 64."""
    assert min(growth_over_50_units("after pre")) > 5000
    assert max(growth_over_50_units("before pre")) < 100


@claim("popular-bug-is-the-worst-row")
@pytest.mark.parametrize("depth", [110, 164])
def test_bn_after_addition_is_the_worst_row_of_table_2(depth):
    by_row = errors(depth)
    assert max(by_row, key=by_row.get) == "bn-after-addition"


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


# --------------------------------------------------------------- reported
def errors(depth):
    """The paper's test errors of Table 2, by row."""
    return {r.row: r.error_pct for r in paper.results(2) if r.depth == depth}


@claim("a-free-shortcut-alone-does-not-win")
@pytest.mark.parametrize("depth", [110, 164])
def test_relu_before_addition_has_f_identity_and_the_larger_error(depth):
    by_row = errors(depth)
    assert TABLE_2["relu-before-addition"].is_identity_after
    assert by_row["relu-before-addition"] > by_row["original"]


@claim("a-free-shortcut-alone-does-not-win")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_where_the_branch_ends_in_a_relu_the_stream_never_decreases(seed):
    plan = stack_plan(TABLE_2["relu-before-addition"], units=10, width=16)
    params = reference.initialize(plan, seed)
    streams, _ = run_units(plan, params, draw_batch(plan, 32, seed)[0])
    assert all((np.diff(streams, axis=0) >= 0).ravel())
