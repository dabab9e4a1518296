"""The same gradients from less memory: what is kept for the backward pass.

Chapter `08-training`.
"""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Literal

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from preact.nn.layers import frozen_statistics
from preact.nn.network import Network, chain

Memory = Literal["keep", "recompute", "unit", "segment"]


def set_memory(network: Network, memory: Memory) -> None:
    """Choose what a network keeps between forward and backward.

    Parameters
    ----------
    memory : {"keep", "recompute", "unit", "segment"}
        All activations; all but the outputs of BN-ReLU, which are computed
        again from its input; the input of each unit; the input of every
        sqrt(L)-th unit.
    """
    network.through = {
        "keep": chain,
        "unit": partial(checkpointed, 1),
        "segment": partial(checkpointed, math.isqrt(len(network.units))),
    }[memory]


def checkpointed(length: int, units: Sequence[nn.Module], x: Tensor) -> Tensor:
    """Run units, keeping only the input of every `length`-th one.

    The second forward pass leaves running statistics and random numbers as
    the first one did.
    """
    for start in range(0, len(units), length):
        x = checkpoint(
            chain,
            units[start : start + length],
            x,
            use_reentrant=False,
            context_fn=_first_and_second_time,
        )
    return x


def _first_and_second_time() -> tuple[
    AbstractContextManager[None], AbstractContextManager[None]
]:
    return nullcontext(), frozen_statistics()
