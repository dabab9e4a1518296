"""How near two computations of one thing come, in float64."""

import numpy as np

EXACT = 1e-12  # Jacobians of a few units of width 4


def relative(got, expected):
    """Largest difference, relative to the largest value expected."""
    return float(np.abs(got - expected).max() / np.abs(expected).max())
