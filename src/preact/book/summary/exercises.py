"""What to keep: exercises that look back across the chapters."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees
from preact.paper import FAIL_ERROR_PCT

SEED = 12  # of the input on which an answer is tried
GUESS = 90.0  # percent: ten classes
# In standard errors: the difference of two means of five, and of one mean.
FIVE = (6.61 - 6.37) / (0.16 * math.sqrt(2 / 5))
ONE = (6.61 - 6.37) / (0.16 * math.sqrt(1 / 5))
LEFT = (1 - 1 / (1 + math.exp(6))) ** (54 / 333)


def direct_term_behind_masks(answer: Any) -> Answer:
    """Factors on the shortcut, and the masks of the ReLUs after it."""
    rng = np.random.default_rng(SEED)
    factors = rng.uniform(0.8, 1.1, 6)
    walk = rng.normal(0.6, 1.0, (6, 32, 16)).cumsum(0)
    masks = walk > 0  # a path closed once is likely to be closed again
    return agrees(
        answer(factors, masks), factors.prod() * masks.all(0).mean(), "D"
    )


def an_honest_summary(answer: Any) -> Answer:
    """Median, lowest, highest, and the number of failed runs."""
    errors = np.array([4.2, np.nan, 6.1, 88.0, 20.0, 5.0, np.nan, 3.9])
    filled = np.where(np.isnan(errors), GUESS, errors)
    left = errors[~np.isnan(errors)]
    wanted = _told(filled, np.median(filled))
    got = np.asarray(answer(errors.copy()), dtype=np.float64)
    mistakes = {
        "dropped": _told(left, np.median(left)),
        "best": _told(filled, filled.min()),
    }
    verdict = agrees(got, wanted, mistakes=mistakes)
    near = got.shape == wanted.shape and np.allclose(got[:3], wanted[:3])
    if near and np.isfinite(got[3]) and got[3] != wanted[3]:
        return "uncounted"
    return verdict


def _told(errors: Any, middle: Any) -> Any:
    """Four numbers of several errors, the first as it is given."""
    ends = errors.min(), errors.max()
    return np.array(
        [middle, *ends, (errors > FAIL_ERROR_PCT).sum()], dtype=float
    )


EXERCISES = {
    # the bias at which 333 gates pass what 54 pass at -6
    "summary-1": Number(math.log((1 - LEFT) / LEFT), 3),
    "summary-2": direct_term_behind_masks,
    # of six sentences, the two that the ledger bears out
    "summary-3": Number(13, sentences=6),
    # how often two times five runs show a difference as large as Table 3's
    "summary-4": Number(
        NormalDist().cdf(FIVE - 2),
        2,
        {"one": NormalDist().cdf(ONE - 2)},
        unit="share",
    ),
    "summary-5": an_honest_summary,
}
