"""Answers to the exercises of a chapter: right ones, wrong ones."""

import numpy as np


def copy_unit(x, W1, W2):
    return np.maximum(x + np.maximum(x @ W1.T, 0) @ W2.T, 0)


def early_relu(x, W1, W2):
    return x + np.maximum(np.maximum(x @ W1.T, 0) @ W2.T, 0)


def fair_input(x):
    return np.maximum(x, 0)


def shifted(x):
    return x - x.min()


ANSWERS = {
    "why-1": ([5], [4, 6]),
    "why-2": ([2.69, 2.7], [2.99, 0.24]),
    "why-3": ([108], [54, 110]),
    "why-4": ([copy_unit], [early_relu]),
    "why-5": ([fair_input, np.abs], [shifted, np.square, lambda x: x]),
}
