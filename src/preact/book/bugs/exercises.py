"""Find the bug: exercises."""

from collections.abc import Callable
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees
from preact.book.page import words
from preact.reference.caches import Array

SEED = 11  # of the input on which an answer is tried
REPAIRED = 4  # units of the network that is to be repaired
EPS = 1e-5

Branch = Callable[[Array], Array]


def relu_out_of_place(answer: Any) -> Answer:
    """ReLU-only pre-activation that leaves its input as it was."""
    rng = np.random.default_rng(SEED)
    x, W = rng.normal(size=(5, 6)), rng.normal(size=(6, 6))
    handed = x.copy()
    got = answer(handed, lambda a: a @ W)
    active = np.maximum(x, 0)
    if not np.array_equal(handed, x):
        return "changed"
    mistakes = {"original": active + active @ W}
    return agrees(got, x + active @ W, mistakes=mistakes)


def normalize_over_batch(answer: Any) -> Answer:
    """Batch normalization of images, without scale and shift."""
    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(4, 3, 5, 5)) * rng.uniform(1, 9, (4, 3, 1, 1))
    x += rng.normal(size=(4, 3, 1, 1))
    got = answer(x.copy())
    axes = {"image": (1, 2, 3), "alone": (2, 3), "all": (0, 1, 2, 3)}
    mistakes = {name: normalized(x, over) for name, over in axes.items()}
    return agrees(got, normalized(x, (0, 2, 3)), mistakes=mistakes)


def normalized(x: Array, axes: tuple[int, ...]) -> Array:
    """Mean 0 and variance 1 over some axes."""
    kept: Any = {"axis": axes, "keepdims": True}
    return np.asarray((x - x.mean(**kept)) / np.sqrt(x.var(**kept) + EPS))


def silent_branch_test(answer: Any) -> Answer:
    """A test that is true where a unit with F = 0 returns its input."""
    x = np.random.default_rng(SEED).normal(size=(8, 6))
    for name, (unit, right) in units().items():
        got = answer(unit, x.copy())
        if np.shape(got):  # one answer was asked for, not one a number
            return False, f"shape {np.shape(got)}, not ()"
        if bool(got) != right:
            return name
    return True, ""


def units() -> dict[str, tuple[Callable[[Array, Branch], Array], bool]]:
    """Units by name, each with whether its silent form is the identity."""

    def bn_relu(x: Array) -> Array:
        return np.maximum(normalized(x, (0,)), 0)

    def relu(x: Array) -> Array:
        return np.maximum(x, 0)

    return {
        "full": (lambda x, F: x + F(bn_relu(x)), True),
        "raw": (lambda x, F: x + F(x), True),
        "original": (lambda x, F: relu(x + F(x)), False),
        "popular": (lambda x, F: bn_relu(x) + F(bn_relu(x)), False),
        "twice": (lambda x, F: 2 * x + F(bn_relu(x)), False),
        "scaled": (lambda x, F: 0.99 * x + F(bn_relu(x)), False),
        "tiny": (lambda x, F: (1 + 1e-6) * x + F(bn_relu(x)), False),
    }


def smallest_suite() -> int:
    """Count the fewest questions that find every mutant."""
    from preact.book.bugs.zoo import MUTANTS  # loads torch

    broken = [mutant.breaks for mutant in MUTANTS.values()]
    needed = {next(iter(b)) for b in broken if len(b) == 1}
    left = [b for b in broken if not b & needed]
    assert frozenset.intersection(*left)  # so one more is enough
    return len(needed) + 1


def repaired_network(answer: Any) -> Answer:
    """A network of four units about which no answer of the probe is no."""
    from torch import nn  # as above

    from preact.conformance import probe
    from preact.conformance.words import evidence_sentence

    say = words()
    if not isinstance(answer, nn.Module):
        return False, say("exercise.bugs-6.no_network")
    report = probe(answer, image=(3, 32, 32))
    if report.units != REPAIRED:
        return False, say("exercise.bugs-6.units", units=report.units)
    if not report.faults:
        return True, ""
    return False, evidence_sentence(report.faults[0], say)


EXERCISES = {
    # the factor whose product over 52 units is one half; 54 units in place
    # of 52 change it by a two-thousandth
    "bugs-1": Number(
        0.5 ** (1 / 52), 1e-4, {"all": 0.5 ** (1 / 54), "sum": 1 - 0.5 / 52}
    ),
    "bugs-2": relu_out_of_place,
    "bugs-3": normalize_over_batch,
    "bugs-4": silent_branch_test,
    "bugs-5": Number(smallest_suite),
    "bugs-6": repaired_network,
}
