"""BN and ReLU by the C kernels: float32 tensors (N, C, H, W), channels last.

Each writes into a tensor that it is given; `weight` and `bias` are (C,).
"""

from typing import NamedTuple

import torch
from torch import Tensor

from preact.fast.build import kernels
from preact.nn.layers import BatchNorm

MOST_CHANNELS = 2048  # room on the kernels' stack


class Seen(NamedTuple):
    """A BN at work: its settings, and mean and 1/deviation, (groups * C,)."""

    groups: int
    eps: float
    mean: Tensor
    rstd: Tensor


def bn_relu_forward(bn: BatchNorm, z: Tensor, y: Tensor) -> Seen:
    """Write relu(bn(z)) in training into y; move the running statistics.

    ValueError where `BatchNorm` raises one.
    """
    groups = bn.count_ghosts(z.shape)
    pixels, c = _pixels_and_channels(z)
    mean, rstd = z.new_empty(2, groups * c)
    own, moved = bn._parameters, bn._buffers
    _call(
        "bn_relu_forward",
        *(z, own["weight"], own["bias"], y, mean, rstd),
        *(moved["running_mean"], moved["running_var"]),
        *(groups, pixels // groups, c, bn.eps, bn.momentum),
    )
    return Seen(groups, bn.eps, mean, rstd)


def bn_relu_again(
    z: Tensor, weight: Tensor, bias: Tensor, seen: Seen
) -> Tensor:
    """Return relu(bn(z)) once more, by the statistics it had."""
    pixels, c = _pixels_and_channels(z)
    y = torch.empty_like(z)
    _call(
        "bn_relu_again",
        *(z, weight, bias, seen.mean, seen.rstd, y),
        *(seen.groups, pixels // seen.groups, c),
    )
    return y


def bn_relu_backward(
    d: Tensor,
    z: Tensor,
    weight: Tensor,
    bias: Tensor,
    seen: Seen,
    added: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Turn the gradient d of relu(bn(z)) into that of z, in place.

    Parameters
    ----------
    added : (N, C, H, W), optional
        A gradient that reaches z by another way.

    Returns
    -------
    dweight, dbias
    """
    pixels, c = _pixels_and_channels(z)
    dweight, dbias = torch.empty_like(weight), torch.empty_like(bias)
    _call(
        "bn_relu_backward",
        *(d, z, weight, bias, seen.mean, seen.rstd, added, d, dweight, dbias),
        *(seen.groups, pixels // seen.groups, c),
    )
    return dweight, dbias


def bn_relu_eval(bn: BatchNorm, z: Tensor, y: Tensor) -> Tensor:
    """Write relu(bn(z)) in evaluation into y, which may be z."""
    own, moved = bn._parameters, bn._buffers
    _call(
        "bn_relu_eval",
        *(z, own["weight"], own["bias"]),
        *(moved["running_mean"], moved["running_var"], y),
        *(*_pixels_and_channels(z), bn.eps),
    )
    return y


def _call(name: str, *arguments: Tensor | float | None) -> None:
    """Call a kernel, tensors by their addresses."""
    failed = getattr(kernels(), name)(
        *(a.data_ptr() if isinstance(a, Tensor) else a for a in arguments)
    )
    if failed:
        raise MemoryError("no memory for the sums of batch normalization")


def _pixels_and_channels(z: Tensor) -> tuple[int, int]:
    """Pixels of the whole batch, and channels."""
    c = z.shape[1]
    return z.numel() // c, c
