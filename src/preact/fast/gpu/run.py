"""Which units in a row are one operation, and which run by themselves."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from preact.fast.branch import Branch, branch_of, call_unit
from preact.fast.eager import is_plain
from preact.fast.gpu.launch import BnReluConv
from preact.fast.gpu.operation import UnitRun, Way, evaluated
from preact.fast.plain import run_plain
from preact.nn.layers import BatchNorm
from preact.plan import BN_EPS

# Of one tap, by taps: a gradient of theirs must fit into registers.
MOST_WEIGHTS = {1: 256 * 64, 9: 64 * 64}


def run_fused(units: Sequence[nn.Module], x: Tensor, keep: bool) -> Tensor:
    """Hand x_0 from unit to unit, those of one shape in one operation.

    A unit that somebody watches by a hook runs by itself; one that is not
    what the kernels compute, by PyTorch.
    """
    alike: list[Branch] = []  # all of one way
    way: Way | None = None
    for unit in units:
        # Units that wait to be run leave x's shape as it is.
        branch, its_way = _how_to_run(unit, x)
        waits = its_way is not None and is_plain(unit)
        if way is not None and alike and not (waits and its_way == way):
            x, alike = _run_alike(way, alike, x), []
        if waits and branch is not None:
            alike.append(branch)
            way = its_way
        elif its_way is None:
            x = run_plain([unit], x, keep)
        else:
            x = call_unit(unit, x, _run_one)
    return _run_alike(way, alike, x) if way and alike else x


def _run_one(unit: nn.Module, x: Tensor) -> Tensor:
    """Run a unit by itself."""
    branch, way = _how_to_run(unit, x)
    if branch is None or way is None:
        return unit.forward(x)  # type: ignore[no-any-return]
    return _run_alike(way, [branch], x)


def _how_to_run(
    unit: nn.Module, x: Tensor
) -> tuple[Branch | None, Way | None]:
    """Find a unit's branch and how the kernels would run it."""
    branch = branch_of(unit, x.shape[1])
    return branch, _way(branch, x.device, _dtype(x))


def _dtype(x: Tensor) -> torch.dtype:
    """The dtype to compute in."""
    device = x.device.type
    if torch.is_autocast_enabled(device):
        return torch.get_autocast_dtype(device)
    return x.dtype


def _way(
    branch: Branch | None, device: torch.device, dtype: torch.dtype
) -> Way | None:
    """How the kernels would run a branch; None if they cannot."""
    if branch is None or not branch.adds_input:
        return None
    if not branch.training and torch.is_grad_enabled():
        return None
    bns, convs = branch.bns, []
    for bn, conv in branch.segments:
        kernel = _kernel_of(bn, conv)
        if kernel is None:
            return None
        convs.append(kernel)
    settings = {(bn.eps, bn.ghost_batch, bn.momentum) for bn in bns}
    if len(settings) > 1:
        return None
    eps, ghost_batch, momentum = settings.pop()
    tensors = [*branch.parameters]
    for bn in bns:
        tensors += [b for b in bn._buffers.values() if b is not None]
    if eps != BN_EPS or any(
        t.device != device or t.dtype not in (torch.float32, dtype)
        for t in tensors
    ):
        return None
    return Way(tuple(convs), branch.training, ghost_batch, momentum or 0.0)


def _kernel_of(bn: BatchNorm | None, conv: nn.Conv2d) -> BnReluConv | None:
    """What the kernels need to know, if they can do the two."""
    c_out, c_in, *side = conv.weight.shape
    taps = side[0] * side[1]
    if (
        bn is None
        or side not in ([1, 1], [3, 3])
        or conv.dilation != (1, 1)
        or c_in * c_out > MOST_WEIGHTS[taps]
        or any(c < 16 or c & (c - 1) for c in (c_in, c_out))
    ):
        return None
    return BnReluConv(taps, c_in, c_out)


def _run_alike(way: Way, branches: Sequence[Branch], x: Tensor) -> Tensor:
    """Run units of one way in one operation."""
    x = x.to(_dtype(x)).contiguous(memory_format=torch.channels_last)
    parameters = [p for branch in branches for p in branch.parameters]
    if way.training:
        return UnitRun.apply(way, branches, x, *parameters)  # type: ignore[no-any-return,no-untyped-call]
    return evaluated(way, branches, x, parameters)
