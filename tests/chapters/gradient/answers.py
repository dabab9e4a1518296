"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np


def direct(factors):
    return [np.prod(factors[i:]) for i in range(len(factors) + 1)]


def from_the_start(factors):
    return [np.prod(factors[:i]) for i in range(len(factors) + 1)]


def back(dout, y, J):
    return (dout * (y > 0)) @ (np.eye(len(y)) + J)


def mask_last(dout, y, J):
    return (dout @ (np.eye(len(y)) + J)) * (y > 0)


def projection(g0, gL):
    return (g0 * gL).sum() / (gL**2).sum()


def cosine(g0, gL):
    return (g0 * gL).sum() / np.linalg.norm(g0) / np.linalg.norm(gL)


ANSWERS = {
    "gradient-1": ([6.58], [5.0, 7, 100]),
    "gradient-2": ([direct], [from_the_start]),
    "gradient-3": ([back], [mask_last]),
    "gradient-5": ([projection], [cosine]),
}
OWN_SENTENCES = {("gradient-1", 7): "whole"}
