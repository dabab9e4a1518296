"""Answers to the exercises of a chapter: right ones, wrong ones."""

import math
from statistics import NormalDist

import numpy as np


def behind_masks(factors, masks):
    return np.prod(factors) * masks.all(axis=0).mean()


def one_by_one(factors, masks):
    return np.prod(factors) * np.prod(masks.mean(axis=(1, 2)))


def summary(errors):
    errors = np.where(np.isnan(errors), 90, errors)
    middle = np.median(errors)
    return [middle, errors.min(), errors.max(), (errors > 20).sum()]


def dropping(errors):
    return summary(errors[~np.isnan(errors)])


def best(errors):
    errors = np.where(np.isnan(errors), 90, errors)
    return [errors.min(), errors.min(), errors.max(), (errors > 20).sum()]


def uncounted(errors):
    return [*summary(errors)[:3], (errors > 20).sum()]


def at_the_limit(errors):
    return [*summary(errors)[:3], summary(errors)[3] + 1]


LEFT = (1 - 1 / (1 + math.exp(6))) ** (54 / 333)
BIAS = math.log((1 - LEFT) / LEFT)

POWER = NormalDist().cdf(0.24 / (0.16 * math.sqrt(2 / 5)) - 2)
OF_ONE_MEAN = NormalDist().cdf(0.24 / (0.16 * math.sqrt(1 / 5)) - 2)


def by_trial():
    """The same by drawing ten thousand experiments."""
    runs = np.random.default_rng(0).normal(0, 0.16, (2, 10_000, 5))
    baseline, other = runs.mean(2)
    found = baseline + 0.24 - other > 2 * 0.16 * np.sqrt(2 / 5)
    return float(found.mean())


ANSWERS = {
    "summary-1": ([BIAS, round(BIAS, 2)], [-6, -BIAS, -6 * 333 / 54]),
    "summary-2": ([behind_masks], [one_by_one]),
    "summary-3": ([13], [1, 31, 135]),
    "summary-4": (
        [POWER, by_trial(), 0.64],
        [0.65, OF_ONE_MEAN, 1 - POWER, 2.4],
    ),
    "summary-5": ([summary], [dropping, best, uncounted, at_the_limit]),
}

OWN_SENTENCES = {
    ("summary-4", OF_ONE_MEAN): "one",
    ("summary-5", dropping): "dropped",
    ("summary-5", best): "best",
    ("summary-5", uncounted): "uncounted",
    ("summary-5", at_the_limit): "uncounted",
}
