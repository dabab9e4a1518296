"""Sentences about numbers that others have published."""

import numpy as np
import pytest

from preact import paper, reference
from preact.plan import stack_plan
from preact.propagation import draw_batch, run_units
from preact.spec import TABLE_2
from sampled import sampled

claim = pytest.mark.claim


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


@claim("a-free-shortcut-alone-does-not-win")
@pytest.mark.parametrize("depth", [110, 164])
def test_relu_before_addition_has_f_identity_and_the_larger_error(depth):
    by_row = errors(2, depth=depth)
    assert TABLE_2["relu-before-addition"].is_identity_after
    assert by_row["relu-before-addition"] > by_row["original"]


@claim("a-free-shortcut-alone-does-not-win")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_where_the_branch_ends_in_a_relu_the_stream_never_decreases(seed):
    plan = stack_plan(TABLE_2["relu-before-addition"], units=10, width=16)
    params = reference.initialize(plan, seed)
    streams, _ = run_units(plan, params, draw_batch(plan, 32, seed)[0])
    assert all((np.diff(streams, axis=0) >= 0).ravel())
