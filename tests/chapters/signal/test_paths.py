"""What chapter 02 says of paths by their length."""

from math import comb

import numpy as np
import pytest

from cells import cells

SIZES = (0.1, 0.3, 0.7, 1.0)


@pytest.fixture(scope="module")
def by_length():
    names = {"np": np}
    names |= cells("02-signal", "import numpy", "def by_length")
    return names["by_length"]


@pytest.mark.parametrize("size", SIZES)
def test_paths_carry_what_their_number_and_length_predict(by_length, size):
    k = np.arange(55)
    theory = np.array([comb(54, j) for j in k]) * size ** (2.0 * k)
    theory /= theory.sum()
    carried = by_length(size)
    # one draw of the weights, and narrow: the mean length, within a tenth
    assert (k * carried).sum() == pytest.approx((k * theory).sum(), rel=0.1)
    assert np.abs(carried - theory).max() < 0.1


def test_the_parts_by_length_add_up_to_the_stream(by_length):
    """Six units of two numbers: the parts from all 64 paths, one by one."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(16, 2))
    W = [rng.normal(0, 0.3 / np.sqrt(2), (2, 2)) for _ in range(6)]
    wanted = np.zeros((7, 16, 2))
    for takes in np.ndindex(*6 * (2,)):
        signal = x
        for branch, weight in zip(takes, W, strict=True):
            signal = signal @ weight.T if branch else signal
        wanted[sum(takes)] += signal
    share = np.mean(wanted**2, axis=(1, 2))
    np.testing.assert_allclose(
        by_length(0.3, units=6, width=2), share / share.sum()
    )
