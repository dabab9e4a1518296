"""Mistakes at the first, the widening and the last units."""

import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.book.bugs.zoo.right import (
    OriginalNet,
    OriginalUnit,
    PreNet,
    PreUnit,
    conv1x1,
    conv3x3,
)


class NoFinalActivation(PreNet):
    """Nothing stands between the last addition and the pooling."""

    def __init__(self) -> None:
        super().__init__()
        del self.bn

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.stem(x))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


class ForgottenFinalActivation(PreNet):
    """The last BN is made, and never called."""

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.stem(x))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


class PooledFirst(PreNet):
    """Pooled, and activated only then."""

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.stem(x))
        x = nnf.relu(self.bn(x.mean((2, 3), keepdim=True)))
        return self.classifier(x.flatten(1))  # type: ignore[no-any-return]


class DoubledStem(PreNet):
    """BN and ReLU after the first convolution, and again in the unit."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            conv3x3(3, 16), nn.BatchNorm2d(16), nn.ReLU()
        )


class BareStem(OriginalNet):
    """Original units right behind a convolution, with no BN and no ReLU."""

    def __init__(self) -> None:
        super().__init__()
        del self.bn

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.stem(x))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


class RawProjection(PreNet):
    """The projection reads x, the branch reads relu(bn(x))."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            h = self.projection(x) if self.changes else x
            return h + self.branch(nnf.relu(self.bn1(x)))


class OwnActivation(PreNet):
    """The projection has a BN and a ReLU of its own."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            if self.changes:
                self.projection = nn.Sequential(
                    nn.BatchNorm2d(c_in),
                    nn.ReLU(),
                    conv1x1(c_in, c_out, stride),
                )

        def forward(self, x: Tensor) -> Tensor:
            h = self.projection(x) if self.changes else x
            return h + self.branch(nnf.relu(self.bn1(x)))


class ActivatedProjection(OriginalNet):
    """Conv, BN and ReLU on the shortcut, as if it were a layer."""

    class unit(OriginalUnit):
        def forward(self, x: Tensor) -> Tensor:
            h = nnf.relu(self.projection(x)) if self.changes else x
            return nnf.relu(h + self.branch(x))


class MissingProjection(PreNet):
    """Where the width changes, nothing is added at all."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            if self.changes:
                del self.projection

        def forward(self, x: Tensor) -> Tensor:
            out = self.branch(nnf.relu(self.bn1(x)))
            return out if self.changes else x + out


class NoStride(PreNet):
    """The width doubles, the side stays."""

    def make_unit(self, c_in: int, c_out: int, stride: int) -> nn.Module:
        return super().make_unit(c_in, c_out, 1)


class Bottleneck(nn.Module):
    """BN ReLU conv BN ReLU conv BN ReLU conv (+), right in itself."""

    def __init__(self, c_in: int, inner: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.bn1 = nn.BatchNorm2d(c_in)
        self.body = nn.Sequential(
            conv1x1(c_in, inner, stride),
            nn.BatchNorm2d(inner),
            nn.ReLU(),
            conv3x3(inner, inner),
            nn.BatchNorm2d(inner),
            nn.ReLU(),
            conv1x1(inner, c_out),
        )
        self.changes = stride != 1 or c_in != c_out
        if self.changes:
            self.projection = conv1x1(c_in, c_out, stride)

    def forward(self, x: Tensor) -> Tensor:
        a = nnf.relu(self.bn1(x))
        return (self.projection(a) if self.changes else x) + self.body(a)  # type: ignore[no-any-return]


class NarrowFirstStage(PreNet):
    """Bottleneck widths 16, 128, 256 in place of 64, 128, 256."""

    widths = ((4, 16), (32, 128), (64, 256))

    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm2d(256)
        self.classifier = nn.Linear(256, 10)

    def make_units(self) -> list[nn.Module]:
        units: list[nn.Module] = []
        c_in = 16
        for inner, c_out in self.widths:
            stride = 1 if inner < 32 else 2
            units.append(Bottleneck(c_in, inner, c_out, stride))
            units += [Bottleneck(c_out, inner, c_out, 1) for _ in range(2)]
            c_in = c_out
        return units
