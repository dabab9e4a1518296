"""What chapter 12 says of all runs together."""

from functools import cache

import numpy as np
import pytest

from preact.book.evidence import (
    Kept,
    at_a_tenth_of_the_rate,
    runs_by_condition,
    short_on_cifar,
)

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


@pytest.mark.claim("summary-against-pre-activation")
def test_at_a_tenth_of_the_rate_full_preactivation_has_the_largest_median():
    rows = at_a_tenth_of_the_rate()
    assert min(map(len, rows.values())) >= 3
    full = np.median(rows.pop("full-preactivation"))
    assert set(rows) == {"original", "no-relu-after-addition"}
    for errors in rows.values():
        assert full > 1.2 * np.median(errors)


def test_on_cifar_the_short_runs_of_the_original_have_the_smaller_median():
    rows = short_on_cifar()
    original, full = rows["original"], rows["full-preactivation"]
    assert len(original) == len(full) == 3
    assert np.median(original) < min(full)
