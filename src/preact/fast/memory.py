"""The same gradients from less memory: what is kept for the backward pass."""

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from preact.fast.plain import RunUnits

Memory = Literal["keep", "recompute", "unit", "segment"]


def run_in_memory(
    memory: Memory, run: RunUnits, units: Sequence[nn.Module], x: Tensor
) -> Tensor:
    """Hand x from unit to unit; `with_memory` says what is kept."""
    if memory in ("keep", "recompute") or not torch.is_grad_enabled():
        return run(units, x, memory == "keep")
    length = math.isqrt(len(units)) if memory == "segment" else 1
    for start in range(0, len(units), length):
        part = units[start : start + length]
        x = checkpoint(
            run,
            part,
            x,
            False,
            use_reentrant=False,
            context_fn=partial(_first_and_second_time, part),
        )
    return x


def _first_and_second_time(
    units: Sequence[nn.Module],
) -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    """Contexts of the forward pass and of its repetition."""
    return nullcontext(), unmoved_buffers(units)


@contextmanager
def unmoved_buffers(units: Sequence[nn.Module]) -> Iterator[None]:
    """Leave running statistics as they are: the batch was counted before."""
    buffers = [b for unit in units for b in unit.buffers()]
    before = [b.clone() for b in buffers]
    try:
        yield
    finally:
        for buffer, value in zip(buffers, before, strict=True):
            # By `data`: autograd need not hear of what is as it was.
            buffer.data.copy_(value)
