"""The same gradients from less memory: what is kept for the backward pass."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Literal

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from preact.fast.branch import Branch, call_unit, run_unit
from preact.fast.eager import is_batched
from preact.nn.layers import BatchNorm, batch_norm_ghosts

# Hands x from unit to unit, and either keeps the outputs of BN-ReLU for the
# backward pass or computes them again there.
RunUnits = Callable[[Sequence[nn.Module], Tensor, bool], Tensor]
Memory = Literal["keep", "recompute", "unit", "segment"]
"""What is kept between forward and backward; see `with_memory`."""


def run_in_memory(
    memory: Memory, run: RunUnits, units: Sequence[nn.Module], x: Tensor
) -> Tensor:
    """Hand x from unit to unit; `with_memory` says what is kept."""
    if memory in ("keep", "recompute") or not torch.is_grad_enabled():
        return run(units, x, memory == "keep")
    length = math.isqrt(len(units)) if memory == "segment" else 1
    for start in range(0, len(units), length):
        part = units[start : start + length]
        x = checkpoint(
            run,
            part,
            x,
            False,
            use_reentrant=False,
            context_fn=partial(_first_and_second_time, part),
        )
    return x


def run_plain(units: Sequence[nn.Module], x: Tensor, keep: bool) -> Tensor:
    """Run units by PyTorch's own operations: any device and dtype."""
    for unit in units:
        if keep or not torch.is_grad_enabled():
            x = unit(x)
        else:
            x = call_unit(unit, x, lambda unit, x: run_unit(unit, x, _frugal))
    return x


def _frugal(branch: Branch, x: Tensor) -> Tensor | None:
    """Run a branch that keeps what its BNs read, not what they write."""
    if not branch.training:
        return None
    z = x
    for bn, conv in branch.segments:
        if bn is None:
            z = conv(z)
        else:
            tensors = z, bn.weight, bn.bias, conv.weight
            z = _ConvBnRelu.apply(bn, conv, *tensors)  # type: ignore[no-untyped-call]
    return x + z if branch.adds_input else z


class _ConvBnRelu(torch.autograd.Function):
    """conv(relu(bn(z))) in training, of which only z is kept."""

    @staticmethod
    def forward(
        ctx: Any, bn: BatchNorm, conv: nn.Conv2d, *tensors: Tensor
    ) -> Tensor:
        z = tensors[0]
        ctx.bn = bn.count_ghosts(z.shape), bn.eps
        ctx.how = conv.stride, conv.padding, conv.dilation
        ctx.save_for_backward(*tensors)
        y: Tensor = conv(bn(z).relu_())
        ctx.dtype = y.dtype  # autocast's
        return y

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        saved, (dy,), dtype = ctx.saved_tensors, grads, ctx.dtype
        *read, weight = saved
        # Where gradients of these gradients are wanted, or many at once.
        if torch.is_grad_enabled() or is_batched(dy):
            with torch.enable_grad():
                a = normalize(*read, *ctx.bn).relu().to(dtype)
                y = nnf.conv2d(a, weight.to(dtype), None, *ctx.how)
            return (None, None, *gradients(y, saved, dy))
        read = [t.detach().requires_grad_() for t in read]
        with torch.enable_grad():
            a = normalize(*read, *ctx.bn).relu_()
        da, dweight, _ = torch.ops.aten.convolution_backward(
            dy,
            a.detach().to(dtype),
            weight.to(dtype),
            None,
            *(*ctx.how, False, [0, 0], 1, [True, True, False]),
        )
        of_bn = torch.autograd.grad(a, read, da.to(a.dtype))
        return (None, None, *of_bn, dweight.to(weight.dtype))


def gradients(
    y: Tensor, inputs: Sequence[Tensor], dy: Tensor
) -> list[Tensor | None]:
    """Gradients, differentiable if those are recorded; None for no need."""
    wanted = [t for t in inputs if t.requires_grad]
    found = iter(
        torch.autograd.grad(
            y, wanted, dy, create_graph=torch.is_grad_enabled()
        )
    )
    return [next(found) if t.requires_grad else None for t in inputs]


def normalize(
    z: Tensor, weight: Tensor, bias: Tensor, groups: int, eps: float
) -> Tensor:
    """bn(z) once more, by PyTorch; running statistics stay."""
    if groups > 1:
        return batch_norm_ghosts(z, weight, bias, groups, eps)
    return nnf.batch_norm(z, None, None, weight, bias, True, 0.0, eps)


def _first_and_second_time(
    units: Sequence[nn.Module],
) -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    """Contexts of the forward pass and of its repetitions."""
    return nullcontext(), _OnceMore([m for u in units for m in u.modules()])


class _OnceMore:
    """A context in which modules are again what they are now.

    Their tensors may be others by then, or a BN frozen. Running statistics
    stay: the batch was counted before.
    """

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        self.modules = modules
        self.states: list[dict[str, Any]] = [
            {
                "training": m.training,
                "_parameters": dict(m._parameters),
                "_buffers": dict(m._buffers),
            }
            for m in modules
        ]
        self.places = self._places()

    def __enter__(self) -> None:
        if self.places != self._places():
            raise RuntimeError(
                "weights or running statistics were changed in place or "
                "replaced between the forward pass and the backward pass, "
                "which computes activations again from them; run backward "
                "before"
            )
        self.later = [
            {name: m.__dict__[name] for name in state}
            for m, state in zip(self.modules, self.states, strict=True)
        ]
        self._set(self.states)
        self.values = [b.clone() for b in self._buffers()]

    def __exit__(self, *_: object) -> None:
        for buffer, value in zip(self._buffers(), self.values, strict=True):
            # By `data`: autograd need not hear of what is as it was.
            buffer.data.copy_(value)
        self._set(self.later)
        del self.later, self.values

    def _set(self, states: Sequence[dict[str, Any]]) -> None:
        for module, state in zip(self.modules, states, strict=True):
            module.__dict__.update(state)

    def _places(self) -> list[tuple[int, int]]:
        """Versions, and addresses: `weight.data = other` counts none."""
        read: list[Tensor | None] = []
        for state in self.states:
            read += state["_parameters"].values()
            if not state["training"]:
                read += state["_buffers"].values()
        return [(t._version, t.data_ptr()) for t in read if t is not None]

    def _buffers(self) -> list[Tensor]:
        """Running statistics."""
        found = [b for s in self.states for b in s["_buffers"].values()]
        return [b for b in found if b is not None]
