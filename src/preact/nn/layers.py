"""Planned layers as PyTorch modules. Shapes are N C H W."""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.plan import layers as planned
from preact.plan.checks import check_spread
from preact.plan.layers import BN_EPS, BN_MOMENTUM


def is_traced(x: object) -> bool:
    """Whether torch.fx only writes down what is done: there is no number."""
    return isinstance(x, torch.fx.Proxy)


class BatchNorm(nn.BatchNorm2d):
    """Batch normalization whose statistics may be those of ghost batches.

    Counts batches only where `momentum` is None, for PyTorch's cumulative
    mean (`torch.optim.swa_utils.update_bn`): at a fixed momentum the counter
    would be one more kernel a layer, a thousand in ResNet-1001, for a number
    that nothing reads. So it is no buffer and not in `state_dict`.
    """

    weight: nn.Parameter
    bias: nn.Parameter

    def __init__(self, layer: planned.BatchNorm) -> None:
        super().__init__(layer.channels, BN_EPS, BN_MOMENTUM)
        nn.init.constant_(self.bias, layer.shift)
        self.ghost_batch: int | None = None
        del self.num_batches_tracked
        self.num_batches_tracked = torch.tensor(0)  # no buffer

    def forward(self, x: Tensor) -> Tensor:
        groups = 1
        if self.training and not (self.ghost_batch is None and is_traced(x)):
            groups = self.count_ghosts(x.shape)
        moving = self._moving()
        if groups > 1:
            return batch_norm_ghosts(
                x,
                self.weight,
                self.bias,
                groups,
                self.eps,
                moving,
                self._rate(),
            )
        mean, var = moving
        return nnf.batch_norm(
            x,
            mean,
            var,
            self.weight,
            self.bias,
            self.training or mean is None,
            self._rate(),
            self.eps,
        )

    def count_ghosts(self, shape: Sequence[int]) -> int:
        """Number of ghost batches made of a batch (N, C, H, W) in training.

        ValueError if they do not divide it, or have one value per channel.
        """
        n, c, height, width = shape
        size = min(self.ghost_batch or n, n)
        if size and n % size:
            raise ValueError(
                f"ghost_batch must divide the batch of {n}; got {size}"
            )
        check_spread((size, c, height, width))
        return n // size

    def _moving(self) -> tuple[Tensor | None, Tensor | None]:
        """Running statistics, where they are read or moved."""
        if self.training and not self.track_running_stats:
            return None, None
        return self.running_mean, self.running_var

    def _rate(self) -> float:
        """Weight of this batch in the running statistics."""
        if self.momentum is not None:
            return self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked += 1
            return 1.0 / int(self.num_batches_tracked)
        return 0.0

    def _load_from_state_dict(self, *args: Any) -> None:
        # Past BatchNorm2d's own, which would add the counter to the keys.
        nn.Module._load_from_state_dict(self, *args)

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


def batch_norm_ghosts(
    x: Tensor,
    weight: Tensor,
    bias: Tensor,
    count: int,
    eps: float,
    moving: tuple[Tensor | None, Tensor | None] = (None, None),
    rate: float = 0.0,
) -> Tensor:
    """Normalize each of `count` ghost batches by itself, as on its own GPU.

    The running statistics, `moving`, take the mean over ghosts: one ghost
    after the other, at rates under which each ends with the same weight.
    """
    return torch.cat(
        [
            nnf.batch_norm(
                ghost,
                *moving,
                weight,
                bias,
                True,
                rate / (count - later * rate),
                eps,
            )
            for later, ghost in zip(
                reversed(range(count)), x.chunk(count), strict=True
            )
        ]
    )


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
