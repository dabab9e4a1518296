"""What chapter 12 says of all runs together."""

import numpy as np
import pytest

from preact.book.evidence import Kept, runs_by_condition


def errors_of(**conditions):
    rows = runs_by_condition()[Kept(**conditions)]
    return np.concatenate([*rows.values()])


@pytest.mark.claim("summary-both-and-a-head")
def test_both_identities_and_a_normalized_head_never_failed():
    both = errors_of(h=True, f=True, head=True)
    assert len(both) >= 29
    assert both.max() < 10
    assert errors_of(h=True, f=True, head=False).max() > 80
    assert errors_of(h=True, f=False, head=True).max() > 80
