"""What chapter 12 says of all runs together, and of others' mistakes."""

from functools import cache

import numpy as np
import pytest

from preact.book.evidence import Kept, runs_by_condition
from sampled import sampled

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


@pytest.mark.claim("summary-none-is-necessary")
def test_without_one_two_or_all_three_some_learn_but_by_another_shortcut():
    lacking = [kept for kept in gathered() if not all(kept)]
    assert lacking
    for kept in lacking:
        best = errors_of(**kept._asdict()).min()
        assert best > 70 if kept.head and not kept.h else best < 10, kept


def drawn_factors(low, *, seed, layers=20, draws=10_000):
    """What texts B and C call a gradient: it starts as eight ones."""
    u = np.random.default_rng(seed).uniform(low, 1, size=(layers, draws, 8))
    return np.linalg.norm(np.prod(1 + u, axis=0), axis=1)


@pytest.mark.claim("random-factors-are-no-gradient")
@pytest.mark.parametrize("low", [0.5, 0.7])
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_the_range_of_its_random_numbers_decides_a_drawn_gradient(low, seed):
    mean = 1 + (low + 1) / 2
    grown = drawn_factors(low, seed=seed) / np.sqrt(8)
    assert np.median(grown) == pytest.approx(mean**20, rel=0.1)


@pytest.mark.claim("random-factors-are-no-gradient")
def test_the_unit_that_is_given_the_wider_range_nearly_always_loses():
    """Without a network, an input or a weight in sight."""
    wide, narrow = (drawn_factors(low, seed=3) for low in (0.5, 0.7))
    assert np.mean(wide < narrow) > 0.9
