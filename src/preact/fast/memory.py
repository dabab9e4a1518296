"""The same gradients from less memory: what is kept for the backward pass.

Chapter `08-training`.
"""

import math
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import groupby, pairwise
from typing import Literal, cast
from weakref import ReferenceType, ref

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from preact.nn.layers import BatchNorm, frozen_statistics
from preact.nn.network import Network, Through
from preact.nn.unit import Unit

Memory = Literal["keep", "recompute", "unit", "segment"]


def set_memory(network: Network, memory: Memory) -> None:
    """Choose, once, what a network keeps between forward and backward.

    Parameters
    ----------
    memory : {"keep", "recompute", "unit", "segment"}
        All activations; all but the outputs of BN-ReLU, which are computed
        again from its input; the input of each unit; the input of every
        sqrt(L)-th unit.
    """
    match memory:
        case "keep":
            through: Through = network.chain
        case "recompute":
            through = Recomputed(network).chain
        case "unit":
            through = partial(checkpointed, network.chain, 1)
        case "segment":
            length = math.isqrt(len(network.units))
            through = partial(checkpointed, network.chain, length)
    network.through = through


def checkpointed(
    chain: Through, length: int, units: Iterable[nn.Module], x: Tensor
) -> Tensor:
    """Run units, keeping only the input of every `length`-th one.

    The second forward pass leaves running statistics and random numbers as
    the first one did.
    """
    every = list(units)
    for start in range(0, len(every), length):
        x = checkpoint(
            chain,
            every[start : start + length],
            x,
            use_reentrant=False,
            context_fn=_first_and_second_time,
        )
    return x


def _first_and_second_time() -> tuple[
    AbstractContextManager[None], AbstractContextManager[None]
]:
    """Contexts of the forward pass and of its repetition."""
    return nullcontext(), frozen_statistics()


class SavedInput:
    """How to get relu(bn(x)) again: from x, which BN keeps anyway."""

    def __init__(self, bn: BatchNorm, x: Tensor) -> None:
        self.bn, self.x = bn, x.detach()
        self.value: Tensor | None = None  # while convolution and ReLU need it

    @torch.no_grad()
    def again(self) -> Tensor:
        """Compute the same numbers, bit for bit, by the same kernels."""
        if self.value is None:
            with frozen_statistics():
                y = self.bn(self.x)
                self.value = y if self.bn.with_relu else y.relu_()
        return self.value


class Recomputed:
    """Keeps a saved_input wherever autograd would keep the output of BN-ReLU.

    Such an output is half of what a pre-activation unit keeps: the ReLU
    holds it for its mask and the convolution for its weight gradient.
    """

    def __init__(self, network: Network) -> None:
        self.saved: dict[int, tuple[ReferenceType[Tensor], SavedInput]] = {}
        self.through = network.chain
        for row in network.modules():
            if isinstance(row, nn.Sequential):
                for bn, relu in pairwise(row):
                    if isinstance(bn, BatchNorm) and (
                        bn.with_relu or isinstance(relu, nn.ReLU)
                    ):
                        bn.register_forward_hook(self.note)

    def note(self, bn: BatchNorm, args: tuple[Tensor], y: Tensor) -> None:
        """Remember where y came from; the ReLU will change it in place."""
        if torch.is_grad_enabled():
            self.saved[y.data_ptr()] = ref(y), SavedInput(bn, args[0])

    def pack(self, kept: Tensor) -> Tensor | SavedInput:
        """Give the saved_input of a tensor if it has one, else the tensor."""
        alive, saved_input = self.saved.get(kept.data_ptr(), (None, None))
        # An address may have passed to another tensor; y's own is y's.
        y = alive() if alive else None
        if y is None or saved_input is None or y.shape != kept.shape:
            return kept
        return saved_input

    def unpack(self, packed: Tensor | SavedInput) -> Tensor:
        """Turn what was packed into the tensor again."""
        return packed.again() if isinstance(packed, SavedInput) else packed

    def chain(self, units: Iterable[nn.Module], x: Tensor) -> Tensor:
        """Run units, each BN-ReLU kept as its saved_input."""
        every, first = cast(Iterable[Unit], units), x
        for little, some in groupby(every, lambda u: u.keeps_little(first)):
            if little:  # the hooks would cost time and find nothing
                x = self.through(some, x)
                continue
            with saved_tensors_hooks(self.pack, self.unpack):
                x = self.through(some, x)
        self.saved.clear()
        return x
