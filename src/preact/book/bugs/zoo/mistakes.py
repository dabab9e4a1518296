"""Mistakes: those that labs show are classes, the others changes of one.

`built` overrides methods and layers of every unit of a right network,
`edited` changes a right network when it has been made.
"""

from collections.abc import Callable
from typing import Any

import torch
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

Make = Callable[[], nn.Module]


# ------------------------------------------------------- what the labs show
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


class EndsInRelu(OriginalNet):
    """The last ReLU before the addition, so that F can only add."""

    class unit(OriginalUnit):
        def forward(self, x: Tensor) -> Tensor:
            h = self.projection(x) if self.changes else x
            return h + nnf.relu(self.branch(x))

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(nnf.relu(self.bn(self.stem(x))))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


class DoubledStem(PreNet):
    """BN and ReLU after the first convolution, and again in the unit."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            conv3x3(3, 16), nn.BatchNorm2d(16), nn.ReLU()
        )


class NoFinalActivation(PreNet):
    """Nothing stands between the last addition and the pooling."""

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


class DropoutInEvaluation(PreNet):
    """`F.dropout` without `training=self.training` never stops."""

    class unit(PreUnit):
        def branch(self, a: Tensor) -> Tensor:
            out = nnf.relu(self.bn2(self.conv1(a)))
            return self.conv2(nnf.dropout(out, 0.3))  # type: ignore[no-any-return]


# ------------------------------------------------------------ the other ones
def built(
    base: type[PreNet] = PreNet,
    unit: dict[str, Callable[..., Any]] | None = None,
    net: dict[str, Callable[..., Any]] | None = None,
    **layers: Callable[..., nn.Module],
) -> Make:
    """A network with other methods, and layers made for each unit's widths."""

    class Unit(base.unit):  # type: ignore[name-defined,misc]
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            for name, make in layers.items():
                setattr(self, name, make(c_in, c_out, stride))

    kind = type("Unit", (Unit,), unit or {})
    return type("Network", (base,), {"unit": kind, **(net or {})})


def edited(change: Callable[[Any], None], base: Make = PreNet) -> Make:
    """A network that is changed when it has been made."""

    def make() -> nn.Module:
        network = base()
        change(network)
        return network

    return make


def norms(norm: Callable[[int], nn.Module], *names: str) -> Make:
    """Another normalization at these places of every unit."""

    def change(network: Any) -> None:
        for unit in network.units:
            for name in names:
                channels = getattr(unit, name).num_features
                setattr(unit, name, norm(channels))

    return edited(change)


