"""Shortcuts that are not the identity: checkers.

Chapter `05-shortcuts`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises.judge import (
    Answer,
    agrees,
    exercise,
    named,
    number,
)
from preact.reference.layers import sigmoid

SEED = 5  # of the input on which an answer is tried


@exercise("shortcuts-1")
def half_open(answer: Any) -> Answer:
    """Bias at which 54 gates, as set, leave half of the shortcut."""
    factor = 0.5 ** (1 / 54)
    bias = math.log(1 / factor - 1)
    return named(
        "shortcuts-1",
        number(answer, bias, rtol=0.005),
        {
            "sign": number(answer, -bias, rtol=0.005),
            "one": number(answer, 0.0),
        },
    )


@exercise("shortcuts-2")
def gate_backward(answer: Any) -> Answer:
    """A function that computes dx of (1 - g(x)) x."""
    rng = np.random.default_rng(SEED)
    dout, x = rng.normal(size=(2, 7, 4))
    W, b = rng.normal(size=(4, 4)), rng.normal(size=4)
    g = sigmoid(x @ W.T + b)
    got, alone = answer(dout, x, W, b), dout * (1 - g)
    through = dout * x * g * (1 - g)
    return named(
        "shortcuts-2",
        agrees((got, alone - through @ W), what="dx"),
        {
            "alone": agrees((got, alone)),
            "sign": agrees((got, alone + through @ W)),
            "transposed": agrees((got, alone - through @ W.T)),
            "weights": agrees((got, alone - through)),
        },
    )


@exercise("shortcuts-4")
def exclusive_gate(answer: Any) -> Answer:
    """A function that gates x and F as Fig. 2(c) does."""
    rng = np.random.default_rng(SEED)
    x, F = rng.normal(size=(2, 7, 4))
    W, pairs = rng.normal(size=(4, 4)), []
    for bias in (-6.0, 0.5):
        g = sigmoid(x @ W.T + bias)
        pairs.append((answer(x, F, W, bias), (1 - g) * x + g * F))
    return agrees(*pairs)
