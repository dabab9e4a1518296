"""Planned layers as PyTorch modules.

Chapter `04-units`. Shapes are N C H W.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact import plan as planned
from preact.plan import BN_EPS, BN_MOMENTUM
from preact.plan.checks import check_spread

_frozen = False  # while a forward pass is repeated


@contextmanager
def frozen_statistics() -> Iterator[None]:
    """Leave running statistics alone: the batch has been counted before."""
    global _frozen
    _frozen = True
    try:
        yield
    finally:
        _frozen = False


def is_frozen() -> bool:
    """Whether a forward pass is being repeated."""
    return _frozen


class BatchNorm(nn.Module):
    """Batch normalization with running statistics, without a batch counter.

    `torch.nn.BatchNorm2d` launches one more kernel per layer to count
    batches, a thousand in ResNet-1001, for a number that nothing reads at a
    fixed momentum.
    """

    with_relu = False  # whether the ReLU behind it is computed along

    def __init__(self, layer: planned.BatchNorm) -> None:
        super().__init__()
        c = layer.channels
        self.ghost_batch: int | None = None
        self.weight = nn.Parameter(torch.ones(c))
        self.bias = nn.Parameter(torch.full((c,), layer.shift))
        self.running_mean: Tensor
        self.running_var: Tensor
        self.register_buffer("running_mean", torch.zeros(c))
        self.register_buffer("running_var", torch.ones(c))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            check_spread(tuple(x.shape))
            if self.ghost_batch and self.ghost_batch < len(x):
                return self._forward_ghosts(x, self.ghost_batch)
        mean, var = self.running_mean, self.running_var
        if self.training and _frozen:
            mean, var = mean.clone(), var.clone()
        return nnf.batch_norm(
            x,
            mean,
            var,
            self.weight,
            self.bias,
            self.training,
            BN_MOMENTUM,
            BN_EPS,
        )

    def _forward_ghosts(self, x: Tensor, size: int) -> Tensor:
        """Normalize each `size` images by themselves, as on their own GPU.

        The ghosts' channels are laid side by side, so it is one call; the
        running statistics take the mean over ghosts.
        """
        n, c, height, width = x.shape
        count = ghosts(size, n)
        side = x.view(count, size, c, height, width).transpose(0, 1)
        side = side.reshape(size, count * c, height, width)
        mean = self.running_mean.repeat(count)
        var = self.running_var.repeat(count)
        out = nnf.batch_norm(
            side,
            mean,
            var,
            self.weight.repeat(count),
            self.bias.repeat(count),
            True,
            BN_MOMENTUM,
            BN_EPS,
        )
        if not _frozen:
            with torch.no_grad():
                self.running_mean.copy_(mean.view(count, c).mean(0))
                self.running_var.copy_(var.view(count, c).mean(0))
        out = out.view(size, count, c, height, width).transpose(0, 1)
        return out.reshape(n, c, height, width)

    def extra_repr(self) -> str:
        return str(len(self.weight))


def set_ghost_batch(network: nn.Module, size: int | None) -> None:
    """Let every BN take its statistics over `size` images of the batch.

    The paper's statistics are those of one GPU: 64 images of a batch of 128.
    Sizes that do not divide the batch are refused by the forward pass.
    """
    for module in network.modules():
        if isinstance(module, BatchNorm):
            module.ghost_batch = size


def ghosts(size: int | None, batch: int) -> int:
    """Number of ghost batches of `size` images in a batch; 1 without.

    Raises
    ------
    ValueError
        If the batch is not made of whole ghost batches.
    """
    size = min(size or batch, batch)
    if batch % size:
        raise ValueError(
            f"ghost_batch must divide the batch of {batch}; got {size}"
        )
    return batch // size


class Pad(nn.Module):
    """Subsample by the stride and append zero channels (v1, option A)."""

    def __init__(self, layer: planned.Pad) -> None:
        super().__init__()
        self.stride, self.extra = layer.stride, layer.c_out - layer.c_in

    def forward(self, x: Tensor) -> Tensor:
        seen = x[:, :, :: self.stride, :: self.stride]
        return nnf.pad(seen, (0, 0, 0, 0, 0, self.extra))


def sequential(
    layers: tuple[planned.Layer, ...], *, owns_input: bool = False
) -> nn.Sequential:
    """Build planned layers in order; an empty one is the identity.

    A ReLU works in place where nobody else holds its input: behind another
    layer, or at the head if the sequence owns what it is given.
    """
    return nn.Sequential(
        *(
            _module(layer, in_place=owns_input or i > 0)
            for i, layer in enumerate(layers)
        )
    )


def _module(layer: planned.Layer, *, in_place: bool) -> nn.Module:
    """Build one layer; weights are drawn later, by `Network`."""
    match layer:
        case planned.Conv():
            return nn.Conv2d(
                layer.c_in,
                layer.c_out,
                layer.kernel,
                layer.stride,
                layer.kernel // 2,
                bias=layer.bias is not None,
            )
        case planned.BatchNorm():
            return BatchNorm(layer)
        case planned.ReLU():
            return nn.ReLU(inplace=in_place)
        case planned.Pad():
            return Pad(layer)
        case planned.MaxPool():
            return nn.MaxPool2d(3, 2, 1)
        case planned.Linear():
            return nn.Linear(layer.c_in, layer.c_out)
