"""The gradient back: exercises."""

import math
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees

SEED = 3  # of the input on which an answer is tried


def direct_terms(answer: Any) -> Answer:
    """Products of lambda from each unit to the end, Eq. (8)."""
    factors = np.random.default_rng(SEED).uniform(0.5, 1.5, 7)
    wanted = [np.prod(factors[i:]) for i in range(8)]
    return agrees(answer(list(factors)), wanted, "direct")


def masked_backward(answer: Any) -> Answer:
    """Gradient of the original unit as a row vector."""
    rng = np.random.default_rng(SEED)
    dout, y = rng.normal(size=(2, 6))
    J = rng.normal(size=(6, 6))
    y[:2] = -abs(y[0]), abs(y[1])  # so that the mask never is all or nothing
    return agrees(answer(dout, y, J), (dout * (y > 0)) @ (np.eye(6) + J), "dx")


def direct_coefficient(answer: Any) -> Answer:
    """How much of a gradient arrives unchanged beside what is orthogonal."""
    rng, got, shares = np.random.default_rng(SEED), [], (1.0, 0.2)
    for share, size in zip(shares, (50.0, 3.0), strict=True):
        gL, rest = rng.normal(size=(2, 8, 6))
        rest -= gL * (rest * gL).sum() / (gL**2).sum()
        got.append(answer(share * gL + size * rest, gL))
    return agrees(got, shares, "1")


EXERCISES = {
    # units after which 0.9 to their number is one half
    "gradient-1": Number(math.log(0.5) / math.log(0.9), 2, {"whole": 7.0}),
    "gradient-2": direct_terms,
    "gradient-3": masked_backward,
    "gradient-5": direct_coefficient,
}
