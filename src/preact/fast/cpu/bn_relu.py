"""Batch normalization and ReLU as one operation that keeps only its input.

Chapter `08-training`.
"""

import ctypes
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.graph import increment_version

from preact.fast.cpu.build import kernels
from preact.nn import layers
from preact.plan import BN_EPS, BN_MOMENTUM

MOST_CHANNELS = 2048  # room on the kernels' stack


class Statistics(NamedTuple):
    """Mean and 1/deviation of each channel of each ghost batch."""

    mean: Tensor
    rstd: Tensor
    groups: int


class FastBNReLU(layers.BatchNorm):
    """BN and the ReLU behind it; parameters and buffers are those of BN.

    On the CPU, in float32 with channels last, our own kernel: it reads its
    input twice and writes once, where PyTorch's three operations do twice
    that, and the backward pass keeps no mask. Elsewhere PyTorch's own.
    """

    with_relu = True

    def __init__(self, bn: layers.BatchNorm) -> None:
        torch.nn.Module.__init__(self)
        self.ghost_batch = bn.ghost_batch
        self.weight, self.bias = bn.weight, bn.bias
        self.register_buffer("running_mean", bn.running_mean)
        self.register_buffer("running_var", bn.running_var)

    def forward(self, x: Tensor) -> Tensor:
        if not fits(x) or (not self.training and torch.is_grad_enabled()):
            return super().forward(x).relu_()
        if self.training:
            return _BNReLU.apply(x, self.weight, self.bias, self)  # type: ignore[no-any-return,no-untyped-call]
        return scale_relu(x, *self.line(), torch.empty_like(x))

    def line(self) -> tuple[Tensor, Tensor]:
        """Scale and shift that BN is in evaluation; (C,) each."""
        scale = self.weight * (self.running_var + BN_EPS).rsqrt()
        return scale, self.bias - self.running_mean * scale


class _BNReLU(torch.autograd.Function):
    """The kernels in training, for autograd."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, bn: FastBNReLU
    ) -> Tensor:
        y = torch.empty_like(x)
        seen = bn_relu_forward(bn, x, y)
        ctx.save_for_backward(x, weight, bias, seen.mean, seen.rstd)
        ctx.groups = seen.groups
        return y

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, bias, mean, rstd = ctx.saved_tensors
        dy = grads[0].contiguous(memory_format=torch.channels_last)
        seen = Statistics(mean, rstd, ctx.groups)
        dx = torch.empty_like(x)
        return (dx, *bn_relu_backward(dy, x, weight, bias, seen, dx), None)


def bn_relu_forward(bn: FastBNReLU, x: Tensor, y: Tensor) -> Statistics:
    """Write relu(bn(x)) into y and move the running statistics.

    Raises
    ------
    ValueError
        If the batch is not made of whole ghost batches.
    """
    groups = layers.ghosts(bn.ghost_batch, x.shape[0])
    rows, c = _rows(x)
    mean, rstd = x.new_empty(2, groups * c)
    # A repeated forward pass leaves the running statistics alone.
    frozen = layers.is_frozen()
    failed = _library().bn_relu_forward(
        x.data_ptr(),
        bn.weight.data_ptr(),
        bn.bias.data_ptr(),
        y.data_ptr(),
        mean.data_ptr(),
        rstd.data_ptr(),
        None if frozen else bn.running_mean.data_ptr(),
        None if frozen else bn.running_var.data_ptr(),
        groups,
        rows // groups,
        c,
        BN_EPS,
        BN_MOMENTUM,
    )
    _check(failed)
    if not frozen:
        # The kernel has written behind autograd's back.
        increment_version(bn.running_mean)
        increment_version(bn.running_var)
    return Statistics(mean, rstd, groups)


def bn_relu_again(
    x: Tensor, weight: Tensor, bias: Tensor, seen: Statistics, y: Tensor
) -> Tensor:
    """Write relu(bn(x)) into y once more, by the statistics it had."""
    rows, c = _rows(x)
    _library().bn_relu_again(
        x.data_ptr(),
        weight.data_ptr(),
        bias.data_ptr(),
        seen.mean.data_ptr(),
        seen.rstd.data_ptr(),
        y.data_ptr(),
        seen.groups,
        rows // seen.groups,
        c,
    )
    return y


def bn_relu_backward(
    dy: Tensor,
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    seen: Statistics,
    dx: Tensor,
    added: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Write the gradient of x into dx, plus `added`; return the others.

    `dx` may be `dy`. All have channels last.

    Returns
    -------
    dweight, dbias : (C,) float32
    """
    rows, c = _rows(x)
    dweight, dbias = torch.empty_like(weight), torch.empty_like(bias)
    failed = _library().bn_relu_backward(
        dy.data_ptr(),
        x.data_ptr(),
        weight.data_ptr(),
        bias.data_ptr(),
        seen.mean.data_ptr(),
        seen.rstd.data_ptr(),
        None if added is None else added.data_ptr(),
        dx.data_ptr(),
        dweight.data_ptr(),
        dbias.data_ptr(),
        seen.groups,
        rows // seen.groups,
        c,
    )
    _check(failed)
    return dweight, dbias


def scale_relu(x: Tensor, scale: Tensor, shift: Tensor, y: Tensor) -> Tensor:
    """Write relu(scale x + shift) into y and return it."""
    _library().scale_relu(
        x.data_ptr(),
        scale.data_ptr(),
        shift.data_ptr(),
        y.data_ptr(),
        *_rows(x),
    )
    return y


def fits(x: Tensor) -> bool:
    """Whether the kernels are there and can read x."""
    return (
        x.device.type == "cpu"
        and x.dtype == torch.float32
        and x.shape[1] <= MOST_CHANNELS
        and x.is_contiguous(memory_format=torch.channels_last)
        and not torch.is_autocast_enabled("cpu")
        and kernels() is not None
    )


def _library() -> ctypes.CDLL:
    """Return the kernels where `fits` has found them."""
    library = kernels()
    assert library is not None
    return library


def _check(failed: int) -> None:
    """Refuse to go on with sums that were not computed."""
    if failed:
        raise MemoryError("no memory for the sums of batch normalization")


def _rows(x: Tensor) -> tuple[int, int]:
    """Pixels of the whole batch, and channels."""
    c = x.shape[1]
    return x.numel() // c, c
