"""Fresh stacks: whether gradients at neighboring inputs agree.

Chapter `07-depth`.
"""

from typing import Any

import numpy as np
import torch

from preact.book.measurements import measured
from preact.book.stacks import WIDTH, Stack
from preact.spec import UnitSpec

Array = np.ndarray[Any, np.dtype[np.float64]]


@measured
def neighbors_agree(
    unit: UnitSpec, units: int, seeds: int = 8, seed: int = 0
) -> Array:
    """Correlate gradients at neighboring points of a line, (seeds,).

    A first layer with biases makes 64 numbers of each of 256 points. The
    gradient of one output of a fresh network is taken with respect to them.
    """
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
