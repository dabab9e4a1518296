"""Paths: exercises."""

from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees

SEED = 7  # of the input on which an answer is tried


def two_units() -> tuple[Any, Any, Any]:
    """Draw two branches that are not linear, and an input."""
    rng = np.random.default_rng(SEED)
    A, B, x = rng.normal(size=(3, 5, 5))
    return lambda x: np.maximum(x @ A, 0), lambda x: np.maximum(x @ B, 0), x


def four_paths(answer: Any) -> Answer:
    """The four true paths of two units."""
    F1, F2, x = two_units()
    wanted = [x, F1(x), F2(x), F2(x + F1(x)) - F2(x)]
    return agrees(list(answer(F1, F2, x)), wanted)


def what_an_exchange_changes(answer: Any) -> Answer:
    """The path through both units, in the other order less in the usual."""
    F1, F2, x = two_units()
    wanted = (F1(x + F2(x)) - F1(x)) - (F2(x + F1(x)) - F2(x))
    mistakes = {"composed": F1(F2(x)) - F2(F1(x)), "turned": -wanted}
    return agrees(answer(F1, F2, x), wanted, "F", mistakes)


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
    "paths-1": Number(2.0**-5, 2, unit="share"),
    "paths-2": four_paths,
    "paths-3": what_a_silenced_branch_adds,
    "paths-4": what_an_exchange_changes,
}
