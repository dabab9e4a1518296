"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np


def repaired(x, F):
    return x + F(np.where(x > 0, x, 0))


def as_it_was(x, F):
    a = np.maximum(x, 0, out=x)
    return x + F(a)


def both_activated(x, F):
    a = np.maximum(x, 0)
    return a + F(a)


def after_the_sum(x, F):
    return np.maximum(x + F(x), 0)


def over(*axes):
    def norm(x):
        kept = {"axis": axes, "keepdims": True}
        return (x - x.mean(**kept)) / np.sqrt(x.var(**kept) + 1e-5)

    return norm


def without_root(x):
    kept = {"axis": (0, 2, 3), "keepdims": True}
    return (x - x.mean(**kept)) / (x.var(**kept) + 1e-5)


def silent(unit, x):
    return (unit(x, lambda a: 0 * a) == x).all()


def tangent(unit, x):
    return np.allclose(unit(x, np.tanh), x + np.tanh(x))


def close(unit, x):
    return np.allclose(unit(x, np.zeros_like), x)


def loose(unit, x):
    return np.allclose(unit(x, np.zeros_like), x, rtol=0.05)


def positive(unit, x):
    x = np.abs(x)
    return np.array_equal(unit(x, np.zeros_like), x)


def by_number(unit, x):
    return unit(x, np.zeros_like) == x


def trusting(unit, x):
    return True


ANSWERS = {
    "bugs-1": ([0.98676, 0.9868], [0.5, 0.99, 1 - 0.5 / 52, 0.5 ** (1 / 54)]),
    "bugs-2": ([repaired], [as_it_was, both_activated, after_the_sum]),
    "bugs-3": (
        [over(0, 2, 3)],
        [over(1, 2, 3), over(2, 3), over(0, 1, 2, 3), without_root],
    ),
    "bugs-4": ([4048], [4032, 2032, 112]),
    "bugs-5": (
        [silent],
        [tangent, close, loose, positive, by_number, trusting],
    ),
    "bugs-6": ([7], [6, 8, 9, 17]),
}
OWN_SENTENCES = {
    ("bugs-2", as_it_was): "changed",
    ("bugs-2", both_activated): "original",
    ("bugs-3", ANSWERS["bugs-3"][1][0]): "image",
    ("bugs-3", ANSWERS["bugs-3"][1][1]): "alone",
    ("bugs-3", ANSWERS["bugs-3"][1][2]): "all",
    ("bugs-5", tangent): "full",
    ("bugs-5", close): "tiny",
    ("bugs-5", loose): "scaled",
    ("bugs-5", positive): "original",
}
