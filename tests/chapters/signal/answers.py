"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np


def walled(F):
    S = np.concatenate([[0.0], np.cumsum(F)])
    return S - np.minimum.accumulate(S)


def cut_at_zero(F):
    return np.maximum(np.concatenate([[0.0], np.cumsum(F)]), 0)


def exponent(x):
    deep = np.arange(len(x)) >= len(x) // 2
    depth = np.arange(1, len(x) + 1)
    return np.polyfit(np.log(depth[deep]), np.log(x[deep]), 1)[0]


def of_depth_itself(x):
    return np.polyfit(np.arange(len(x)), np.log(x), 1)[0]


def from_the_start(x):
    return np.polyfit(np.log(np.arange(1, len(x) + 1)), np.log(x), 1)[0]


ANSWERS = {
    "signal-1": ([20], [399, 8]),
    "signal-2": (
        [walled],
        [cut_at_zero],
    ),
    "signal-3": ([0.359], [0.399, 0.439]),
    "signal-4": ([1431], [2916, 2862]),
    "signal-5": ([exponent], [of_depth_itself, from_the_start]),
}
