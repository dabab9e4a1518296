"""Mistakes in layers, statistics and modes."""

from typing import Self

import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.book.bugs.zoo.right import PreNet, PreUnit


class BiasedConvs(PreNet):
    """Convolutions with biases, each of which the next BN takes away."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1)


class PerImageNorm(PreNet):
    """Called BN, but its mean and variance are those of one image."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.bn1 = nn.GroupNorm(1, c_in)
            self.bn2 = nn.GroupNorm(1, c_out)


class HandMadeNorm(nn.Module):
    """A normalization written by hand, over the wrong dimensions."""

    dims: tuple[int, ...] = (1, 2, 3)

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(nn.init.ones_(Tensor(1, channels, 1, 1)))
        self.shift = nn.Parameter(nn.init.zeros_(Tensor(1, channels, 1, 1)))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(self.dims, keepdim=True)
        var = x.var(self.dims, unbiased=False, keepdim=True)
        return self.scale * (x - mean) / (var + 1e-5).sqrt() + self.shift


class HandMadePerImage(PreNet):
    """The same mistake as `PerImageNorm`, written by hand."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.bn1 = HandMadeNorm(c_in)
            self.bn2 = HandMadeNorm(c_out)


class NoRunningStatistics(PreNet):
    """BN that takes the batch's statistics in evaluation too."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.bn1 = nn.BatchNorm2d(c_in, track_running_stats=False)


class HandMadeBatchNorm(PreNet):
    """A right BN of the batch, but the same in evaluation."""

    class norm(HandMadeNorm):
        dims = (0, 2, 3)

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.bn2 = HandMadeBatchNorm.norm(c_out)


class FrozenNorm(PreNet):
    """`train()` overridden, so that BN stays in evaluation."""

    def train(self, mode: bool = True) -> Self:
        super().train(mode)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.training = False
        return self


class ForgetfulNorm(PreNet):
    """Momentum 0: in PyTorch, nothing new is ever remembered."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.bn1 = nn.BatchNorm2d(c_in, momentum=0.0)


class DropoutInEvaluation(PreNet):
    """`F.dropout` without `training=self.training` never stops."""

    class unit(PreUnit):
        def branch(self, a: Tensor) -> Tensor:
            out = nnf.relu(self.bn2(self.conv1(a)))
            return self.conv2(nnf.dropout(out, 0.3))  # type: ignore[no-any-return]
