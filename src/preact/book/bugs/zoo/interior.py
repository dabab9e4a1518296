"""Mistakes inside of the unit."""

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.book.bugs.zoo.right import (
    OriginalNet,
    OriginalUnit,
    PreNet,
    PreUnit,
    conv1x1,
)


class ActivatedShortcut(PreNet):
    """The shortcut is taken from the activation, not from x.

    Written as `out = relu(bn(x)); shortcut = out`: the popular bug. The
    whole stream passes BN and ReLU in each unit, which is Fig. 4(b).
    """

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            x = nnf.relu(self.bn1(x))
            h = self.projection(x) if self.changes else x
            return h + self.branch(x)


class ReluAfterSum(PreNet):
    """The original unit's last ReLU, kept in a pre-activation unit."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            return nnf.relu(super().forward(x))


class ConvOnEveryShortcut(PreNet):
    """A projection even where the width stays."""

    class unit(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.projection = conv1x1(c_in, c_out, stride)

        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a if self.changes else x)
            return h + self.branch(a)  # type: ignore[no-any-return]


class HalvedShortcut(PreNet):
    """The shortcut times one half: Eq. (8), and gone after ten units."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a) if self.changes else 0.5 * x
            return h + self.branch(a)


class AveragedSum(PreNet):
    """The sum divided by the root of two, to keep its variance."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) / 2**0.5


class DroppedShortcut(PreNet):
    """Dropout on the sum's other term."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a) if self.changes else x
            h = nnf.dropout(h, 0.2, self.training)
            return h + self.branch(a)


class AddedTwice(PreNet):
    """A helper adds x, and so does its caller."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            out = super().forward(x)
            return out if self.changes else out + x


class DetachedShortcut(PreNet):
    """The shortcut carries the signal, but no gradient."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a) if self.changes else x.detach()
            return h + self.branch(a)


class GatedShortcut(OriginalNet):
    """A highway's gate, with a bias that nearly closes it."""

    class unit(OriginalUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.gate = nn.Conv2d(c_in, c_out, 1, stride)
            nn.init.constant_(self.gate.bias, -2.0)  # type: ignore[arg-type]

        def forward(self, x: Tensor) -> Tensor:
            g = torch.sigmoid(self.gate(x))
            h = self.projection(x) if self.changes else x
            return nnf.relu((1 - g) * h + g * self.branch(x))


class EndsInRelu(OriginalNet):
    """The last ReLU before the addition, so that F can only add."""

    class unit(OriginalUnit):
        def forward(self, x: Tensor) -> Tensor:
            h = self.projection(x) if self.changes else x
            return h + nnf.relu(self.branch(x))

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(nnf.relu(self.bn(self.stem(x))))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


class NoReluInside(PreNet):
    """Two convolutions with a BN and no ReLU between them."""

    class unit(PreUnit):
        def branch(self, a: Tensor) -> Tensor:
            out = self.conv2(self.bn2(self.conv1(a)))
            return out  # type: ignore[no-any-return]


class ReluInPlace(PreNet):
    """ReLU in place on x itself, before the shortcut has been added.

    Meant as ReLU-only pre-activation, Fig. 4(d); the shortcut then reads
    what the ReLU left, and the unit is the original one.
    """

    class unit(OriginalUnit):
        def forward(self, x: Tensor) -> Tensor:
            out = self.branch(nnf.relu(x, inplace=True))
            h = self.projection(x) if self.changes else x
            return h + out

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.bn(self.stem(x)))
        return self.classifier(nnf.relu(x).mean((2, 3)))  # type: ignore[no-any-return]

    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm2d(16)


class OneOddUnit(PreNet):
    """A flag for the network's first unit that is set in another one."""

    class odd(PreUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            del self.bn1

        def forward(self, x: Tensor) -> Tensor:
            return x + self.branch(x)

    def make_units(self) -> list[nn.Module]:
        units = super().make_units()
        units[4] = self.odd(32, 32, 1)
        return units


class SharedUnits(PreNet):
    """`[unit] * n` is one unit, run n times."""

    def make_units(self) -> list[nn.Module]:
        units = super().make_units()
        units[2] = units[1]
        return units
