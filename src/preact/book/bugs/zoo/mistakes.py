"""Mistakes: each a change of a right network, headed by what it breaks."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.book.bugs.zoo.right import (
    ORIGINAL,
    PRE,
    OriginalNet,
    OriginalUnit,
    PreNet,
    PreUnit,
    Specimen,
    conv1x1,
    conv3x3,
)
from preact.conformance.report import Property as P
from preact.nn import Network
from preact.plan import Conventions, cifar_plan

MUTANTS: dict[str, Specimen] = {}
"""Networks with one mistake each, by the mistake's name."""


def mutant(
    *breaks: P, base: type[PreNet] = PreNet, meant: str = "", seen: str = ""
) -> Callable[[Any], Any]:
    """Enter a mistake into `MUTANTS`, under the name that it has here.

    It is the network's class; or a function that changes a network of class
    `base` when it has been made, or returns another one.
    """

    def enter(mistake: Any) -> Any:
        is_class = isinstance(mistake, type)
        right = mistake if is_class else base
        row = meant or (ORIGINAL if issubclass(right, OriginalNet) else PRE)
        make = mistake if is_class else partial(changed, base, mistake)
        name = re.sub("(?<=[a-z])(?=[A-Z])", "-", mistake.__name__).lower()
        MUTANTS[name.replace("_", "-")] = Specimen(
            make, row, frozenset(breaks), seen
        )
        return mistake

    return enter


def changed(
    base: type[PreNet], change: Callable[[Any], nn.Module | None]
) -> nn.Module:
    """Make a right network, and change it."""
    network = base()
    return change(network) or network


# ---------------------------------------------------- the shortcut and the sum
@mutant(P.ROW, P.STREAM, seen="ilya-30u30-book, chapter 9")
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


@mutant(P.ROW, P.STREAM)
class ReluAfterSum(PreNet):
    """The original unit's last ReLU, kept in a pre-activation unit."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            return nnf.relu(super().forward(x))


@mutant(P.ROW, P.SHORTCUT, seen="torch-resnet, FullProjection")
class ConvOnEveryShortcut(PreNet):
    """A projection even where the width stays."""

    class unit(PreUnit):
        def __init__(self, *sizes: int) -> None:
            super().__init__(*sizes)
            self.projection = conv1x1(*sizes)

        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a if self.changes else x)
            return h + self.branch(a)  # type: ignore[no-any-return]


@mutant(P.ROW, P.SHORTCUT)
class HalvedShortcut(PreNet):
    """The shortcut times one half: Eq. (8), and gone after ten units."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a) if self.changes else 0.5 * x
            return h + self.branch(a)


@mutant(P.ROW, P.STREAM)
class AveragedSum(PreNet):
    """The sum divided by the root of two, to keep its variance."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) / 2**0.5


@mutant(P.ROW, P.SHORTCUT)
class DroppedShortcut(PreNet):
    """Dropout on the sum's other term."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a) if self.changes else x
            return nnf.dropout(h, 0.2, self.training) + self.branch(a)


@mutant(P.ROW, P.SHORTCUT)
class AddedTwice(PreNet):
    """A helper adds x, and so does its caller."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            out = super().forward(x)
            return out if self.changes else out + x


@mutant(P.GRADIENT)
class DetachedShortcut(PreNet):
    """The shortcut carries the signal, but no gradient."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            a = nnf.relu(self.bn1(x))
            h = self.projection(a) if self.changes else x.detach()
            return h + self.branch(a)


@mutant(P.ROW, P.SHORTCUT)
class GatedShortcut(OriginalNet):
    """One gate for both terms, with a bias that nearly closes it."""

    class unit(OriginalUnit):
        def __init__(self, c_in: int, c_out: int, stride: int) -> None:
            super().__init__(c_in, c_out, stride)
            self.gate = nn.Conv2d(c_in, c_out, 1, stride)
            nn.init.constant_(self.gate.bias, -2.0)  # type: ignore[arg-type]

        def forward(self, x: Tensor) -> Tensor:
            g = torch.sigmoid(self.gate(x))
            h = self.projection(x) if self.changes else x
            return nnf.relu((1 - g) * h + g * self.branch(x))


