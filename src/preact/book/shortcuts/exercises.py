"""Shortcuts that are not the identity: exercises."""

import math
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees
from preact.reference.layers import sigmoid

SEED = 5  # of the input on which an answer is tried
HALF_OPEN = math.log(2 ** (1 / 54) - 1)  # bias at which 54 gates leave half


def gate_backward(answer: Any) -> Answer:
    """A function that computes dx of (1 - g(x)) x."""
    rng = np.random.default_rng(SEED)
    dout, x = rng.normal(size=(2, 7, 4))
    W, b = rng.normal(size=(4, 4)), rng.normal(size=4)
    g = sigmoid(x @ W.T + b)
    alone, through = dout * (1 - g), dout * x * g * (1 - g)
    return agrees(
        answer(dout, x, W, b),
        alone - through @ W,
        "dx",
        {
            "alone": alone,
            "sign": alone + through @ W,
            "transposed": alone - through @ W.T,
            "weights": alone - through,
        },
    )


def exclusive_gate(answer: Any) -> Answer:
    """A function that gates x and F as Fig. 2(c) does."""
    rng, biases = np.random.default_rng(SEED), (-6.0, 0.5)
    x, F = rng.normal(size=(2, 7, 4))
    W = rng.normal(size=(4, 4))
    gates = [sigmoid(x @ W.T + bias) for bias in biases]
    return agrees(
        [answer(x, F, W, bias) for bias in biases],
        [(1 - g) * x + g * F for g in gates],
    )


EXERCISES = {
    "shortcuts-1": Number(HALF_OPEN, 3, {"sign": -HALF_OPEN, "one": 0.0}),
    "shortcuts-2": gate_backward,
    "shortcuts-4": exclusive_gate,
}
