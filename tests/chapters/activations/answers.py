"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np


def right_back(dout, slope, J):
    return dout @ (np.eye(len(dout)) + J @ np.diag(slope))


def both_paths(dout, slope, J):
    return (dout + dout @ J) * slope


def wrong_side(dout, slope, J):
    return dout + (dout * slope) @ J


def right_test(unit, params, x):
    own = {**params, "scale": np.zeros_like(params["scale"])}
    x = x * (x > 0)
    return np.linalg.norm(unit(own, x) - x)


def changes_the_block(unit, params, x):
    params["scale"] *= 0
    x = x * (x > 0)
    return np.linalg.norm(unit(params, x) - x)


def negative_input(unit, params, x):
    return np.linalg.norm(unit(params | {"scale": np.zeros(6)}, x) - x)


def not_silent(unit, params, x):
    x = x * (x > 0)
    return np.linalg.norm(unit(params, x) - x)


ANSWERS = {
    "activations-1": ([2.37, 2.372], [1.5, 3.35, 1.68]),
    "activations-2": ([right_back], [both_paths, wrong_side]),
    "activations-3": (
        [right_test],
        [changes_the_block, negative_input, not_silent],
    ),
    "activations-4": ([0.0283, 0.028], [0.01, 0.04, 1.0]),
    "activations-5": ([1, 1.0], [0, 2, 3]),
    "activations-6": ([8, 8.0], [4, 9, 6, 8.5, 16]),
}
OWN_SENTENCES = {
    ("activations-2", both_paths): "both",
    ("activations-2", wrong_side): "side",
    ("activations-3", changes_the_block): "changed",
    ("activations-3", negative_input): "negative",
    ("activations-3", not_silent): "loud",
    ("activations-4", 0.01): "one",
    ("activations-4", 0.04): "whole",
    ("activations-4", 1.0): "normalized",
}