@mutant(P.ROW, P.SIGN)
class EndsInRelu(OriginalNet):
    """The last ReLU before the addition, so that F can only add."""

    class unit(OriginalUnit):
        def forward(self, x: Tensor) -> Tensor:
            h = self.projection(x) if self.changes else x
            return h + nnf.relu(self.branch(x))

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(nnf.relu(self.bn(self.stem(x))))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


@mutant(P.ROW)
class NoReluInside(PreNet):
    """Two convolutions with a BN and no ReLU between them."""

    class unit(PreUnit):
        def branch(self, a: Tensor) -> Tensor:
            return self.conv2(self.bn2(self.conv1(a)))  # type: ignore[no-any-return]


@mutant(P.ROW, meant="relu-only-preactivation")
class ReluInPlace(OriginalNet):
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


# ---------------------------------------------------- units that are not alike
class OddUnit(PreUnit):
    """Without its first BN and ReLU: a flag for the network's first unit."""

    def forward(self, x: Tensor) -> Tensor:
        return x + self.branch(x)


@mutant(P.SAME, P.SIZE, seen="fb.resnet.torch #36")
def one_odd_unit(network: Any) -> None:
    """That flag is set in another unit."""
    network.units[4] = odd = OddUnit(32, 32, 1)
    del odd.bn1


@mutant(P.OWN, P.SIZE)
def shared_units(network: Any) -> None:
    """`[unit] * n` is one unit, run n times."""
    network.units[2] = network.units[1]


# -------------------------------------------------------- first and last units
@mutant(P.LAST, P.SIZE, seen="pytorch-cifar #137, uvadlc_notebooks #107")
class NoFinalActivation(PreNet):
    """Nothing stands between the last addition and the pooling."""

    def __init__(self) -> None:
        super().__init__()
        del self.bn

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.stem(x))
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]


@mutant(P.LAST, P.UNUSED)
class ForgottenFinalActivation(PreNet):
    """The last BN is made, and never called."""

    forward = NoFinalActivation.forward


@mutant(P.LAST)
class PooledFirst(PreNet):
    """Pooled, and activated only then."""

    def forward(self, x: Tensor) -> Tensor:
        x = self.units(self.stem(x)).mean((2, 3), keepdim=True)
        return self.classifier(nnf.relu(self.bn(x)).flatten(1))  # type: ignore[no-any-return]


