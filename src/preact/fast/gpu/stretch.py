"""Units of one shape in a row as one operation of fused kernels.

What is kept for the backward pass is what each BN reads, nothing else. The
statistics of a BN are taken while its input is written, by the convolution
in front of it, also across the border between two units.

Chapter `08-training`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, cast

import torch
from torch import Tensor, nn

from preact.fast.cpu.bn_relu import FastBNReLU
from preact.fast.gpu.launch import Launcher, Norm, statistics
from preact.fast.unit import FastUnit, Pair
from preact.nn.layers import ghosts, is_frozen
from preact.nn.network import chain
from preact.plan import BN_MOMENTUM


def chain_fused(units: Iterable[nn.Module], x: Tensor) -> Tensor:
    """Hand x_0 from unit to unit, those of one shape in one operation.

    A unit that somebody watches by a hook runs by itself.
    """
    every = cast(Iterable[FastUnit], units)
    for pairs, alike in groupby(every, lambda unit: unit.pairs):
        row = list(alike)
        training = row[0].training
        watched = any(unit._forward_hooks for unit in row)
        if not pairs or watched or (not training and torch.is_grad_enabled()):
            x = chain(row, x)
            continue
        if torch.is_autocast_enabled(x.device.type):
            x = x.to(torch.get_autocast_dtype(x.device.type))
        x = x.contiguous(memory_format=torch.channels_last)
        parameters = [p for unit in row for p in unit.parameters_of_branch()]
        if training:
            x = _Stretch.apply(row, x, *parameters)  # type: ignore[no-untyped-call]
        else:
            x = evaluated(row, x, parameters)
    return x


class Stacked:
    """What the units hold, stacked for each BN and convolution in turn.

    Attributes
    ----------
    weights, biases : list of (units, C) float32
        Of BN.
    kernels : list of (units, c_out, taps * c_in)
        In the dtype of the stream.
    """

    def __init__(
        self, pairs: Sequence[Pair], parameters: Sequence[Tensor], x: Tensor
    ) -> None:
        every = 3 * len(pairs)
        self.weights, self.biases, self.kernels = [], [], []
        for k in range(len(pairs)):
            weight, bias, kernel = (
                parameters[3 * k + i :: every] for i in range(3)
            )
            self.weights.append(torch.stack(tuple(weight)))
            self.biases.append(torch.stack(tuple(bias)))
            flat = [w.permute(0, 2, 3, 1).flatten(1) for w in kernel]
            self.kernels.append(torch.stack(flat).to(x.dtype))


def evaluated(
    units: Sequence[FastUnit], x: Tensor, parameters: Sequence[Tensor]
) -> Tensor:
    """Run units by their running statistics."""
    pairs = units[0].pairs
    stacked = Stacked(pairs, parameters, x)
    stats = [
        torch.stack(_running(units, k, "mean") + _running(units, k, "var"))
        .view(2, len(units), 1, -1)
        .transpose(0, 1)
        .contiguous()
        for k in range(len(pairs))
    ]
    launcher = Launcher(x, groups=1)
    for u in range(len(units)):
        z, last = x, len(pairs) - 1
        for k, pair in enumerate(pairs):
            norm = Norm(
                z, stats[k][u], stacked.weights[k][u], stacked.biases[k][u]
            )
            added = x if k == last else None
            z = launcher.forward(
                pair, norm, stacked.kernels[k][u], added, stats_y=None
            )
        x = z
    return x


class _Stretch(torch.autograd.Function):
    """From the input of the first unit to the output of the last."""

    @staticmethod
    def forward(
        ctx: Any, units: Sequence[FastUnit], x: Tensor, *parameters: Tensor
    ) -> Tensor:
        pairs = units[0].pairs
        stacked = Stacked(pairs, parameters, x)
        first = units[0].branch[0]
        assert isinstance(first, FastBNReLU)
        groups = ghosts(first.ghost_batch, len(x))
        launcher = Launcher(x, groups)
        stats = [
            torch.empty(
                len(units),
                2,
                groups,
                pair.c_in,
                dtype=torch.float32,
                device=x.device,
            )
            for pair in pairs
        ]
        stats[0][0] = statistics(x, groups)
        read, last = [], len(pairs) - 1
        for u in range(len(units)):
            z = x
            for k, pair in enumerate(pairs):
                read.append(z)
                norm = Norm(
                    z, stats[k][u], stacked.weights[k][u], stacked.biases[k][u]
                )
                # Of the BN that reads z next, in this unit or in the next one.
                after: Tensor | None = None
                if k < last:
                    after = stats[k + 1][u]
                elif u + 1 < len(units):
                    after = stats[0][u + 1]
                added = x if k == last else None
                z = launcher.forward(
                    pair, norm, stacked.kernels[k][u], added, after
                )
            x = z
        if not is_frozen():
            _move_running(units, stats, launcher.rows)
        ctx.pairs, ctx.launcher, ctx.units = pairs, launcher, len(units)
        ctx.save_for_backward(
            *read, *stats, *stacked.weights, *stacked.biases, *stacked.kernels
        )
        return x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        pairs, launcher, units = ctx.pairs, ctx.launcher, ctx.units
        n = len(pairs)
        saved = iter(ctx.saved_tensors)
        read = [[next(saved) for _ in pairs] for _ in range(units)]
        stats, weights, biases, kernels = (
            [next(saved) for _ in pairs] for _ in range(4)
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
            d, behind = g, cast(Norm | None, None)
            for k in reversed(range(n)):
                # In front of a product the gradient is wide: it is cheaper
                # to compute it again in `finish` than to write and read it.
                again = k == 0 and n > 1 and pairs[0].taps == 1
                dm = launcher.backward(
                    pairs[k],
                    d,
                    behind,
                    norms[k],
                    kernels[k][u],
                    views[k],
                    store=not again,
                )
                if dm is not None:
                    d, behind = dm, norms[k] if k else None
            g = launcher.finish(
                pairs[0], d, behind, norms[0], kernels[0][u], added=g
            )
            torch.sum(parts, 0, out=dkernels[u])
        found = _by_parameter(pairs, sums, dkernels.split(sizes, 1))
        return (None, g, *found)


def _by_parameter(
    pairs: Sequence[Pair], sums: Sequence[Tensor], dkernels: Sequence[Tensor]
) -> Iterator[Tensor]:
    """Gradients in the order of `FastUnit.parameters_of_branch`."""
    of_bn = [s.sum(2) for s in sums]
    for u in range(len(dkernels[0])):
        for k, pair in enumerate(pairs):
            dbias, dweight = of_bn[k][u]
            side = 3 if pair.taps == 9 else 1
            dkernel = dkernels[k][u].view(pair.c_out, side, side, pair.c_in)
            yield dweight
            yield dbias
            yield dkernel.permute(0, 3, 1, 2)


def _running(units: Sequence[FastUnit], k: int, what: str) -> list[Tensor]:
    """Running means or variances of the units' k-th BN."""
    name = f"running_{what}"
    return [getattr(unit.branch[2 * k], name) for unit in units]


@torch.no_grad()
def _move_running(
    units: Sequence[FastUnit], stats: Sequence[Tensor], rows: int
) -> None:
    """Move running statistics toward the mean over the ghost batches."""
    for k, of_bn in enumerate(stats):
        mean, var = of_bn.mean(2).unbind(1)
        var = var * (rows / (rows - 1))
        for what, new in (("mean", mean), ("var", var)):
            torch._foreach_lerp_(
                _running(units, k, what), list(new.unbind(0)), BN_MOMENTUM
            )
