"""A unit's branch on the CPU, by the C kernels and oneDNN's convolutions."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from preact.fast.branch import Branch, call_unit, run_unit
from preact.fast.cpu.bn_relu import (
    MOST_CHANNELS,
    bn_relu_again,
    bn_relu_backward,
    bn_relu_eval,
    bn_relu_forward,
)
from preact.fast.cpu.build import kernels
from preact.fast.cpu.convolution import convolve, convolve_backward
from preact.fast.operation import (
    Convolution,
    Seen,
    Undo,
    how_to_convolve,
    run_branch,
)
from preact.nn.layers import BatchNorm


def can_read(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether the C kernels are there and read what is laid out anew."""
    return (
        device.type == "cpu"
        and dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and kernels() is not None
    )


def can_run(branch: Branch, x: Tensor) -> bool:
    """Whether the C kernels can compute a branch of x."""
    if (
        not _is_float32(x)
        or x.ndim != 4
        or not x.is_contiguous(memory_format=torch.channels_last)
    ):
        return False
    for bn, conv in branch.segments:
        if bn is not None and not (
            all(map(_is_readable, bn._parameters.values()))
            and all(map(_is_readable, bn._buffers.values()))
            and bn.weight.shape[0] <= MOST_CHANNELS
        ):
            return False
        if not _is_float32(conv._parameters["weight"]):
            return False
    return True


def _is_readable(t: Tensor | None) -> bool:
    """Whether a kernel can read or write numbers where t says they are."""
    return _is_float32(t) and t.is_contiguous()  # type: ignore[union-attr]


def _is_float32(t: Tensor | None) -> bool:
    """Whether t holds float32 on the CPU."""
    return (
        type(t) in (Tensor, torch.nn.Parameter)
        and t.dtype is torch.float32  # type: ignore[union-attr]
        and t.device.type == "cpu"  # type: ignore[union-attr]
        and t.layout is torch.strided  # type: ignore[union-attr]
    )


def run_on_cpu(units: Sequence[nn.Module], x: Tensor, keep: bool) -> Tensor:
    """Run units one by one, each branch by the C kernels if they can."""
    kernels = CpuKernels(keep=keep)

    def compute(branch: Branch, a: Tensor) -> Tensor | None:
        if not can_run(branch, a):
            return None
        if branch.training:
            return run_branch(branch, kernels, a, keep=keep)
        # What a BN in evaluation keeps for a backward pass, PyTorch knows.
        return None if torch.is_grad_enabled() else kernels.evaluate(branch, a)

    for unit in units:
        x = call_unit(unit, x, lambda unit, x: run_unit(unit, x, compute))
    kernels.rooms.clear()
    return x


class CpuKernels:
    """The parts of one call; `Kernels` says what they are.

    Parameters
    ----------
    keep : bool
        Whether outputs of BN-ReLU are kept; else they pass through one
        buffer, which stays in the processor's cache.
    """

    def __init__(self, *, keep: bool) -> None:
        self.keep = keep
        self.rooms: dict[torch.Size, Tensor] = {}

    def room(self, z: Tensor) -> Tensor:
        """Room for something of z's shape that is read at once."""
        if z.shape not in self.rooms:
            self.rooms[z.shape] = torch.empty_like(z)
        return self.rooms[z.shape]

    def bn_relu(self, bn: BatchNorm, z: Tensor) -> tuple[Tensor, Seen]:
        return bn_relu_forward(bn, z, None if self.keep else self.room(z))

    def repeat(
        self,
        z: Tensor,
        weight: Tensor,
        bias: Tensor,
        seen: Seen,
        a: Tensor | None,
    ) -> tuple[Tensor, Undo]:
        if a is None:
            a = bn_relu_again(z, weight, bias, seen)

        def undo(
            d: Tensor, added: Tensor | None
        ) -> tuple[Tensor, Tensor, Tensor]:
            if added is not None:
                added = _channels_last(added)
            return bn_relu_backward(
                _channels_last(d), z, weight, bias, seen, added
            )

        return a, undo

    def convolve(
        self, how: Convolution, a: Tensor, weight: Tensor, x: Tensor | None
    ) -> Tensor:
        return convolve(how, a, weight, x)

    def convolve_backward(
        self, how: Convolution, dy: Tensor, a: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        return convolve_backward(how, _channels_last(dy), a, weight)

    def evaluate(self, branch: Branch, x: Tensor) -> Tensor:
        """Compute a branch by its running statistics, without gradients."""
        z, last = x, len(branch.segments) - 1
        for i, (bn, conv) in enumerate(branch.segments):
            a = z
            if bn is not None:
                a = bn_relu_eval(bn, z, self.room(x) if z is x else z)
            added = x if i == last and branch.adds_input else None
            how = how_to_convolve(conv, a)
            z = convolve(how, a, conv.weight, added)
        return z


def _channels_last(t: Tensor) -> Tensor:
    """T itself in almost all cases."""
    return t.contiguous(memory_format=torch.channels_last)
