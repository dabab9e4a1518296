"""Sentences of chapter 01: a race, a puzzle, and what the papers report."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from preact import paper, reference
from preact.book.why.race import race_errors
from preact.plan import stack_plan
from preact.propagation import draw_batch, run_units
from preact.spec import BN, TABLE_2
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
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
@claim("toy-the-tail-turns-the-order")
@pytest.mark.parametrize("lr", [0.1, 0.03, 0.01])
@pytest.mark.parametrize("tail", ["", "+final-bn"])
def test_the_control_is_ahead_of_the_original_at_every_rate(lr, tail):
    control = np.median(raced(CONTROL + tail, lr=lr))
    assert control < 0.8 * np.median(raced(f"original{tail}", lr=lr))


@slow
@claim("toy-the-tail-turns-the-order")
@pytest.mark.parametrize("lr", [0.1, 0.03, 0.01])
def test_with_an_empty_tail_full_preactivation_stays_ahead_of_the_original(lr):
    full = np.median(raced("full-preactivation+empty-tail", lr=lr))
    assert full < 0.6 * np.median(raced("original", lr=lr))
    assert full < 1.3 * np.median(raced(CONTROL, lr=lr))


@slow
@claim("toy-the-tail-turns-the-order")
def test_the_tail_of_full_preactivation_costs_it_a_low_rate():
    full = "full-preactivation"
    bare = np.median(raced(f"{full}+empty-tail", lr=0.01))
    assert np.median(raced(full, lr=0.01)) > 2.5 * bare


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


def errors(table, **wanted):
    """Test error by row; a row that fails has none."""
    return {
        result.row: result.error_pct
        for result in paper.results(table)
        if all(getattr(result, k) == v for k, v in wanted.items())
    }


@claim("table-1-nothing-beats-the-identity")
def test_every_other_shortcut_of_table_1_is_worse_and_half_are_by_far():
    others = errors(1)
    identity = others.pop("original")
    assert all(error is None or error > identity for error in others.values())
    far = [e for e in others.values() if e is None or e > identity + 5]
    assert len(far) > len(others) / 2


@claim("two-numbers-for-resnet-1001")
def test_the_smaller_number_belongs_to_another_batch():
    rows = paper.read("table_4")["data_set"][0]["rows"]
    by_batch = {r["batch"]: r["error_pct"] for r in rows if "batch" in r}
    ours = errors(3, data="CIFAR-10", depth=1001)["full-preactivation"]
    assert by_batch == {128: ours, 64: 4.62}
