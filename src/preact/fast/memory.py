"""The same gradients from less memory: what is kept for the backward pass."""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from preact.fast.plain import RunUnits

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


def _first_and_second_time(
    units: Sequence[nn.Module],
) -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    """Contexts of the forward pass and of its repetitions."""
    return nullcontext(), _OnceMore([m for u in units for m in u.modules()])


class _State(NamedTuple):
    """What a module computes with."""

    training: bool
    parameters: dict[str, Tensor | None]
    buffers: dict[str, Tensor | None]


def _state(module: nn.Module) -> _State:
    """Note a module's state; its tensors are not copied."""
    return _State(
        module.training, dict(module._parameters), dict(module._buffers)
    )


def _set_state(modules: Sequence[nn.Module], states: Sequence[_State]) -> None:
    """Give modules states that they have had."""
    for module, state in zip(modules, states, strict=True):
        module.training = state.training
        module._parameters.update(state.parameters)  # type: ignore[arg-type]
        module._buffers.update(state.buffers)


def _read(states: Sequence[_State]) -> list[Tensor]:
    """Tensors that modules read and must find again as they were."""
    return [
        tensor
        for state in states
        for tensor in (
            *state.parameters.values(),
            *(() if state.training else state.buffers.values()),
        )
        if tensor is not None
    ]


class _OnceMore:
    """A context in which modules are again what they are now.

    Other tensors may stand in them by then (`functional_call` has put the
    old ones back), or a BN may have been frozen since. Running statistics
    stay what they have become: the batch was counted before.
    """

    def __init__(self, modules: Sequence[nn.Module]) -> None:
        self.modules = modules
        self.states = [_state(module) for module in modules]
        self.places = self._places()

    def __enter__(self) -> None:
        if self.places != self._places():
            raise RuntimeError(
                "weights or running statistics were changed in place or "
                "replaced between the forward pass and the backward pass, "
                "which computes activations again from them; run backward "
                "before"
            )
        self.later = [_state(module) for module in self.modules]
        _set_state(self.modules, self.states)
        self.values = [b.clone() for b in self._buffers()]

    def __exit__(self, *_: object) -> None:
        for buffer, value in zip(self._buffers(), self.values, strict=True):
            # By `data`: autograd need not hear of what is as it was.
            buffer.data.copy_(value)
        _set_state(self.modules, self.later)
        del self.later, self.values

    def _places(self) -> list[tuple[int, int]]:
        """Versions, and addresses: `weight.data = other` counts none."""
        return [(t._version, t.data_ptr()) for t in _read(self.states)]

    def _buffers(self) -> list[Tensor]:
        """Running statistics."""
        states = self.states
        return [b for s in states for b in s.buffers.values() if b is not None]
