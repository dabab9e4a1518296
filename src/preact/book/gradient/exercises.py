"""The gradient back: checkers.

Chapter `03-gradient`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises.judge import Answer, agrees, exercise, number

SEED = 3  # of the input on which an answer is tried


@exercise("gradient-1")
def half_life(answer: Any) -> Answer:
    """Units after which 0.9 to their number is one half."""
    return number(answer, math.log(0.5) / math.log(0.9), rtol=0.01)


@exercise("gradient-2")
def direct_terms(answer: Any) -> Answer:
    """Products of lambda from each unit to the end, Eq. (8)."""
    factors = np.random.default_rng(SEED).uniform(0.5, 1.5, 7)
    wanted = [np.prod(factors[i:]) for i in range(8)]
    return agrees((answer(list(factors)), wanted), what="direct")


@exercise("gradient-3")
def masked_backward(answer: Any) -> Answer:
    """Gradient of the original unit as a row vector."""
    rng = np.random.default_rng(SEED)
    dout, y, J = (
        rng.normal(size=6),
        rng.normal(size=6),
        rng.normal(size=(6, 6)),
    )
    y[:2] = -abs(y[0]), abs(y[1])  # so that the mask never is all or nothing
    wanted = (dout * (y > 0)) @ (np.eye(6) + J)
    return agrees((answer(dout, y, J), wanted), what="dx")


@exercise("gradient-5")
def direct_coefficient(answer: Any) -> Answer:
    """How much of a gradient arrives unchanged beside what is orthogonal."""
    rng = np.random.default_rng(SEED)
    pairs = []
    for share, size in ((1.0, 50.0), (0.2, 3.0)):
        gL, rest = rng.normal(size=(2, 8, 6))
        rest -= gL * (rest * gL).sum() / (gL**2).sum()
        pairs.append((answer(share * gL + size * rest, gL), share))
    return agrees(*pairs, what="1")
