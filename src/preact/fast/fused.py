"""A unit's branch as one operation: C kernels, and oneDNN's convolutions.

Kept for the backward pass are what each BN reads and, only where memory is to
be spent, what each convolution reads; else that is computed again.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.fast.bn_relu import (
    MOST_CHANNELS,
    Seen,
    bn_relu_again,
    bn_relu_backward,
    bn_relu_eval,
    bn_relu_forward,
)
from preact.fast.branch import Branch, call_unit, run_unit
from preact.fast.build import kernels
from preact.fast.eager import is_batched
from preact.fast.memory import gradients, normalize

# oneDNN's convolution that adds on its way out; better than a product of
# matrices where the result is larger than a core's cache.
CONVOLVE_AND_ADD = getattr(
    getattr(torch.ops.mkldnn, "_convolution_pointwise", None), "binary", None
)
LARGE = 1_000_000  # numbers
Buffers = dict[torch.Size, Tensor]


class Convolution(NamedTuple):
    """How a convolution was set."""

    stride: Any
    padding: Any
    dilation: Any


def run_fused(units: Sequence[nn.Module], x: Tensor, keep: bool) -> Tensor:
    """Run units one by one, each branch by the C kernels if they can.

    Parameters
    ----------
    keep : bool
        Whether outputs of BN-ReLU are kept; else they pass through one
        buffer, which stays in the processor's cache.
    """
    buffers: Buffers = {}

    def compute(branch: Branch, a: Tensor) -> Tensor | None:
        if not _can_run(branch, a):
            return None
        if branch.training:
            return _Operation.apply(  # type: ignore[no-any-return,no-untyped-call]
                branch, None if keep else buffers, a, *branch.parameters
            )
        # What a BN in evaluation keeps for a backward pass, PyTorch knows.
        if torch.is_grad_enabled():
            return None
        return _evaluate(branch, a, buffers)

    for unit in units:
        x = call_unit(unit, x, lambda unit, x: run_unit(unit, x, compute))
    return x


def can_read(device: torch.device, dtype: torch.dtype) -> bool:
    """Whether the C kernels are there and read what is laid out anew."""
    return (
        device.type == "cpu"
        and dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and kernels() is not None
    )


def _can_run(branch: Branch, x: Tensor) -> bool:
    """Whether the C kernels can compute a branch of x."""
    if not _is_float32(x) or not x.is_contiguous(
        memory_format=torch.channels_last
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
        type(t) in (Tensor, nn.Parameter)
        and t.dtype is torch.float32  # type: ignore[union-attr]
        and t.device.type == "cpu"  # type: ignore[union-attr]
        and t.layout is torch.strided  # type: ignore[union-attr]
    )


class _Operation(torch.autograd.Function):
    """The segments of a branch in a row, in training."""

    @staticmethod
    def forward(
        ctx: Any,
        branch: Branch,
        buffers: Buffers | None,
        x: Tensor,
        *params: Tensor,
    ) -> Tensor:
        last = len(branch.segments) - 1
        z, read, kept = x, [], []
        seen: list[Seen | None] = []
        hows = []
        for i, (bn, conv) in enumerate(branch.segments):
            read.append(z)
            a, found = z, None
            if bn is not None:
                a = _buffer(buffers, z)
                found = bn_relu_forward(bn, z, a)
                if buffers is None:
                    kept.append(a)
            seen.append(found)
            hows.append(_how(conv))
            added = x if i == last and branch.adds_input else None
            z = convolve(hows[i], a, conv.weight, added)
        ctx.adds_input, ctx.hows, ctx.seen = branch.adds_input, hows, seen
        ctx.counts = len(read), len(kept)
        ctx.save_for_backward(*read, *kept, *params)
        return z

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        saved = list(ctx.saved_tensors)
        n, m = ctx.counts
        read, kept, params = saved[:n], saved[n : n + m], saved[n + m :]
        # Where gradients of these gradients are wanted, or many at once.
        if torch.is_grad_enabled() or is_batched(grads[0]):
            return (
                None,
                None,
                *_differentiably(ctx, read[0], params, grads[0]),
            )
        dy = d = _channels_last(grads[0])
        dparams: list[Tensor] = []
        for how, seen in zip(
            reversed(ctx.hows), reversed(ctx.seen), strict=True
        ):
            z, weight = read.pop(), params.pop()
            if seen is None:
                d, dweight = convolve_backward(how, d, z, weight)
                dparams.insert(0, dweight)
                continue
            bias, scale = params.pop(), params.pop()
            a = kept.pop() if kept else bn_relu_again(z, scale, bias, seen)
            d, dweight = convolve_backward(how, d, a, weight)
            shortcut = dy if ctx.adds_input and not read else None
            dscale, dbias = bn_relu_backward(d, z, scale, bias, seen, shortcut)
            dparams[:0] = dscale, dbias, dweight
        if ctx.adds_input and ctx.seen[0] is None:
            d = d + dy
        return (None, None, d, *dparams)


def _differentiably(
    ctx: Any, x: Tensor, params: Sequence[Tensor], dy: Tensor
) -> list[Tensor | None]:
    """Gradients of x and params as differentiable functions of them."""
    z, left = x, list(params)
    with torch.enable_grad():
        for how, seen in zip(ctx.hows, ctx.seen, strict=True):
            if seen is not None:
                scale, bias = left.pop(0), left.pop(0)
                z = normalize(z, scale, bias, seen.groups, seen.eps).relu()
            z = nnf.conv2d(z, left.pop(0), None, *how)
        if ctx.adds_input:
            z = z + x
    return gradients(z, [x, *params], dy)


def _evaluate(branch: Branch, x: Tensor, buffers: Buffers) -> Tensor:
    """Compute a branch by its running statistics, without gradients."""
    z, last = x, len(branch.segments) - 1
    for i, (bn, conv) in enumerate(branch.segments):
        a = z
        if bn is not None:
            a = bn_relu_eval(bn, z, _buffer(buffers, x) if z is x else z)
        added = x if i == last and branch.adds_input else None
        z = convolve(_how(conv), a, conv.weight, added)
    return z


def convolve(
    how: Convolution, a: Tensor, weight: Tensor, added: Tensor | None
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
        places = how.padding, how.stride, how.dilation
        return CONVOLVE_AND_ADD(  # type: ignore[no-any-return]
            a, added, weight, None, *places, 1, "add", 1.0, None, [], None
        )
    if not _is_product(how, weight):
        y = _channels_last(nnf.conv2d(a, weight, None, *how))
        return y if added is None else y.add_(added)
    n, _, height, width = a.shape
    y = a.new_empty(n, height, width, weight.shape[0])
    rows, matrix = _rows(a), weight.flatten(1).t()
    out = y.view(-1, weight.shape[0])
    if added is None:
        torch.mm(rows, matrix, out=out)
    else:
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
        dy, a, weight, None, *how, False, [0, 0], 1, [True, True, False]
    )
    return _channels_last(da), dweight


def _is_product(how: Convolution, weight: Tensor) -> bool:
    """Whether every output pixel sees one input pixel, and all are seen."""
    return (
        weight.shape[2:] == (1, 1)
        and how.stride == (1, 1)
        and how.padding == (0, 0)
    )


def _how(conv: nn.Conv2d) -> Convolution:
    """Note how a convolution is set."""
    return Convolution(conv.stride, conv.padding, conv.dilation)


def _buffer(buffers: Buffers | None, z: Tensor) -> Tensor:
    """Room for something of z's shape, shared if it is read at once."""
    if buffers is None:
        return torch.empty_like(z)
    if z.shape not in buffers:
        buffers[z.shape] = torch.empty_like(z)
    return buffers[z.shape]


def _rows(x: Tensor) -> Tensor:
    """Pixels as rows of channels."""
    return x.permute(0, 2, 3, 1).view(-1, x.shape[1])


def _channels_last(t: Tensor) -> Tensor:
    """Lay t out with channels last; almost always it is already."""
    return t.contiguous(memory_format=torch.channels_last)
