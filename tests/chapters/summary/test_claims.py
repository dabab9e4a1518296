"""What chapter 13 says of all runs together."""

import re
from functools import cache

import numpy as np
import pytest

from preact.book.summary import (
    NAMES,
    Kept,
    conditions_figure,
    kept,
    runs_by_condition,
    under_a_final_bn,
)
from preact.records.compare import load_records

gathered = cache(runs_by_condition)


def errors_of(**conditions):
    rows = gathered()[Kept(**conditions)]
    return np.concatenate([*rows.values()])


@pytest.mark.claim("summary-both-and-a-head")
def test_both_identities_and_a_normalized_head_never_failed():
    both = errors_of(h=True, f=True, head=True)
    assert len(both) >= 29
    assert both.max() < 10
    assert errors_of(h=True, f=True, head=False).max() > 80
    assert errors_of(h=True, f=False, head=True).max() > 80
    assert errors_of(h=False, f=False, head=True).min() > 70
    original = gathered()[Kept(h=True, f=False, head=True)]["original"]
    assert len(original) >= 10
    assert max(original) < 10


@pytest.mark.claim("summary-both-and-a-head")
def test_the_gates_that_learn_were_not_run_with_a_normalized_head():
    bare = gathered()[Kept(h=False, f=False, head=False)]
    headed = gathered()[Kept(h=False, f=False, head=True)]
    learn = {f"exclusive-gating-b-{bias}" for bias in range(3, 8)}
    assert {row for row, errors in bare.items() if max(errors) < 20} == learn
    assert len(headed) == 7
    assert not learn & set(headed)
    for row in headed:
        assert min(bare[row]) > 70


@pytest.mark.claim("summary-against-pre-activation")
@pytest.mark.parametrize("lr", [0.1, 0.03, 0.01])
def test_under_a_final_bn_full_preactivation_has_the_largest_median(lr):
    rows = under_a_final_bn(lr)
    assert min(map(len, rows.values())) >= 5
    full = np.median(rows.pop("full-preactivation"))
    assert set(rows) == {"original", "no-relu-after-addition"}
    for errors in rows.values():
        assert full > 1.1 * np.median(errors)


def test_every_set_of_conditions_that_was_run_is_drawn():
    found = {kept(run) for run in load_records("digits_table_1")}
    found |= {kept(run) for run in load_records("digits_twelve")}
    assert found <= set(NAMES)
    drawn = conditions_figure().panels[0]
    assert sum(map(int, re.findall(r"(\d+) runs", drawn))) == sum(
        len(errors)
        for rows in runs_by_condition().values()
        for errors in rows.values()
    )
