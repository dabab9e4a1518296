"""The part of a unit that one operation can compute: BN, ReLU, convolution.

It is looked for at every call: nothing is remembered, so nothing can be
outdated. A thousand layers are looked through in some milliseconds.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from preact.fast.eager import is_plain, is_watched
from preact.nn.layers import BatchNorm
from preact.nn.unit import Times, Unit

EMPTY = ("post", "after", "gate", "shortcut")  # in a unit that adds x itself


class BnReluConv(NamedTuple):
    """A convolution and the BN-ReLU in front of it, if there is one."""

    bn: BatchNorm | None
    conv: nn.Conv2d


class Branch(NamedTuple):
    """What one operation can compute of a unit.

    Parameters
    ----------
    segments : tuple of BnReluConv
        In order; at least one has a BN.
    has_pre : bool
        Whether it begins with `pre`; else with `weights`, behind `pre`.
    adds_input : bool
        Whether the unit's output is this branch plus the unit's input.
    training : bool
        Of all BNs.
    """

    segments: tuple[BnReluConv, ...]
    has_pre: bool
    adds_input: bool
    training: bool

    @property
    def parameters(self) -> list[Tensor]:
        """Weight and bias of BN, weight of convolution, by segment."""
        out: list[Tensor] = []
        for bn, conv in self.segments:
            if bn is not None:
                own = bn._parameters
                out += own["weight"], own["bias"]  # type: ignore[arg-type]
            out.append(conv._parameters["weight"])  # type: ignore[arg-type]
        return out


def branch_of(unit: nn.Module, channels: int) -> Branch | None:
    """Find the branch of a unit that reads x with so many channels.

    None if any module in it is another class, computes more than its class
    does, or does not fit its neighbors: the unit's own forward then does it,
    or says what is wrong. Hooks of the unit itself are `call_unit`'s.
    """
    if type(unit) is not Unit:
        return None
    own: dict[str, Any] = unit._modules
    weights = _layers(own["weights"])
    pre = None if unit.tap_after_pre else _layers(own["pre"])
    if weights is None:
        return None
    segments = None if pre is None else _segments([*pre, *weights], channels)
    has_pre = segments is not None
    if segments is None:
        segments = _segments(weights, None)
    if not segments:
        return None
    states = {bn.training for bn, _ in segments if bn is not None}
    if len(states) != 1:
        return None
    adds_input = (
        has_pre
        and _keeps_shape(segments, channels)
        and all(_layers(own[name]) == () for name in EMPTY)
        and _is_one(own["on_shortcut"])
        and _is_one(own["on_branch"])
    )
    return Branch(tuple(segments), has_pre, adds_input, states.pop())


def _layers(sequence: nn.Module) -> tuple[nn.Module, ...] | None:
    """What a plain Sequential runs; None if it is anything else."""
    if type(sequence) is not nn.Sequential or not is_plain(sequence):
        return None
    return tuple(sequence._modules.values())


def _is_one(factor: nn.Module) -> bool:
    """Whether a factor of Table 1 is 1."""
    return type(factor) is Times and factor.value == 1.0 and is_plain(factor)


def _segments(
    layers: Iterable[nn.Module], channels: int | None
) -> list[BnReluConv] | None:
    """Layers as BN-ReLU-convolutions that fit each other; None if not all."""
    segments: list[BnReluConv] = []
    bn: BatchNorm | None = None
    has_relu = True
    for layer in layers:
        kind = type(layer)
        if not is_plain(layer):
            return None
        if kind is BatchNorm and bn is None and channels is not None:
            if not _is_bn_of(layer, channels):  # type: ignore[arg-type]
                return None
            bn, has_relu = layer, False  # type: ignore[assignment]
        elif kind is nn.ReLU and not has_relu:
            has_relu = True
        elif kind is nn.Conv2d and has_relu:
            channels = _channels_out(layer, channels)  # type: ignore[arg-type]
            if channels is None:
                return None
            segments.append(BnReluConv(bn, layer))  # type: ignore[arg-type]
            bn = None
        else:
            return None
    return segments if bn is None else None


def _is_bn_of(bn: BatchNorm, channels: int) -> bool:
    """Whether a BN has its four tensors, for so many channels."""
    weight, buffers = bn._parameters.get("weight"), bn._buffers
    return (
        weight is not None
        and bn._parameters.get("bias") is not None
        and buffers.get("running_mean") is not None
        and buffers.get("running_var") is not None
        and bn.track_running_stats
        and bn.momentum is not None
        and weight.shape[0] == channels
    )


def _channels_out(conv: nn.Conv2d, channels: int | None) -> int | None:
    """What a convolution gives; None if it is not a simple one."""
    weight = conv._parameters.get("weight")
    if (
        weight is None
        or conv._parameters.get("bias") is not None
        or conv.groups != 1
        or conv.padding_mode != "zeros"
        or isinstance(conv.padding, str)
        or channels not in (None, weight.shape[1])
    ):
        return None
    return weight.shape[0]


def _keeps_shape(segments: list[BnReluConv], channels: int) -> bool:
    """Whether what comes out has the shape of what goes in."""
    for _, conv in segments:
        if conv.stride != (1, 1):
            return False
        for side in (0, 1):
            reach = conv.dilation[side] * (conv.weight.shape[2 + side] - 1)
            if 2 * int(conv.padding[side]) != reach:
                return False
    return segments[-1].conv.weight.shape[0] == channels


def call_unit(
    unit: nn.Module, x: Tensor, forward: Callable[[nn.Module, Tensor], Tensor]
) -> Tensor:
    """Call a unit, another function in place of its forward.

    Common hooks around it are called, so a step that is watched unit by unit
    gives the same bits as one that is not; where there is more than that,
    the unit is called as it is.
    """
    if is_plain(unit):
        return forward(unit, x)
    if not is_watched(unit):
        return unit(x)  # type: ignore[no-any-return]
    inputs: tuple[Any, ...] = (x,)
    for hook in tuple(unit._forward_pre_hooks.values()):
        changed = hook(unit, inputs)
        if changed is not None:
            inputs = changed if isinstance(changed, tuple) else (changed,)
    y = forward(unit, *inputs)
    for hook in tuple(unit._forward_hooks.values()):
        changed = hook(unit, inputs, y)
        y = y if changed is None else changed
    return y


def run_unit(
    unit: nn.Module,
    x: Tensor,
    compute: Callable[[Branch, Tensor], Tensor | None],
) -> Tensor:
    """Do what `Unit.forward` does, its branch by `compute` if that can.

    Parameters
    ----------
    compute : function
        From the branch and what it reads to what it gives, with that added
        if the branch `adds_input`; None if it cannot.
    """
    branch = branch_of(unit, x.shape[1])
    if branch is None:
        return unit.forward(x)  # type: ignore[no-any-return]
    assert isinstance(unit, Unit)
    a = x if branch.has_pre else unit.pre(x)
    F = compute(branch, a)
    if F is None and branch.has_pre:
        return unit.forward(x)
    if F is not None and branch.adds_input:
        return F
    F = unit.post(unit.weights(a) if F is None else F)
    h = unit.shortcut(a if unit.tap_after_pre else x)
    g = torch.sigmoid(unit.gate(x)) if len(unit.gate) else None
    return unit.after(unit.on_shortcut(h, g) + unit.on_branch(F, g))  # type: ignore[no-any-return]
