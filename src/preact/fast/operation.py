"""A unit's branch as one operation of autograd: what it keeps, how to undo it.

Kept are what each BN reads and, only where memory is to be spent, what each
convolution reads; else that is computed again in the backward pass.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from preact.fast.branch import Branch
from preact.fast.eager import is_batched
from preact.nn.layers import BatchNorm, batch_norm_ghosts

# From the gradient of relu(bn(z)), and one that reaches z by another way, to
# those of z, weight and bias.
Undo = Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor, Tensor]]


class Seen(NamedTuple):
    """A BN at work: how it was set, and mean and 1/deviation it found.

    The two are (groups * C,), and None if they are to be computed again.
    """

    groups: int
    eps: float
    mean: Tensor | None = None
    rstd: Tensor | None = None


class Convolution(NamedTuple):
    """How a convolution was set, and the dtype that it computed in."""

    stride: Any
    padding: Any
    dilation: Any
    dtype: torch.dtype


class Kernels(Protocol):
    """One way of computing the parts."""

    def bn_relu(self, bn: BatchNorm, z: Tensor) -> tuple[Tensor, Seen]:
        """Return relu(bn(z)) in training; move the running statistics."""

    def repeat(
        self,
        z: Tensor,
        weight: Tensor,
        bias: Tensor,
        seen: Seen,
        a: Tensor | None,
    ) -> tuple[Tensor, Undo]:
        """Return relu(bn(z)), a if that was kept, and how to undo it."""

    def convolve(
        self, how: Convolution, a: Tensor, weight: Tensor, x: Tensor | None
    ) -> Tensor:
        """Convolve a, and add x."""

    def convolve_backward(
        self, how: Convolution, dy: Tensor, a: Tensor, weight: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the gradients of a and of the weight."""


def run_branch(
    branch: Branch, kernels: Kernels, x: Tensor, *, keep: bool
) -> Tensor:
    """Compute a branch in training mode, x added if it adds its input."""
    return _Operation.apply(branch, kernels, keep, x, *branch.parameters)  # type: ignore[no-any-return,no-untyped-call]


class _Operation(torch.autograd.Function):
    """The segments of a branch in a row."""

    @staticmethod
    def forward(
        ctx: Any,
        branch: Branch,
        kernels: Kernels,
        keep: bool,
        x: Tensor,
        *params: Tensor,
    ) -> Tensor:
        last = len(branch.segments) - 1
        z, read, kept = x, [], []
        seen: list[Seen | None] = []
        how = []
        for i, (bn, conv) in enumerate(branch.segments):
            read.append(z)
            a, found = z, None
            if bn is not None:
                a, found = kernels.bn_relu(bn, z)
                if keep:
                    kept.append(a)
            seen.append(found)
            how.append(how_to_convolve(conv, a))
            added = x if i == last and branch.adds_input else None
            z = kernels.convolve(how[i], a, conv.weight, added)
        ctx.kernels, ctx.adds_input = kernels, branch.adds_input
        ctx.how, ctx.seen, ctx.has_kept = how, seen, keep
        ctx.counts = len(read), len(kept)
        ctx.save_for_backward(*read, *kept, *params)
        return z

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        kernels, saved = ctx.kernels, list(ctx.saved_tensors)
        n, m = ctx.counts
        read, kept, params = saved[:n], saved[n : n + m], saved[n + m :]
        # Where gradients of these gradients are wanted, or many at once.
        if torch.is_grad_enabled() or is_batched(grads[0]):
            out = _differentiably(ctx, read[0], params, grads[0])
            return (None, None, None, *out)
        dy = d = grads[0]
        dparams: list[Tensor] = []
        for how, seen in zip(
            reversed(ctx.how), reversed(ctx.seen), strict=True
        ):
            z, weight = read.pop(), params.pop()
            if seen is None:
                d, dweight = kernels.convolve_backward(how, d, z, weight)
                dparams.insert(0, dweight)
                continue
            bias, scale = params.pop(), params.pop()
            a = kept.pop() if kept else None
            a, undo = kernels.repeat(z, scale, bias, seen, a)
            d, dweight = kernels.convolve_backward(how, d, a, weight)
            shortcut = dy if ctx.adds_input and not read else None
            d, dscale, dbias = undo(d, shortcut)
            dparams[:0] = dscale, dbias, dweight
        if ctx.adds_input and ctx.seen[0] is None:
            d = d + dy
        return (None, None, None, d, *dparams)


def _differentiably(
    ctx: Any, x: Tensor, params: Sequence[Tensor], dy: Tensor
) -> list[Tensor | None]:
    """Gradients of x and params as differentiable functions of them."""
    z, left = x, list(params)
    with torch.enable_grad():
        for how, seen in zip(ctx.how, ctx.seen, strict=True):
            if seen is not None:
                z = normalize(z, left.pop(0), left.pop(0), seen).relu()
            z = convolve(how, z, left.pop(0))
        if ctx.adds_input:
            z = z + x
    return gradients(z, [x, *params], dy)


def gradients(
    y: Tensor, inputs: Sequence[Tensor], dy: Tensor
) -> list[Tensor | None]:
    """Gradients, differentiable if those are recorded; None for no need."""
    wanted = [t for t in inputs if t.requires_grad]
    gradients = iter(
        torch.autograd.grad(
            y, wanted, dy, create_graph=torch.is_grad_enabled()
        )
    )
    return [next(gradients) if t.requires_grad else None for t in inputs]


def normalize(z: Tensor, weight: Tensor, bias: Tensor, seen: Seen) -> Tensor:
    """bn(z) once more, by PyTorch; running statistics stay."""
    if seen.groups > 1:
        return batch_norm_ghosts(z, weight, bias, seen.groups, seen.eps)
    return torch.nn.functional.batch_norm(
        z, None, None, weight, bias, True, 0.0, seen.eps
    )


def convolve(how: Convolution, a: Tensor, weight: Tensor) -> Tensor:
    """Convolve by PyTorch."""
    return torch.nn.functional.conv2d(
        a.to(how.dtype),
        weight.to(how.dtype),
        None,
        how.stride,
        how.padding,
        how.dilation,
    )


def how_to_convolve(conv: nn.Conv2d, a: Tensor) -> Convolution:
    """Note how a convolution of a is to be done."""
    dtype, device = a.dtype, a.device.type
    if torch.is_autocast_enabled(device):
        dtype = torch.get_autocast_dtype(device)
    return Convolution(conv.stride, conv.padding, conv.dilation, dtype)
