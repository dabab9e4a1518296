"""From 20 layers to 1001: exercises.

Chapter `07-depth`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees

SEED = 7  # of the input on which an answer is tried


def four_paths(answer: Any) -> Answer:
    """The four true paths of two units."""
    rng = np.random.default_rng(SEED)
    A, B, x = rng.normal(size=(3, 5, 5))

    def F1(x: Any) -> Any:
        return np.maximum(x @ A, 0)

    def F2(x: Any) -> Any:
        return np.maximum(x @ B, 0)

    wanted = [x, F1(x), F2(x), F2(x + F1(x)) - F2(x)]
    return agrees(list(answer(F1, F2, x)), wanted)


def what_a_silenced_branch_adds(answer: Any) -> Answer:
    """A constant: what BN returns for zeros, through ReLU and W2."""
    rng = np.random.default_rng(SEED)
    W1, W2 = rng.normal(size=(2, 6, 6))
    mean, sigma = rng.normal(size=6), rng.uniform(0.5, 2, 6)
    wanted = np.maximum(-mean / sigma, 0) @ W2
    mistakes = {"zero": 0 * wanted, "negative": -mean / sigma @ W2}
    return agrees(answer(W1, W2, mean, sigma), wanted, "F", mistakes)


EXERCISES = {
    # share of the paths that avoid five given units
    "depth-1": Number(2.0**-5, 1e-6),
    # power of the depth with which the control's gradient grows
    "depth-2": Number(0.5 * math.pi / (math.pi - 1), 0.005),
    "depth-3": four_paths,
    # of four objections, the one that the records refute
    "depth-4": Number(3),
    "depth-5": what_a_silenced_branch_adds,
}
