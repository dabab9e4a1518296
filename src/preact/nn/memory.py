"""The same gradients from less memory: what is computed again on the way back.

All ways are PyTorch's `checkpoint`: what goes into a part of the network is
kept, and the backward pass runs the part once more.
"""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Literal

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from preact.nn.layers import BatchNorm, is_traced
from preact.nn.unit import Unit

Memory = Literal["keep", "recompute", "unit", "segment"]
"""What is kept between forward and backward pass; see `preact.nn.Network`."""
KNOWN = (BatchNorm, nn.ReLU, nn.Conv2d)


class FrugalUnit(Unit):
    """A unit that computes outputs of BN-ReLU again, in front of convolutions.

    Parameters
    ----------
    plan : UnitPlan
        As of `Unit`.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Do what `Unit.forward` does."""
        if self.tap_after_pre:  # the shortcut keeps a in any case
            a = self.pre(x)
            F = _run_parts(self.weights, a)
        else:
            a = x
            F = _run_parts([*self.pre, *self.weights], x)
        F = self.post(F)
        h = self.shortcut(a)
        g = torch.sigmoid(self.gate(x)) if len(self.gate) else None
        y = self.on_shortcut(h, g) + self.on_branch(F, g)
        out: Tensor = self.after(y)
        return out


def run_segments(units: Sequence[nn.Module], x: Tensor, length: int) -> Tensor:
    """Hand x from unit to unit, and keep only what each `length`-th reads."""
    for start in range(0, len(units), length):
        x = _run_twice(units[start : start + length], x, draws=True)
    return x


def _run_parts(layers: Iterable[nn.Module], x: Tensor) -> Tensor:
    """Run layers, and keep what goes into each BN-ReLU-convolution."""
    part: list[nn.Module] = []
    for layer in layers:
        part.append(layer)
        if isinstance(layer, nn.Conv2d):
            # Whatever else somebody puts there may draw random numbers.
            is_known = all(type(one) in KNOWN for one in part)
            run = _run_twice if is_known and len(part) > 1 else _run
            x, part = run(part, x), []
    return _run(part, x)


def _run(modules: Iterable[nn.Module], x: Tensor) -> Tensor:
    for module in modules:
        x = module(x)
    return x


def _run_twice(
    modules: Sequence[nn.Module], x: Tensor, *, draws: bool = False
) -> Tensor:
    """Run modules now and, for the gradients, in the backward pass again.

    If they may draw random numbers, the same ones are drawn there.
    """
    if (
        not torch.is_grad_enabled()
        or torch.compiler.is_compiling()
        or is_traced(x)
    ):
        return _run(modules, x)
    second_time = _SecondTime(modules)
    y: Tensor = checkpoint(
        _run,
        modules,
        x,
        use_reentrant=False,
        preserve_rng_state=draws,
        context_fn=lambda: (nullcontext(), second_time),
    )
    return y


class _SecondTime:
    """A context in which modules compute what they did when it was made.

    Running statistics stay: the batch was counted before.
    """

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        self.modules = [m for module in modules for m in module.modules()]
        self.read = self._read()

    def __enter__(self) -> None:
        if self.read != self._read():
            raise RuntimeError(
                "weights, statistics and modes must stay as they are from "
                "the forward pass to the backward pass, which computes "
                "activations again from them; got others, changed in place "
                "or replaced"
            )
        self.values = [buffer.clone() for buffer in self._buffers()]

    def __exit__(self, *_: object) -> None:
        for buffer, value in zip(self._buffers(), self.values, strict=True):
            # By `data`: autograd need not hear of what is as it was.
            buffer.data.copy_(value)
        del self.values

    def _read(self) -> list[tuple[bool, int, int]]:
        """Mode, and address and version, since `weight.data = w` counts none.

        Of all weights, and of the statistics that evaluation reads.
        """
        return [
            (module.training, tensor.data_ptr(), tensor._version)
            for module in self.modules
            for tensor in (
                *module.parameters(recurse=False),
                *(() if module.training else module.buffers(recurse=False)),
            )
        ]

    def _buffers(self) -> list[Tensor]:
        return [b for m in self.modules for b in m.buffers(recurse=False)]
