"""Where BN and ReLU go: exercises."""

import math
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees
from preact.book.placements import answers, with_control
from preact.reference.caches import Array

SEED = 6  # of the input on which an answer is tried
STD, RUNS = 0.16, 5  # of the original, as the first paper reports them


def asymmetric_backward(answer: Any) -> Answer:
    """Gradient of a unit whose branch alone sees the activation, Eq. (9)."""
    rng = np.random.default_rng(SEED)
    dout, slope = rng.normal(size=6), rng.normal(size=6)
    slope = np.where(slope > 0, 1.0, 0.0)
    slope[:2] = 0.0, 1.0  # so that the mask never is all or nothing
    J = rng.normal(size=(6, 6))
    both, wrong_side = (dout @ (np.eye(6) + J)) * slope, (dout * slope) @ J
    return agrees(
        answer(dout, slope, J),
        dout + (dout @ J) * slope,
        "dx",
        {"both": both, "side": dout + wrong_side},
    )


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
    if any((params[n] != kept[n]).any() for n in kept):
        return "changed"
    if (given < 0).any():
        return "negative"
    if (bn_after(own, given) != bn_after(silent, given)).any():
        return "loud"
    x = np.maximum(x, 0)
    return agrees(got, np.linalg.norm(bn_after(silent, x) - x), "moved")


def bn_after(params: dict[str, Array], x: Array) -> Array:
    """Compute a unit that is no identity when it is silent."""

    def bn(x: Array) -> Array:
        centered = x - x.mean(0)
        return np.asarray(centered / np.sqrt(x.var(0) + 1e-5))

    F = bn(np.maximum(bn(x @ params["W1"]), 0) @ params["W2"])
    return np.maximum(bn(x + params["scale"] * F), 0)


def empty_cells() -> int:
    """Count the combinations of answers that no unit gives."""
    units = map(answers, with_control().values())
    filled = {(u.f == "identity", u.normalized, u.subtracts) for u in units}
    return 8 - len(filled)


EXERCISES = {
    # standard errors between two means of five runs
    "activations-1": Number(0.24 / (STD * math.sqrt(2 / RUNS)), 2),
    "activations-2": asymmetric_backward,
    "activations-3": fair_test,
    # size of a branch of width 16 whose weights have deviation 0.01
    "activations-4": Number(
        0.01 * math.sqrt(16 / 2),
        2,
        {"one": 0.01, "whole": 0.01 * math.sqrt(16), "normalized": 1.0},
    ),
    "activations-5": Number(empty_cells),
    # runs of each arm until 0.24 is at least three standard errors
    "activations-6": Number(round(2 * (3 * STD / 0.24) ** 2)),
}
