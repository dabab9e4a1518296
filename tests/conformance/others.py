"""Residual networks, and parts of them, of other kinds; all right."""

import random

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from conformance.writings import Listed


class Checkpointed(Listed):
    """Units are computed again in the backward pass."""

    reentrant = False

    def forward(self, x: Tensor) -> Tensor:
        for layer in (*self.stem, *self.units):
            x = checkpoint(layer, x, use_reentrant=self.reentrant)
        for layer in self.tail:
            x = layer(x)
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


class Reentrant(Checkpointed):
    """The older way."""

    reentrant = True


class HandMadeNorm(nn.Module):
    """A right BN, written by hand, with statistics for evaluation."""

    mean: Tensor
    var: Tensor

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))

    def forward(self, x: Tensor) -> Tensor:
        mean, var = self.mean, self.var
        if self.training:
            mean = x.mean((0, 2, 3))
            var = x.var((0, 2, 3), unbiased=False)
            self.mean.lerp_(mean.detach(), 0.1)
            self.var.lerp_(var.detach(), 0.1)
        x = (x - mean[:, None, None]) / (var[:, None, None] + 1e-5).sqrt()
        return x * self.weight[:, None, None] + self.bias[:, None, None]


class TokenBlock(nn.Module):
    """Attention and a small network, pre-LN; scaled, if that is wanted."""

    def __init__(self, width: int, scaled: bool) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in "12")
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        one = torch.full((width,), 1e-2)
        self.scales = nn.ParameterList([one, one.clone()] if scaled else [])

    def forward(self, x: Tensor) -> Tensor:
        y = self.norms[0](x)
        y = self.attention(y, y, y, need_weights=False)[0]
        x = x + (self.scales[0] * y if len(self.scales) else y)
        y = self.mlp(self.norms[1](x))
        return x + (self.scales[1] * y if len(self.scales) else y)  # type: ignore[no-any-return]


def transformer(scaled: bool) -> nn.Module:
    """Blocks of tokens."""
    blocks = [TokenBlock(8, scaled) for _ in range(3)]
    return nn.Sequential(*blocks, nn.LayerNorm(8))


def encoder(norm_first: bool) -> nn.Module:
    """PyTorch's own."""
    block = nn.TransformerEncoderLayer(
        8, 2, 16, dropout=0.1, batch_first=True, norm_first=norm_first
    )
    return nn.TransformerEncoder(block, 3, enable_nested_tensor=False)


class ConvNext(nn.Module):
    """A depthwise convolution, LN, and a small network of pixels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, 1, 3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 1e-6))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.scale * self.narrow(nnf.gelu(self.wide(y)))
        return x + y.permute(0, 3, 1, 2)  # type: ignore[no-any-return]


def convnext() -> nn.Module:
    """A stage of it."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 2, 2), *(ConvNext(8) for _ in range(3))
    )


class SqueezeExcite(nn.Module):
    """A factor for each channel, from all of them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.down, self.up = nn.Linear(width, 2), nn.Linear(2, width)

    def forward(self, x: Tensor) -> Tensor:
        s = torch.sigmoid(self.up(nnf.relu(self.down(x.mean((2, 3))))))
        return x * s[:, :, None, None]


def drop_path(h: Tensor, f: Tensor) -> Tensor:
    """Stochastic depth, image by image."""
    kept = torch.rand(len(f), 1, 1, 1) < 0.8
    return h + f * kept / 0.8


def bernoulli(h: Tensor, f: Tensor) -> Tensor:
    """The same as timm writes it."""
    mask = f.new_empty((len(f), 1, 1, 1)).bernoulli_(0.8)
    return h + f * mask.div_(0.8)


def zeroed(h: Tensor, f: Tensor) -> Tensor:
    """Stochastic depth by a product."""
    if torch.rand(()) < 0.2:
        f = 0 * f
    return h + f


def skipped(h: Tensor, f: Tensor) -> Tensor:
    """Stochastic depth by Python's random numbers."""
    return h if random.random() < 0.2 else h + f


def item(h: Tensor, f: Tensor) -> Tensor:
    """Stochastic depth that looks at its number."""
    return h + f if torch.rand(()).item() < 0.8 else h


def in_place(h: Tensor, f: Tensor) -> Tensor:
    """Into the branch's memory."""
    return f.add_(h)


def stacked(h: Tensor, f: Tensor) -> Tensor:
    """An addition by way of a sum."""
    return torch.stack([h, f]).sum(0)
