"""The network that the mutants are mutants of, and its relatives.

Two convolutions a unit, full pre-activation, Fig. 4(e); or the original unit,
Fig. 4(a). Every mutant overrides one method of one of these.
"""

import torch.nn.functional as nnf
from torch import Tensor, nn

WIDTHS = (16, 32, 64)
UNITS = 3  # a stage: one that changes the width and two that do not


def conv3x3(c_in: int, c_out: int, stride: int = 1) -> nn.Conv2d:
    """A convolution that keeps the side, or halves it."""
    return nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)


def conv1x1(c_in: int, c_out: int, stride: int = 1) -> nn.Conv2d:
    """A projection."""
    return nn.Conv2d(c_in, c_out, 1, stride, bias=False)


class PreUnit(nn.Module):
    """BN ReLU conv BN ReLU conv (+)."""

    def __init__(self, c_in: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.bn1: nn.Module = nn.BatchNorm2d(c_in)
        self.conv1 = conv3x3(c_in, c_out, stride)
        self.bn2: nn.Module = nn.BatchNorm2d(c_out)
        self.conv2 = conv3x3(c_out, c_out)
        self.changes = stride != 1 or c_in != c_out
        if self.changes:
            self.projection: nn.Module = conv1x1(c_in, c_out, stride)

    def forward(self, x: Tensor) -> Tensor:
        a = nnf.relu(self.bn1(x))
        h = self.projection(a) if self.changes else x
        return h + self.branch(a)

    def branch(self, a: Tensor) -> Tensor:
        """F, behind the first activation."""
        out: Tensor = self.conv2(nnf.relu(self.bn2(self.conv1(a))))
        return out


class OriginalUnit(nn.Module):
    """Conv BN ReLU conv BN (+) ReLU."""

    def __init__(self, c_in: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = conv3x3(c_in, c_out, stride)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = conv3x3(c_out, c_out)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.changes = stride != 1 or c_in != c_out
        if self.changes:
            self.projection = nn.Sequential(
                conv1x1(c_in, c_out, stride), nn.BatchNorm2d(c_out)
            )

    def forward(self, x: Tensor) -> Tensor:
        h = self.projection(x) if self.changes else x
        return nnf.relu(h + self.branch(x))

    def branch(self, x: Tensor) -> Tensor:
        """F."""
        out: Tensor = self.bn2(self.conv2(nnf.relu(self.bn1(self.conv1(x)))))
        return out


class PreNet(nn.Module):
    """Stem, three stages of units, BN ReLU, pooling, classifier."""

    unit: type[nn.Module] = PreUnit

    def __init__(self) -> None:
        super().__init__()
        self.stem: nn.Module = conv3x3(3, WIDTHS[0])
        self.units = nn.Sequential(*self.make_units())
        self.bn = nn.BatchNorm2d(WIDTHS[-1])
        self.classifier = nn.Linear(WIDTHS[-1], 10)

    def make_units(self) -> list[nn.Module]:
        """All units, in their order."""
        units, c_in = [], WIDTHS[0]
        for stage, c_out in enumerate(WIDTHS):
            for i in range(UNITS):
                stride = 2 if stage > 0 and i == 0 else 1
                units.append(self.make_unit(c_in, c_out, stride))
                c_in = c_out
        return units

    def make_unit(self, c_in: int, c_out: int, stride: int) -> nn.Module:
        """One unit."""
        return self.unit(c_in, c_out, stride)

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.stem(x))
        x = nnf.relu(self.bn(x))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


class OriginalNet(PreNet):
    """Conv BN ReLU, three stages of original units, pooling, classifier."""

    unit = OriginalUnit

    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm2d(WIDTHS[0])

    def forward(self, x: Tensor) -> Tensor:
        x = nnf.relu(self.bn(self.stem(x)))
        x = self.units(x)
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]
