"""Fresh stacks: how the gradient grows, whether neighboring inputs agree."""

from collections.abc import Sequence

import numpy as np
import torch

from preact.book.stacks import WIDTH, Stack
from preact.plan import stack_plan
from preact.propagation import profile
from preact.reference.caches import Array
from preact.spec import CONTROLS, TABLE_2, UnitSpec

DEPTHS = (10, 20, 50, 100)  # units
VARIANCES = {  # of the stream: what it begins with, what a unit adds
    "no-relu-after-addition": (0.5 - 0.5 / np.pi, 1.0),
    "full-preactivation": (1.0, 1 - 1 / np.pi),
}


def exponents(row: str, seeds: Sequence[int]) -> Array:
    """Fit the power of the depth with which |g_0| / |g_L| grows, (seeds,)."""
    spec = {**TABLE_2, **CONTROLS}[row]
    plans = [stack_plan(spec, units=L, width=WIDTH) for L in DEPTHS]
    ratios = [
        [profile(plan, batch=64, seed=s).gradient_ratio for s in seeds]
        for plan in plans
    ]
    slopes: Array = np.polyfit(np.log(DEPTHS), np.log(ratios), 1)[0]
    return slopes


def predicted_exponent(row: str) -> float:
    """Fit it to what chapter 7 derives, unit by unit."""
    start, step = VARIANCES[row]
    v = start + step * np.arange(DEPTHS[-1])
    grown = np.cumsum(np.log(1 + 1 / ((1 - 1 / np.pi) * v))) / 2
    at = np.array(DEPTHS)
    return float(np.polyfit(np.log(at), grown[at - 1], 1)[0])


def neighbors_agree(unit: UnitSpec, units: int, seed: int = 0) -> Array:
    """Correlate gradients at neighboring points of a line, (8,) networks.

    A first layer with biases makes 64 numbers of each of 256 points. The
    gradient of one output of a fresh network is taken with respect to them.
    """
    seeds = 8
    network = Stack(unit, (), units, seeds, seed)
    w, b = torch.randn(2, seeds, 1, WIDTH)
    line = torch.linspace(-2, 2, 256).view(1, -1, 1).repeat(seeds, 1, 1)
    line.requires_grad_()
    first = (line * w + b).relu()
    network.freeze(first.detach())
    out = (network.run(first, network.units) @ network.head)[..., 0]
    (g,) = torch.autograd.grad(out.sum(), line)
    g = (g - g.mean(1, keepdim=True)).squeeze(-1).double()
    found: Array = ((g[:, 1:] * g[:, :-1]).mean(1) / (g * g).mean(1)).numpy()
    return found
