"""Convolutions on the CPU: products of matrices where they are ones."""

import torch
import torch.nn.functional as nnf
from torch import Tensor

from preact.fast.operation import Convolution

# oneDNN's convolution that adds on its way out; better than a product of
# matrices where the result is larger than a core's cache.
CONVOLVE_AND_ADD = getattr(
    getattr(torch.ops.mkldnn, "_convolution_pointwise", None), "binary", None
)
LARGE = 1_000_000  # numbers


def convolve(
    how: Convolution, a: Tensor, weight: Tensor, added: Tensor | None = None
) -> Tensor:
    """Convolve, and add something of the result's shape.

    A 1x1 convolution of stride 1 is a product of matrices.

    Parameters
    ----------
    a : (N, c_in, H, W) float32, channels last
    weight : (c_out, c_in, K, K) float32
    """
    weight = weight.detach()
    large = a.numel() // a.shape[1] * weight.shape[0] > LARGE
    if added is not None and large and CONVOLVE_AND_ADD is not None:
        return CONVOLVE_AND_ADD(  # type: ignore[no-any-return]
            a,
            added,
            weight,
            None,
            how.padding,
            how.stride,
            how.dilation,
            1,
            "add",
            1.0,
            None,
            [],
            None,
        )
    if not _is_product(how, weight):
        y = nnf.conv2d(a, weight, None, how.stride, how.padding, how.dilation)
        y = y.contiguous(memory_format=torch.channels_last)
        return y if added is None else y.add_(added)
    n, _, height, width = a.shape
    y = a.new_empty(n, height, width, weight.shape[0])
    rows, matrix = _rows(a), weight.flatten(1).t()
    if added is None:
        torch.mm(rows, matrix, out=y.view(-1, weight.shape[0]))
    else:
        out = y.view(-1, weight.shape[0])
        torch.addmm(_rows(added), rows, matrix, out=out)
    return y.permute(0, 3, 1, 2)


def convolve_backward(
    how: Convolution, dy: Tensor, a: Tensor, weight: Tensor
) -> tuple[Tensor, Tensor]:
    """Gradients of a convolution's input and weight."""
    if _is_product(how, weight):
        rows, da = _rows(dy), torch.empty_like(a)
        torch.mm(rows, weight.flatten(1), out=_rows(da))
        return da, torch.mm(rows.t(), _rows(a)).view_as(weight)
    da, dweight, _ = torch.ops.aten.convolution_backward(
        dy,
        a,
        weight,
        None,
        how.stride,
        how.padding,
        how.dilation,
        False,
        [0, 0],
        1,
        [True, True, False],
    )
    return da, dweight


def _is_product(how: Convolution, weight: Tensor) -> bool:
    """Whether every output pixel sees one input pixel, and all are seen."""
    return (
        weight.shape[2:] == (1, 1)
        and how.stride == (1, 1)
        and how.padding == (0, 0)
    )


def _rows(x: Tensor) -> Tensor:
    """Pixels as rows of channels."""
    return x.permute(0, 2, 3, 1).view(-1, x.shape[1])
