"""From 20 layers to 1001: checkers.

Chapter `07-depth`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises.judge import Answer, agrees, exercise, number
from preact.book.page import words

SEED = 7  # of the input on which an answer is tried


@exercise("depth-1")
def remaining_paths(answer: Any) -> Answer:
    """Share of the paths that avoid five given units."""
    return number(answer, 2.0**-5, rtol=1e-6)


@exercise("depth-2")
def exponent_of_the_control(answer: Any) -> Answer:
    """Power of the depth with which the control's gradient grows."""
    return number(answer, 0.5 * math.pi / (math.pi - 1), rtol=0.005)


@exercise("depth-3")
def four_paths(answer: Any) -> Answer:
    """The four true paths of two units."""
    rng = np.random.default_rng(SEED)
    A, B, x = rng.normal(size=(3, 5, 5))

    def F1(x: Any) -> Any:
        return np.maximum(x @ A, 0)

    def F2(x: Any) -> Any:
        return np.maximum(x @ B, 0)

    wanted = [x, F1(x), F2(x), F2(x + F1(x)) - F2(x)]
    return agrees((list(answer(F1, F2, x)), np.array(wanted)))


@exercise("depth-4")
def not_a_flaw(answer: Any) -> Answer:
    """Of four objections, the one that the records refute."""
    return number(answer, 3)


@exercise("depth-5")
def what_a_silenced_branch_adds(answer: Any) -> Answer:
    """A constant: what BN returns for zeros, through ReLU and W2."""
    rng = np.random.default_rng(SEED)
    W1, W2 = rng.normal(size=(2, 6, 6))
    mean, sigma = rng.normal(size=6), rng.uniform(0.5, 2, 6)
    wanted = np.maximum(-mean / sigma, 0) @ W2
    got = answer(W1, W2, mean, sigma)
    mistakes = {"zero": 0 * wanted, "negative": -mean / sigma @ W2}
    for mistake, value in mistakes.items():
        if np.shape(got) == value.shape and np.allclose(got, value):
            return False, words()(f"exercise.depth-5.{mistake}")
    return agrees((got, wanted), what="F")
