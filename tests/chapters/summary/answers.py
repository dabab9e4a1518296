"""Answers to the exercises of a chapter: right ones, wrong ones."""

import math

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

ANSWERS = {
    "summary-1": ([BIAS, round(BIAS, 2)], [-6, -BIAS, -6 * 333 / 54]),
    "summary-2": ([behind_masks], [one_by_one]),
    "summary-3": ([13], [1, 31, 135]),
    "summary-4": ([8], [4, 5, 16]),
    "summary-5": ([summary], [dropping, best, uncounted, at_the_limit]),
}

OWN_SENTENCES = {
    ("summary-5", dropping): "dropped",
    ("summary-5", best): "best",
    ("summary-5", uncounted): "uncounted",
    ("summary-5", at_the_limit): "uncounted",
}
