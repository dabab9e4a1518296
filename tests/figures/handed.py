"""What figures are handed in tests: numbers small and plain."""

import numpy as np

PROFILE = np.array([0.125, 0.075, 0.025])
SEEDS = np.array([[0.125, 0.1], [0.025, 0.05]])
BOTH = ("original", "full-preactivation")
ERRORS = np.array([6.25, 12.5])
