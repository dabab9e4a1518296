"""The stream forward: checkers.

Chapter `02-signal`.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from preact.book.exercises.judge import Answer, agrees, exercise, number
from preact.plan import stack_plan
from preact.propagation import profile
from preact.spec import TABLE_2

SEED = 2  # of the input on which an answer is tried


@exercise("signal-1")
def deep_stream(answer: Any) -> Answer:
    """Root mean square of the stream after 399 units."""
    return number(answer, _measured_stream(), rtol=0.15)


@cache
def _measured_stream() -> float:
    """Measure it once a session."""
    plan = stack_plan(TABLE_2["full-preactivation"], units=399, width=64)
    return float(profile(plan, batch=64).signal_rms[-1])


@exercise("signal-2")
def walled(answer: Any) -> Answer:
    """A walk with a wall at zero, from the steps of a free walk."""
    steps = np.random.default_rng(SEED).normal(size=50)
    wanted = [0.0]
    for step in steps:
        wanted.append(max(0.0, wanted[-1] + step))
    return agrees((answer(steps), wanted))


@exercise("signal-3")
def mean_of_leaky(answer: Any) -> Answer:
    """Mean of a leaky ReLU, slope 0.1, of a normal variable of variance 1."""
    return number(answer, 0.9 / math.sqrt(2 * math.pi), rtol=0.01)


@exercise("signal-4")
def short_paths(answer: Any) -> Answer:
    """Paths through exactly two of 54 branches."""
    return number(answer, math.comb(54, 2))


@exercise("signal-5")
def exponent_of_growth(answer: Any) -> Answer:
    """Exponent of a power of the depth, from the deeper half.

    The shallower half follows another power, so that it cannot be used.
    """
    depth = np.arange(1, 202)
    pairs = []
    for power in np.random.default_rng(SEED).uniform(0.3, 1.2, 2):
        x = 3.0 * depth**power
        x[:60] = 1.0
        pairs.append((answer(x), power))
    return agrees(*pairs, what="p")
