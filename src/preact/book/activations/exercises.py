"""Where BN and ReLU go: checkers.

Chapter `06-activations`.
"""

import math
from typing import Any

import numpy as np

from preact.book.exercises.judge import (
    Answer,
    agrees,
    exercise,
    named,
    number,
)
from preact.book.page import words
from preact.book.placements import answers, with_control
from preact.reference.caches import Array

SEED = 6  # of the input on which an answer is tried
STD, RUNS = 0.16, 5  # of the original, as the first paper reports them


@exercise("activations-1")
def standard_errors(answer: Any) -> Answer:
    """Standard errors between two means of five runs."""
    return number(answer, 0.24 / (STD * math.sqrt(2 / RUNS)), rtol=0.01)


@exercise("activations-2")
def asymmetric_backward(answer: Any) -> Answer:
    """Gradient of a unit whose branch alone sees the activation, Eq. (9)."""
    rng = np.random.default_rng(SEED)
    dout, slope = rng.normal(size=6), rng.normal(size=6)
    slope = np.where(slope > 0, 1.0, 0.0)
    slope[:2] = 0.0, 1.0  # so that the mask never is all or nothing
    J = rng.normal(size=(6, 6))
    got = answer(dout, slope, J)
    both, wrong_side = (dout @ (np.eye(6) + J)) * slope, (dout * slope) @ J
    for mistake, value in {"both": both, "side": dout + wrong_side}.items():
        if agrees((got, value))[0]:
            return False, words()(f"exercise.activations-2.{mistake}")
    return agrees((got, dout + (dout @ J) * slope), what="dx")


@exercise("activations-3")
def fair_test(answer: Any) -> Answer:
    """How far a silent unit moves what a unit receives."""
    rng = np.random.default_rng(SEED)
    params = {"W1": rng.normal(size=(6, 6)), "W2": rng.normal(size=(6, 6))}
    params["scale"] = np.ones(6)
    kept = {name: value.copy() for name, value in params.items()}
    x, passed = rng.normal(size=(32, 6)), []

    def unit(own: dict[str, Array], x: Array) -> Array:
        passed.append(({n: np.array(v) for n, v in own.items()}, np.array(x)))
        return bn_after(own, x)

    got = answer(unit, params, x.copy())
    own, given = passed[-1]
    silent = kept | {"scale": np.zeros(6)}
    mistakes = {
        "changed": any((params[n] != kept[n]).any() for n in kept),
        "negative": bool((given < 0).any()),
        "loud": bool((bn_after(own, given) != bn_after(silent, given)).any()),
    }
    for mistake, made in mistakes.items():
        if made:
            return False, words()(f"exercise.activations-3.{mistake}")
    x = np.maximum(x, 0)
    wanted = np.linalg.norm(bn_after(silent, x) - x)
    return agrees((got, wanted), what="moved")


def bn_after(params: dict[str, Array], x: Array) -> Array:
    """Compute a unit that is no identity when it is silent."""

    def bn(x: Array) -> Array:
        centered = x - x.mean(0)
        return np.asarray(centered / np.sqrt(x.var(0) + 1e-5))

    F = bn(np.maximum(bn(x @ params["W1"]), 0) @ params["W2"])
    return np.maximum(bn(x + params["scale"] * F), 0)


@exercise("activations-4")
def calm_branch(answer: Any) -> Answer:
    """Size of a branch of width 16 whose weights have deviation 0.01."""
    return named(
        "activations-4",
        number(answer, 0.01 * math.sqrt(16 / 2), rtol=0.05),
        {
            "one": number(answer, 0.01, rtol=0.05),
            "whole": number(answer, 0.01 * math.sqrt(16), rtol=0.05),
            "normalized": number(answer, 1.0, rtol=0.05),
        },
    )


@exercise("activations-5")
def empty_cells(answer: Any) -> Answer:
    """Combinations of answers that no unit gives."""
    filled = {
        (own.f == "identity", own.normalized, own.subtracts)
        for own in map(answers, with_control().values())
    }
    return number(answer, 8 - len(filled))


@exercise("activations-6")
def runs_of_each_arm(answer: Any) -> Answer:
    """Runs of each arm until 0.24 is at least three standard errors."""
    return number(answer, 2 * (3 * STD / 0.24) ** 2, rtol=0.01)
