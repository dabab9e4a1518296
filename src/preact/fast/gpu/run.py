"""A unit as one operation of fused kernels.

What is kept for the backward pass is what each BN reads, nothing else. The
statistics of a BN are taken while its input is written, by the convolution
in front of it, also across the border between two units.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from preact.fast.branch import Branch, branch_of
from preact.fast.eager import is_plain
from preact.fast.gpu.launch import BnReluConv, Launcher, Norm, statistics
from preact.fast.memory import run_plain
from preact.nn.layers import BatchNorm
from preact.plan import BN_EPS

# Of one tap, by taps: a gradient of theirs must fit into registers.
MOST_WEIGHTS = {1: 256 * 64, 9: 64 * 64}


def run_fused(units: Sequence[nn.Module], x: Tensor, keep: bool) -> Tensor:
    """Hand x_0 from unit to unit, those in training in one operation each.

    A unit that somebody watches by a hook, or that is not what the kernels
    compute, runs by PyTorch.
    """
    launcher: Launcher | None = None
    stats: Tensor | None = None  # of x, if the unit before has taken them
    for unit in units:
        dtype = _dtype(x)
        branch = branch_of(unit, x.shape[1]) if is_plain(unit) else None
        convs = _convs(branch, x.device, dtype)
        if branch is None or convs is None:
            x, stats = run_plain([unit], x, keep), None
            continue
        x = x.to(dtype).contiguous(memory_format=torch.channels_last)
        groups = branch.bns[0].count_ghosts(x.shape)
        if launcher is None or (launcher.shape, launcher.groups) != (
            x.shape,
            groups,
        ):
            launcher, stats = Launcher(x, groups), None
        if stats is None:
            stats = statistics(x, groups)
        x, stats = _UnitOperation.apply(  # type: ignore[no-untyped-call]
            launcher, branch, convs, x, stats, *branch.parameters
        )
    return x


def _dtype(x: Tensor) -> torch.dtype:
    """The dtype to compute in."""
    device = x.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return x.dtype


def _convs(
    branch: Branch | None, device: torch.device, dtype: torch.dtype
) -> list[BnReluConv] | None:
    """A branch's convolutions; None if the kernels cannot run it."""
    if branch is None or not branch.adds_input or not branch.training:
        return None
    convs = [_conv(bn, conv) for bn, conv in branch.segments]
    buffers = [b for bn in branch.bns for b in bn.buffers()]
    if len({bn.ghost_batch for bn in branch.bns}) > 1 or any(
        t.device != device or t.dtype not in (torch.float32, dtype)
        for t in (*branch.parameters, *buffers)
    ):
        return None
    found = [conv for conv in convs if conv is not None]
    return found if len(found) == len(convs) else None


def _conv(bn: BatchNorm | None, conv: nn.Conv2d) -> BnReluConv | None:
    """What the kernels need to know, if they can do the two."""
    c_out, c_in, *side = conv.weight.shape
    taps = side[0] * side[1]
    if (
        bn is None
        or bn.eps != BN_EPS
        or side not in ([1, 1], [3, 3])
        or conv.dilation != (1, 1)
        or c_in * c_out > MOST_WEIGHTS[taps]
        or any(c < 16 or c & (c - 1) for c in (c_in, c_out))
    ):
        return None
    return BnReluConv(taps, c_in, c_out)


class _UnitOperation(torch.autograd.Function):
    """From a unit's input, and its statistics, to its output and its own."""

    @staticmethod
    def forward(
        ctx: Any,
        launcher: Launcher,
        branch: Branch,
        convs: list[BnReluConv],
        x: Tensor,
        stats: Tensor,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor]:
        weights, biases = parameters[::3], parameters[1::3]
        kernels = [
            w.permute(0, 2, 3, 1).flatten(1).to(x.dtype).contiguous()
            for w in parameters[2::3]
        ]
        read: list[Tensor] = []
        taken: list[Tensor] = []
        z, last = x, len(convs) - 1
        for k, conv in enumerate(convs):
            read.append(z)
            taken.append(stats)
            norm = Norm(z, stats, weights[k], biases[k])
            added = x if k == last else None
            z, stats = launcher.forward(conv, norm, kernels[k], added)
        with torch.no_grad():
            for bn, (mean, var) in zip(branch.bns, taken, strict=True):
                var = var.mean(0) * (launcher.rows / (launcher.rows - 1))
                assert bn.running_mean is not None
                assert bn.running_var is not None
                bn.running_mean.lerp_(mean.mean(0), bn.momentum or 0.0)
                bn.running_var.lerp_(var, bn.momentum or 0.0)
        ctx.launcher, ctx.convs = launcher, convs
        ctx.save_for_backward(*read, *taken, *weights, *biases, *kernels)
        ctx.mark_non_differentiable(stats)
        return z, stats

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        launcher, convs = ctx.launcher, ctx.convs
        n = len(convs)
        saved = ctx.saved_tensors
        read, taken, weights, biases, kernels = (
            saved[i * n : (i + 1) * n] for i in range(5)
        )
        g = d = grads[0].contiguous(memory_format=torch.channels_last)
        by_parameter: list[Tensor] = []
        for k in reversed(range(n)):
            norm = Norm(read[k], taken[k], weights[k], biases[k])
            added = None if k else g
            d, sums, dkernel = launcher.backward(
                convs[k], d, norm, kernels[k], added
            )
            dbias, dweight = sums.sum(1)
            side = 3 if convs[k].taps == 9 else 1
            dkernel = dkernel.view(-1, side, side, convs[k].c_in)
            by_parameter[:0] = dweight, dbias, dkernel.permute(0, 3, 1, 2)
        return (None, None, None, d, None, *by_parameter)
