"""BN and ReLU by the C kernels, on the CPU, in float32 with channels last."""

import ctypes

import torch
from torch import Tensor

from preact.fast.cpu.build import kernels
from preact.fast.operation import Seen
from preact.nn.layers import BatchNorm

MOST_CHANNELS = 2048  # room on the kernels' stack


def bn_relu_forward(
    bn: BatchNorm, z: Tensor, room: Tensor | None = None
) -> tuple[Tensor, Seen]:
    """Compute relu(bn(z)) in training and move the running statistics.

    Parameters
    ----------
    z : (N, C, H, W)
    room : (N, C, H, W), optional
        Where to write it.

    Raises
    ------
    ValueError
        As `BatchNorm` does.
    """
    groups = bn.count_ghosts(z.shape)
    rows, c = _rows(z)
    y = torch.empty_like(z) if room is None else room
    mean, rstd = z.new_empty(2, groups * c)
    own, moved = bn._parameters, bn._buffers
    failed = _library().bn_relu_forward(
        z.data_ptr(),
        own["weight"].data_ptr(),  # type: ignore[union-attr]
        own["bias"].data_ptr(),  # type: ignore[union-attr]
        y.data_ptr(),
        mean.data_ptr(),
        rstd.data_ptr(),
        moved["running_mean"].data_ptr(),  # type: ignore[union-attr]
        moved["running_var"].data_ptr(),  # type: ignore[union-attr]
        groups,
        rows // groups,
        c,
        bn.eps,
        bn.momentum,
    )
    _check(failed)
    return y, Seen(groups, bn.eps, mean, rstd)


def bn_relu_again(
    z: Tensor, weight: Tensor, bias: Tensor, seen: Seen
) -> Tensor:
    """Compute relu(bn(z)) once more, by the statistics it had."""
    assert seen.mean is not None
    assert seen.rstd is not None
    rows, c = _rows(z)
    y = torch.empty_like(z)
    _library().bn_relu_again(
        z.data_ptr(),
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
    d: Tensor,
    z: Tensor,
    weight: Tensor,
    bias: Tensor,
    seen: Seen,
    added: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Turn the gradient of relu(bn(z)) into that of z, in place.

    Parameters
    ----------
    d : (N, C, H, W)
        Overwritten.
    added : (N, C, H, W), optional
        A gradient that reaches z by another way.

    Returns
    -------
    dz, dweight, dbias
    """
    assert seen.mean is not None
    assert seen.rstd is not None
    rows, c = _rows(z)
    dweight, dbias = torch.empty_like(weight), torch.empty_like(bias)
    failed = _library().bn_relu_backward(
        d.data_ptr(),
        z.data_ptr(),
        weight.data_ptr(),
        bias.data_ptr(),
        seen.mean.data_ptr(),
        seen.rstd.data_ptr(),
        None if added is None else added.data_ptr(),
        d.data_ptr(),
        dweight.data_ptr(),
        dbias.data_ptr(),
        seen.groups,
        rows // seen.groups,
        c,
    )
    _check(failed)
    return d, dweight, dbias


def bn_relu_eval(bn: BatchNorm, z: Tensor, y: Tensor) -> Tensor:
    """Write relu(bn(z)) in evaluation into y, which may be z."""
    own, moved = bn._parameters, bn._buffers
    _library().bn_relu_eval(
        z.data_ptr(),
        own["weight"].data_ptr(),  # type: ignore[union-attr]
        own["bias"].data_ptr(),  # type: ignore[union-attr]
        moved["running_mean"].data_ptr(),  # type: ignore[union-attr]
        moved["running_var"].data_ptr(),  # type: ignore[union-attr]
        y.data_ptr(),
        *_rows(z),
        bn.eps,
    )
    return y


def _library() -> ctypes.CDLL:
    """Return the kernels where somebody has found them."""
    library = kernels()
    assert library is not None
    return library


def _check(failed: int) -> None:
    """Refuse to go on with sums that were not computed."""
    if failed:
        raise MemoryError("no memory for the sums of batch normalization")


def _rows(z: Tensor) -> tuple[int, int]:
    """Pixels of the whole batch, and channels."""
    c = z.shape[1]
    return z.numel() // c, c
