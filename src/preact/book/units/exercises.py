"""Units as data and as code: exercises."""

from functools import cache
from typing import Any

import numpy as np

from preact.book.exercises import Answer, Number, agrees
from preact.plan import UnitPlan, stack_plan
from preact.propagation import draw_batch, rms
from preact.reference import initialize, layers, network_forward, unit_forward
from preact.reference.network import unit_params
from preact.spec import TABLE_2

SEED = 4  # of the input on which an answer is tried
PLACES = np.arange(2, 7)


def units_by_places(answer: Any) -> Answer:
    """A function that counts the units of p places."""
    p = PLACES
    mistakes = {"unordered": p**2, "both": 2 * p**2, "pairs": p * (p + 1) // 2}
    got = [answer(places) for places in p.tolist()]
    return agrees(got, p**2 + p, "count", mistakes)


def bn_backward(answer: Any) -> Answer:
    """A function that computes dx of batch normalization."""
    rng = np.random.default_rng(SEED)
    x = rng.normal(1.0, 2.0, (5, 3, 4, 4))
    dout, gamma = rng.normal(size=x.shape), rng.normal(1.0, 0.1, 3)
    _, stored = layers.bn_forward(x, gamma, np.zeros(3))
    x_hat, _, sigma, *_ = stored
    expected = layers.bn_backward(dout, stored)[0]
    return agrees(answer(dout, x_hat, gamma, sigma), expected, "dx")


def repaired_unit(answer: Any) -> Answer:
    """A unit that must agree with the package, silent and not."""
    plan = stack_plan("full-preactivation", units=1, width=6)
    got, wanted = [], []
    for scale in (0.0, 1.0):
        params = initialize(plan, SEED)
        own = unit_params(plan, params)[0]
        own |= {"weights.3.weight": own["weights.3.weight"] * scale}
        x, _ = draw_batch(plan, 8, 0)
        expected, _ = unit_forward(plan.units[0], own, x)
        W1, W2 = (own[f"weights.{i}.weight"][:, :, 0, 0] for i in (0, 3))
        got.append(answer(x[:, :, 0, 0], W1, W2))
        wanted.append(expected[:, :, 0, 0])
    return agrees(got, wanted)


@cache
def missing_tail() -> float:
    """Measure the root mean square of the stream after 100 units."""
    plan = stack_plan("full-preactivation", units=100, width=64)
    x, _ = draw_batch(plan, 256, 0)
    _, stored = network_forward(plan, initialize(plan, 0), x)
    return float(rms(stored.streams[-1]))


EXERCISES = {
    "units-1": units_by_places,
    "units-2": bn_backward,
    # parameters of an interior bottleneck unit of stage 3
    "units-3": Number(
        UnitPlan(
            spec=TABLE_2["full-preactivation"],
            c_in=256,
            c_inner=64,
            c_out=256,
            convs=3,
        ).parameters
    ),
    "units-4": repaired_unit,
    "units-5": Number(missing_tail, within=0.1),
}