@mutant(P.FIRST, P.SIZE, seen="cs-kd, pytorch-cifar100")
class DoubledStem(PreNet):
    """BN and ReLU after the first convolution, and again in the unit."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            conv3x3(3, 16), nn.BatchNorm2d(16), nn.ReLU()
        )


@mutant(P.FIRST, P.SIZE)
class BareStem(OriginalNet):
    """Original units right behind a convolution, with no BN and no ReLU."""

    def __init__(self) -> None:
        super().__init__()
        del self.bn

    forward = NoFinalActivation.forward


# ----------------------------------------------------- where the width changes
@mutant(P.WIDTH, seen="pytorch-cifar #9, pytorch-classification")
class RawProjection(PreNet):
    """The projection reads x, the branch reads relu(bn(x))."""

    class unit(PreUnit):
        def forward(self, x: Tensor) -> Tensor:
            h = self.projection(x) if self.changes else x
            return h + self.branch(nnf.relu(self.bn1(x)))


@mutant(P.WIDTH, P.SIZE, base=RawProjection, seen="uvadlc_notebooks")
def own_activation(network: Any) -> None:
    """A projection with a BN and a ReLU of its own."""
    for unit in network.units:
        if unit.changes:
            active = nn.BatchNorm2d(unit.bn1.num_features), nn.ReLU()
            unit.projection = nn.Sequential(*active, unit.projection)


@mutant(P.WIDTH, base=OriginalNet)
def activated_projection(network: Any) -> None:
    """Conv, BN and ReLU on the shortcut, as if it were a layer."""
    for unit in network.units:
        if unit.changes:
            unit.projection.append(nn.ReLU())


@mutant(P.WIDTH, P.SIZE)
class MissingProjection(PreNet):
    """Where the width changes, nothing is added at all."""

    class unit(PreUnit):
        def __init__(self, *sizes: int) -> None:
            super().__init__(*sizes)
            self.projection = nn.Identity()

        def forward(self, x: Tensor) -> Tensor:
            out = self.branch(nnf.relu(self.bn1(x)))
            return out if self.changes else x + out


@mutant(P.STAGES, P.SIZE)
def no_stride(network: Any) -> None:
    """The width doubles, the side stays."""
    for conv in network.units.modules():
        if isinstance(conv, nn.Conv2d):
            conv.stride = (1, 1)


@mutant(P.STAGES, P.SIZE, seen="hysts/pytorch_image_classification")
def narrow_first_stage(network: Any) -> nn.Module:
    """Bottlenecks of widths 16, 128, 256 in place of 64, 128, 256."""
    narrow = Conventions(first_stage="narrow")
    plan = cifar_plan(PRE, depth=29, convs=3, conventions=narrow)
    return Network(plan, seed=0)


# ---------------------------------------------------- normalization and chance
@mutant(P.BIAS, P.SIZE, seen="pytorch-cifar100")
def biased_convs(network: Any) -> None:
    """Convolutions with biases, each of which the next BN takes away."""
    for unit in network.units:
        conv = unit.conv1
        widths = conv.in_channels, conv.out_channels
        unit.conv1 = nn.Conv2d(*widths, 3, conv.stride, 1)


def replace_norms(
    network: Any, norm: Callable[[int], nn.Module], *names: str
) -> None:
    """Put another normalization at these places of every unit."""
    for unit in network.units:
        for name in names:
            channels = getattr(unit, name).num_features
            setattr(unit, name, norm(channels))


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


@mutant(P.ROW, P.NORM, seen="15_identity_mappings_resnet.ipynb")
def per_image_norm(network: Any) -> None:
    """A mean of one image, in place of the batch's."""
    replace_norms(network, partial(nn.GroupNorm, 1), "bn1", "bn2")


@mutant(P.ROW, P.NORM)
def hand_made_per_image(network: Any) -> None:
    """The same, written by hand."""
    replace_norms(network, partial(HandMadeNorm, (1, 2, 3)), "bn1", "bn2")


@mutant(P.EVALUATION)
def no_running_statistics(network: Any) -> None:
    """A BN that takes the batch's statistics in evaluation, too."""
    untracked = partial(nn.BatchNorm2d, track_running_stats=False)
    replace_norms(network, untracked, "bn1")


@mutant(P.EVALUATION)
def hand_made_batch_norm(network: Any) -> None:
    """The same, written by hand."""
    replace_norms(network, partial(HandMadeNorm, (0, 2, 3)), "bn2")


@mutant(P.STATISTICS)
def frozen_norm(network: Any) -> None:
    """In training, BN takes the statistics that it has kept."""
    replace_norms(network, FrozenNorm, "bn1", "bn2")


@mutant(P.STATISTICS)
def forgetful_norm(network: Any) -> None:
    """BN never updates what it keeps."""
    replace_norms(network, partial(nn.BatchNorm2d, momentum=0.0), "bn1")


@mutant(P.EVALUATION)
class DropoutInEvaluation(PreNet):
    """`F.dropout` without `training=self.training` never stops."""

    class unit(PreUnit):
        def branch(self, a: Tensor) -> Tensor:
            out = nnf.relu(self.bn2(self.conv1(a)))
            return self.conv2(nnf.dropout(out, 0.3))  # type: ignore[no-any-return]
