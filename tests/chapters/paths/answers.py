"""Answers to the exercises of a chapter: right ones, wrong ones."""

import math

import numpy as np


def paths(F1, F2, x):
    return x, F1(x), F2(x), F2(x + F1(x)) - F2(x)


def composed(F1, F2, x):
    return x, F1(x), F2(x), F2(F1(x))


def remainder(W1, W2, mean, sigma):
    return np.maximum(-mean / sigma, 0) @ W2


def nothing(W1, W2, mean, sigma):
    return np.zeros(W2.shape[1])


def without_relu(W1, W2, mean, sigma):
    return -mean / sigma @ W2


def change(F1, F2, x):
    return F1(x + F2(x)) - F1(x) - F2(x + F1(x)) + F2(x)


def change_of_compositions(F1, F2, x):
    return F1(F2(x)) - F2(F1(x))


def change_backward(F1, F2, x):
    return -change(F1, F2, x)


ANSWERS = {
    "paths-1": ([1 / 32], [1 / 2, 49 / 54, 5 / 54, math.nan]),
    "paths-2": ([paths], [composed]),
    "paths-3": ([remainder], [nothing, without_relu]),
    "paths-4": (
        [change],
        [change_of_compositions, change_backward],
    ),
}
OWN_SENTENCES = {
    ("paths-3", nothing): "zero",
    ("paths-3", without_relu): "negative",
    ("paths-4", change_of_compositions): "composed",
    ("paths-4", change_backward): "turned",
}
