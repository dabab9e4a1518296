"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def through_both(dout, x, W, b):
    g = sigmoid(x @ W.T + b)
    return dout * (1 - g) - (dout * x * g * (1 - g)) @ W


def factor_alone(dout, x, W, b):
    return dout * (1 - sigmoid(x @ W.T + b))


def without_weights(dout, x, W, b):
    g = sigmoid(x @ W.T + b)
    return dout * (1 - g - x * g * (1 - g))


def transposed(dout, x, W, b):
    g = sigmoid(x @ W.T + b)
    return dout * (1 - g) - (dout * x * g * (1 - g)) @ W.T


def wrong_sign(dout, x, W, b):
    g = sigmoid(x @ W.T + b)
    return dout * (1 - g) + (dout * x * g * (1 - g)) @ W


def gated(x, F, W, b):
    g = sigmoid(x @ W.T + b)
    return (1 - g) * x + g * F


def swapped(x, F, W, b):
    g = sigmoid(x @ W.T + b)
    return g * x + (1 - g) * F


ANSWERS = {
    "shortcuts-1": ([-4.351], [4.351, -6, 0]),
    "shortcuts-2": (
        [through_both],
        [factor_alone, without_weights, transposed, wrong_sign],
    ),
    "shortcuts-4": ([gated], [swapped]),
}
OWN_SENTENCES = {
    ("shortcuts-1", 4.351): "sign",
    ("shortcuts-1", 0): "one",
    ("shortcuts-2", factor_alone): "alone",
    ("shortcuts-2", without_weights): "weights",
    ("shortcuts-2", transposed): "transposed",
    ("shortcuts-2", wrong_sign): "sign",
}