class HandMadeNorm(nn.Module):
    """A normalization written by hand, the same in both modes."""

    def __init__(self, dims: tuple[int, ...], channels: int) -> None:
        super().__init__()
        self.dims = dims
        self.scale = nn.Parameter(torch.ones(1, channels, 1, 1))
        self.shift = nn.Parameter(torch.zeros(1, channels, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(self.dims, keepdim=True)
        var = x.var(self.dims, unbiased=False, keepdim=True)
        return self.scale * (x - mean) / (var + 1e-5).sqrt() + self.shift


class FrozenNorm(nn.BatchNorm2d):
    """A BN that no `train()` wakes."""

    def train(self, mode: bool = True) -> "FrozenNorm":
        return super().train(False)


class OddUnit(PreUnit):
    """Without its first BN and ReLU: a flag for the network's first unit."""

    def forward(self, x: Tensor) -> Tensor:
        return x + self.branch(x)


class Bottleneck(nn.Module):
    """BN ReLU conv BN ReLU conv BN ReLU conv (+), right in itself."""

    def __init__(self, c_in: int, inner: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.bn1 = nn.BatchNorm2d(c_in)
        self.body = nn.Sequential(
            conv1x1(c_in, inner, stride),
            *(nn.BatchNorm2d(inner), nn.ReLU()),
            conv3x3(inner, inner),
            *(nn.BatchNorm2d(inner), nn.ReLU()),
            conv1x1(inner, c_out),
        )
        self.changes = stride != 1 or c_in != c_out
        if self.changes:
            self.projection = conv1x1(c_in, c_out, stride)

    def forward(self, x: Tensor) -> Tensor:
        a = nnf.relu(self.bn1(x))
        return (self.projection(a) if self.changes else x) + self.body(a)  # type: ignore[no-any-return]


def narrow_first_stage(network: Any) -> None:
    """Bottleneck widths 16, 128, 256 in place of 64, 128, 256."""
    units, c_in = [], 16
    for inner, c_out in ((4, 16), (32, 128), (64, 256)):
        units.append(Bottleneck(c_in, inner, c_out, 1 if inner < 32 else 2))
        units += [Bottleneck(c_out, inner, c_out, 1) for _ in range(2)]
        c_in = c_out
    network.units = nn.Sequential(*units)
    network.bn, network.classifier = nn.BatchNorm2d(256), nn.Linear(256, 10)


def one_odd_unit(network: Any) -> None:
    """That flag is set in another unit."""
    network.units[4] = odd = OddUnit(32, 32, 1)
    del odd.bn1


def shared_units(network: Any) -> None:
    """`[unit] * n` is one unit, run n times."""
    network.units[2] = network.units[1]


def biased_convs(network: Any) -> None:
    """Convolutions with biases, each of which the next BN takes away."""
    for unit in network.units:
        conv = unit.conv1
        widths = conv.in_channels, conv.out_channels
        unit.conv1 = nn.Conv2d(*widths, 3, conv.stride, 1)


def no_stride(network: Any) -> None:
    """The width doubles, the side stays."""
    for conv in network.units.modules():
        if isinstance(conv, nn.Conv2d):
            conv.stride = (1, 1)


def activated_projections(network: Any) -> None:
    """Conv, BN and ReLU on the shortcut, as if it were a layer."""
    for unit in network.units:
        if unit.changes:
            unit.projection.append(nn.ReLU())


def bare_stem(network: Any) -> None:
    """Original units right behind a convolution, with no BN and no ReLU."""
    network.bn = nn.Identity()


def own_projection(c_in: int, c_out: int, stride: int) -> nn.Module:
    """A projection with a BN and a ReLU of its own."""
    if c_in == c_out:
        return nn.Identity()
    projection = conv1x1(c_in, c_out, stride)
    return nn.Sequential(nn.BatchNorm2d(c_in), nn.ReLU(), projection)


def closed_gate(c_in: int, c_out: int, stride: int) -> nn.Module:
    """A highway's gate, with a bias that nearly closes it."""
    gate = nn.Conv2d(c_in, c_out, 1, stride)
    nn.init.constant_(gate.bias, -2.0)  # type: ignore[arg-type]
    return gate


def conv_on_every_shortcut(self: Any, x: Tensor) -> Tensor:
    """A projection even where the width stays."""
    a = nnf.relu(self.bn1(x))
    h = self.projection(a if self.changes else x)
    return h + self.branch(a)  # type: ignore[no-any-return]


def dropped_shortcut(self: Any, x: Tensor) -> Tensor:
    """Dropout on the sum's other term."""
    a = nnf.relu(self.bn1(x))
    h = self.projection(a) if self.changes else x
    return nnf.dropout(h, 0.2, self.training) + self.branch(a)  # type: ignore[no-any-return]


def gated_shortcut(self: Any, x: Tensor) -> Tensor:
    """One gate for both terms."""
    g = torch.sigmoid(self.gate(x))
    h = self.projection(x) if self.changes else x
    return nnf.relu((1 - g) * h + g * self.branch(x))


def no_relu_inside(self: Any, a: Tensor) -> Tensor:
    """Two convolutions with a BN and no ReLU between them."""
    return self.conv2(self.bn2(self.conv1(a)))  # type: ignore[no-any-return]


def missing_projection(self: Any, x: Tensor) -> Tensor:
    """Where the width changes, nothing is added at all."""
    out: Tensor = self.branch(nnf.relu(self.bn1(x)))
    return out if self.changes else x + out


def relu_in_place(self: Any, x: Tensor) -> Tensor:
    """ReLU in place on x itself, before the shortcut has been added.

    Meant as ReLU-only pre-activation, Fig. 4(d); the shortcut then reads
    what the ReLU left, and the unit is the original one.
    """
    out = self.branch(nnf.relu(x, inplace=True))
    h = self.projection(x) if self.changes else x
    return h + out  # type: ignore[no-any-return]


def activated_at_the_end(self: Any, x: Tensor) -> Tensor:
    """Only BN behind the stem, and a ReLU before the pooling."""
    x = self.units(self.bn(self.stem(x)))
    return self.classifier(nnf.relu(x).mean((2, 3)))  # type: ignore[no-any-return]


def pooled_first(self: Any, x: Tensor) -> Tensor:
    """Pooled, and activated only then."""
    x = self.units(self.stem(x)).mean((2, 3), keepdim=True)
    return self.classifier(nnf.relu(self.bn(x)).flatten(1))  # type: ignore[no-any-return]
