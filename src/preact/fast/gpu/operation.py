"""Units of one shape in a row as one operation of fused kernels.

What is kept for the backward pass is what each BN reads, nothing else. The
statistics of a BN are taken while its input is written, by the convolution
in front of it, also across the border between two units.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from preact.fast.branch import Branch
from preact.fast.eager import is_batched
from preact.fast.gpu.launch import BnReluConv, Launcher, Norm, statistics
from preact.fast.operation import Seen, gradients, normalize
from preact.plan import BN_EPS


class Way(NamedTuple):
    """What units must have in common to be one operation."""

    convs: tuple[BnReluConv, ...]
    training: bool
    ghost_batch: int | None
    momentum: float


class StackedParameters:
    """What the units hold, stacked for each BN and convolution in turn.

    Attributes
    ----------
    weights, biases : list of (units, C) float32
        Of BN.
    kernels : list of (units, c_out, taps * c_in)
        In the dtype of the stream.
    """

    def __init__(
        self,
        convs: Sequence[BnReluConv],
        parameters: Sequence[Tensor],
        x: Tensor,
    ) -> None:
        step = 3 * len(convs)
        self.weights, self.biases, self.kernels = [], [], []
        for k in range(len(convs)):
            weight, bias, kernel = (
                parameters[3 * k + i :: step] for i in range(3)
            )
            self.weights.append(torch.stack(tuple(weight)))
            self.biases.append(torch.stack(tuple(bias)))
            flat = [w.permute(0, 2, 3, 1).flatten(1) for w in kernel]
            self.kernels.append(torch.stack(flat).to(x.dtype))


def evaluated(
    way: Way,
    branches: Sequence[Branch],
    x: Tensor,
    parameters: Sequence[Tensor],
) -> Tensor:
    """Run units by their running statistics."""
    n, last = len(branches), len(way.convs) - 1
    stacked = StackedParameters(way.convs, parameters, x)
    stats = [
        torch.stack(
            _running(branches, k, "mean") + _running(branches, k, "var")
        )
        .view(2, n, 1, -1)
        .transpose(0, 1)
        .contiguous()
        for k in range(len(way.convs))
    ]
    launcher = Launcher(x, groups=1)
    for u in range(n):
        z = x
        for k, conv in enumerate(way.convs):
            norm = Norm(
                z, stats[k][u], stacked.weights[k][u], stacked.biases[k][u]
            )
            added = x if k == last else None
            z = launcher.forward(
                conv, norm, stacked.kernels[k][u], added, stats_y=None
            )
        x = z
    return x


class UnitRun(torch.autograd.Function):
    """From the input of the first unit to the output of the last."""

    @staticmethod
    def forward(
        ctx: Any,
        way: Way,
        branches: Sequence[Branch],
        x: Tensor,
        *parameters: Tensor,
    ) -> Tensor:
        convs, units = way.convs, len(branches)
        stacked = StackedParameters(convs, parameters, x)
        groups = branches[0].bns[0].count_ghosts(x.shape)
        launcher = Launcher(x, groups)
        stats = [
            torch.empty(
                units,
                2,
                groups,
                conv.c_in,
                dtype=torch.float32,
                device=x.device,
            )
            for conv in convs
        ]
        stats[0][0] = statistics(x, groups)
        read, last = [], len(convs) - 1
        for u in range(units):
            z = x
            for k, conv in enumerate(convs):
                read.append(z)
                norm = Norm(
                    z, stats[k][u], stacked.weights[k][u], stacked.biases[k][u]
                )
                # Of the BN that reads z next, in this unit or in the next one.
                next_stats: Tensor | None = None
                if k < last:
                    next_stats = stats[k + 1][u]
                elif u + 1 < units:
                    next_stats = stats[0][u + 1]
                added = x if k == last else None
                z = launcher.forward(
                    conv, norm, stacked.kernels[k][u], added, next_stats
                )
            x = z
        _move_running(branches, stats, launcher.rows, way.momentum)
        ctx.way, ctx.launcher, ctx.units = way, launcher, units
        ctx.save_for_backward(
            *read,
            *stats,
            *stacked.weights,
            *stacked.biases,
            *stacked.kernels,
            *parameters,
        )
        return x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        way, launcher, units = ctx.way, ctx.launcher, ctx.units
        convs = way.convs
        # Where gradients of these gradients are wanted, or many at once.
        if torch.is_grad_enabled() or is_batched(grads[0]):
            return (None, None, *_differentiably(ctx, grads[0]))
        n = len(convs)
        saved = iter(ctx.saved_tensors)
        read = [[next(saved) for _ in convs] for _ in range(units)]
        stats, weights, biases, kernels = (
            [next(saved) for _ in convs] for _ in range(4)
        )
        sums = [torch.empty_like(s) for s in stats]
        sizes = [kernel[0].numel() for kernel in kernels]
        parts = launcher.parts(sum(sizes))
        dkernels = parts.new_empty(units, sum(sizes))
        views = parts.split(sizes, 1)
        g = grads[0].contiguous(memory_format=torch.channels_last)
        for u in reversed(range(units)):
            norms = [
                Norm(
                    read[u][k],
                    stats[k][u],
                    weights[k][u],
                    biases[k][u],
                    sums[k][u],
                )
                for k in range(n)
            ]
            d, next_bn = g, cast(Norm | None, None)
            for k in reversed(range(n)):
                # In front of a product the gradient is wide: it is cheaper
                # to compute it again in `finish` than to write and read it.
                again = k == 0 and n > 1 and convs[0].taps == 1
                dm = launcher.backward(
                    convs[k],
                    d,
                    next_bn,
                    norms[k],
                    kernels[k][u],
                    views[k],
                    store=not again,
                )
                if dm is not None:
                    d, next_bn = dm, norms[k] if k else None
            g = launcher.finish(
                convs[0], d, next_bn, norms[0], kernels[0][u], added=g
            )
            torch.sum(parts, 0, out=dkernels[u])
        by_parameter = _by_parameter(convs, sums, dkernels.split(sizes, 1))
        return (None, None, g, *by_parameter)


def _differentiably(ctx: Any, dy: Tensor) -> list[Tensor | None]:
    """Gradients as differentiable functions of input and parameters."""
    convs, groups = ctx.way.convs, ctx.launcher.groups
    saved = ctx.saved_tensors
    x, parameters = saved[0], saved[-3 * len(convs) * ctx.units :]
    left, stream = iter(parameters), x
    with torch.enable_grad():
        for _ in range(ctx.units):
            z = stream
            for conv in convs:
                weight, bias, kernel = next(left), next(left), next(left)
                seen = Seen(groups, BN_EPS)
                a = normalize(z, weight, bias, seen).relu()
                z = torch.nn.functional.conv2d(
                    a, kernel.to(a.dtype), padding=int(conv.taps == 9)
                )
            stream = stream + z
    return gradients(stream, [x, *parameters], dy)


def _by_parameter(
    convs: Sequence[BnReluConv],
    sums: Sequence[Tensor],
    dkernels: Sequence[Tensor],
) -> Iterator[Tensor]:
    """Gradients in the order of `Branch.parameters`."""
    of_bn = [s.sum(2) for s in sums]
    for u in range(len(dkernels[0])):
        for k, conv in enumerate(convs):
            dbias, dweight = of_bn[k][u]
            side = 3 if conv.taps == 9 else 1
            dkernel = dkernels[k][u].view(conv.c_out, side, side, conv.c_in)
            yield dweight
            yield dbias
            yield dkernel.permute(0, 3, 1, 2)


def _running(branches: Sequence[Branch], k: int, what: str) -> list[Tensor]:
    """Running means or variances of the units' k-th BN."""
    name = f"running_{what}"
    return [getattr(branch.bns[k], name) for branch in branches]


@torch.no_grad()
def _move_running(
    branches: Sequence[Branch],
    stats: Sequence[Tensor],
    rows: int,
    momentum: float,
) -> None:
    """Move running statistics toward the mean over the ghost batches."""
    for k, of_bn in enumerate(stats):
        mean, var = of_bn.mean(2).unbind(1)
        var = var * (rows / (rows - 1))
        for what, new in (("mean", mean), ("var", var)):
            torch._foreach_lerp_(
                _running(branches, k, what), list(new.unbind(0)), momentum
            )
