"""What to keep: checkers that look back across the chapters.

Chapter `12-summary`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises.judge import Answer, agrees, exercise, number
from preact.book.page import words
from preact.paper import FAIL_ERROR_PCT

SEED = 12  # of the input on which an answer is tried
GUESS = 90.0  # percent: ten classes


@exercise("summary-1")
def bias_of_a_longer_chain(answer: Any) -> Answer:
    """The bias at which 333 gates pass what 54 pass at -6."""
    left = (1 - 1 / (1 + math.exp(6))) ** (54 / 333)
    return number(answer, math.log((1 - left) / left), rtol=0.002)


@exercise("summary-2")
def direct_term_behind_masks(answer: Any) -> Answer:
    """Factors on the shortcut, and the masks of the ReLUs after it."""
    rng = np.random.default_rng(SEED)
    factors = rng.uniform(0.8, 1.1, 6)
    walk = rng.normal(0.6, 1.0, (6, 32, 16)).cumsum(0)
    masks = walk > 0  # a path closed once is likely to be closed again
    wanted = factors.prod() * masks.all(0).mean()
    return agrees((answer(factors, masks), wanted), what="D")


@exercise("summary-3")
def what_the_ledger_bears_out(answer: Any) -> Answer:
    """Of six sentences, the two that the ledger bears out."""
    return number(answer, 13)


@exercise("summary-4")
def how_many_seeds(answer: Any) -> Answer:
    """Runs of each network for a difference of three standard errors."""
    return number(answer, 2 * (3 * 0.16 / (6.61 - 6.37)) ** 2, rtol=1e-9)


@exercise("summary-5")
def an_honest_summary(answer: Any) -> Answer:
    """Median, lowest, highest, and the number of failed runs."""
    errors = np.array([4.2, np.nan, 6.1, 88.0, 20.0, 5.0, np.nan, 3.9])
    filled = np.where(np.isnan(errors), GUESS, errors)
    wanted = _told(filled, np.median(filled))
    got = np.asarray(answer(errors.copy()), dtype=np.float64)
    right, text = agrees((got, wanted))
    if right:
        return right, text
    left = errors[~np.isnan(errors)]
    mistakes = {
        "dropped": _told(left, np.median(left)),
        "best": _told(filled, filled.min()),
    }
    for mistake, theirs in mistakes.items():
        if got.shape == theirs.shape and np.allclose(got, theirs):
            return False, words()(f"exercise.summary-5.{mistake}")
    same = got.shape == wanted.shape and np.allclose(got[:3], wanted[:3])
    if same and np.isfinite(got[3]):
        return False, words()("exercise.summary-5.uncounted")
    return right, text


def _told(errors: Any, middle: Any) -> Any:
    """Four numbers of several errors, the first as it is given."""
    ends = errors.min(), errors.max()
    return np.array(
        [middle, *ends, (errors > FAIL_ERROR_PCT).sum()], dtype=float
    )
