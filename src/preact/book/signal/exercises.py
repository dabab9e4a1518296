"""The stream forward: exercises."""

import math
from functools import cache
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees
from preact.plan import stack_plan
from preact.propagation import profile

SEED = 2  # of the input on which an answer is tried


@cache
def deep_stream() -> float:
    """Measure the root mean square of the stream after 399 units."""
    plan = stack_plan("full-preactivation", units=399, width=64)
    return float(profile(plan, batch=64).signal_rms[-1])


def walled(answer: Any) -> Answer:
    """A walk with a wall at zero, from the steps of a free walk."""
    steps = np.random.default_rng(SEED).normal(size=50)
    wanted = [0.0]
    for step in steps:
        wanted.append(max(0.0, wanted[-1] + step))
    return agrees(answer(steps), wanted)


def exponent_of_growth(answer: Any) -> Answer:
    """Exponent of a power of the depth, from the deeper half.

    The shallower half follows another power, so that it cannot be used.
    """
    depth, got = np.arange(1, 202), []
    powers = np.random.default_rng(SEED).uniform(0.3, 1.2, 2)
    for power in powers:
        x = 3.0 * depth**power
        x[:60] = 1.0
        got.append(answer(x))
    return agrees(got, powers, "p")


EXERCISES = {
    "signal-1": Number(deep_stream, mistakes={"square": 400.0}, within=0.15),
    "signal-2": walled,
    # mean of a leaky ReLU, slope 0.1, of a normal variable of variance 1
    "signal-3": Number(0.9 / math.sqrt(2 * math.pi), 2),
    # paths through exactly two of 54 branches
    "signal-4": Number(math.comb(54, 2)),
    "signal-5": exponent_of_growth,
}
