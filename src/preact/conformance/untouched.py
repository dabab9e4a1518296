"""A module looked at and left as it was."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn


@contextmanager
def untouched(module: nn.Module) -> Iterator[None]:
    """Put back modes, buffers, gradients and random numbers at the end.

    Parameters are only read. Buffers are the same tensors with the same
    values as before, even where the network replaced them.
    """
    modules = list(module.modules())
    modes = [one.training for one in modules]
    buffers = [
        {name: (b, copy_of(b)) for name, b in one._buffers.items()}
        for one in modules
    ]
    gradients = [(p, p.grad) for p in module.parameters()]
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    fused = torch.backends.mha.get_fastpath_enabled()
    devices = {p.device for p, _ in gradients if p.device.type == "cuda"}
    try:
        # In evaluation, a whole transformer layer would be one operation.
        torch.backends.mha.set_fastpath_enabled(False)
        with torch.random.fork_rng(sorted(devices, key=str)):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fused)
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        with torch.no_grad():
            for one, mode, kept in zip(modules, modes, buffers, strict=True):
                one.training = mode
                for name, (buffer, value) in kept.items():
                    if buffer is not None and value is not None:
                        buffer.copy_(value)
                    one._buffers[name] = buffer
        for parameter, gradient in gradients:
            parameter.grad = gradient


def copy_of(buffer: Tensor | None) -> Tensor | None:
    """Copy a buffer's values; some are not there."""
    return None if buffer is None else buffer.detach().clone()
