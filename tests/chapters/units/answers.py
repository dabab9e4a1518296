"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np


def right_bn(dout, x_hat, gamma, sigma):
    kept = {"axis": (0, 2, 3), "keepdims": True}
    away = dout.mean(**kept) + x_hat * (dout * x_hat).mean(**kept)
    return (gamma / sigma)[:, None, None] * (dout - away)


def half_bn(dout, x_hat, gamma, sigma):
    mean = dout.mean((0, 2, 3), keepdims=True)
    return (gamma / sigma)[:, None, None] * (dout - mean)


def norm(x):
    return (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5)


def right_unit(x, W1, W2):
    a = np.maximum(norm(x), 0)
    return x + np.maximum(norm(a @ W1.T), 0) @ W2.T


def wrong_unit(x, W1, W2):
    a = np.maximum(norm(x), 0)
    return a + np.maximum(norm(a @ W1.T), 0) @ W2.T


def unordered(p):
    return p * p


def both_orders(p):
    return 2 * p * p


def combinations(p):
    return p * (p + 1) // 2


ANSWERS = {
    "units-1": (
        [lambda p: p * (p + 1), lambda p: float(p**2 + p)],
        [unordered, both_orders, combinations, lambda p: 12],
    ),
    "units-2": ([right_bn], [half_bn]),
    "units-3": ([70_400], [69_632]),
    "units-4": ([right_unit], [wrong_unit]),
    "units-5": ([10.0, 10.4], [1.0, 33.0]),
}
OWN_SENTENCES = {
    ("units-1", unordered): "unordered",
    ("units-1", both_orders): "both",
    ("units-1", combinations): "pairs",
}
