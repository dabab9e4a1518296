"""Right networks: two of which mutants are made, and two ways of writing.

Two convolutions a unit, full pre-activation, Fig. 4(e); or the original unit,
Fig. 4(a).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.conformance.report import Property

PRE, ORIGINAL = "full-preactivation", "original"
WIDTHS, UNITS = (16, 32, 64), 3  # of the stages; units of each


@dataclass(frozen=True)
class Specimen:
    """A network of the zoo and what is wrong with it.

    Parameters
    ----------
    make : callable
        Makes the network, for 3x32x32 images.
    meant : str
        The row that its author meant.
    breaks : frozenset of Property
        The questions whose answer is no; all others are answered yes, or
        cannot be.
    seen : str
        The public code or issue that has the mistake; "" if we wrote it as a
        variation.

    Examples
    --------
    >>> from preact.book.bugs.zoo import MUTANTS
    >>> mutant = MUTANTS["raw-projection"]
    >>> mutant.meant, [str(question) for question in mutant.breaks]
    ('full-preactivation', ['width-change'])
    >>> mutant.seen
    'pytorch-cifar #9, pytorch-classification'
    """

    make: Callable[[], nn.Module]
    meant: str
    breaks: frozenset[Property] = frozenset()
    seen: str = ""


def conv3x3(c_in: int, c_out: int, stride: int = 1) -> nn.Conv2d:
    """A convolution that keeps the side, or halves it."""
    return nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)


def conv1x1(c_in: int, c_out: int, stride: int = 1) -> nn.Conv2d:
    """A projection."""
    return nn.Conv2d(c_in, c_out, 1, stride, bias=False)


def sizes() -> list[tuple[int, int, int]]:
    """Width before, width after and stride of each unit."""
    after = [width for width in WIDTHS for _ in range(UNITS)]
    pairs = zip([WIDTHS[0], *after], after, strict=False)
    return [(a, b, 1 if a == b else 2) for a, b in pairs]


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
        self.units = nn.Sequential(*[self.unit(*size) for size in sizes()])
        self.bn = nn.BatchNorm2d(WIDTHS[-1])
        self.classifier = nn.Linear(WIDTHS[-1], 10)

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


class Inlined(nn.Module):
    """Original units, without a class for them; zeros where it widens."""

    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([conv3x3(3, WIDTHS[0])])
        self.norms = nn.ModuleList([nn.BatchNorm2d(WIDTHS[0])])
        for c_in, c_out, stride in sizes():
            self.convs.append(conv3x3(c_in, c_out, stride))
            self.convs.append(conv3x3(c_out, c_out))
            self.norms.append(nn.BatchNorm2d(c_out))
            self.norms.append(nn.BatchNorm2d(c_out))
        self.head = nn.Linear(WIDTHS[-1], 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norms[0](self.convs[0](x)).clamp(min=0)
        for i in range(1, len(self.convs), 2):
            y = self.norms[i](self.convs[i](x)).clamp(min=0)
            y = self.norms[i + 1](self.convs[i + 1](y))
            if y.shape != x.shape:
                small = x[:, :, ::2, ::2]
                x = torch.cat([small, torch.zeros_like(small)], dim=1)
            x = (x + y).clamp(min=0)
        return self.head(x.flatten(2).mean(2))  # type: ignore[no-any-return]


class WithIdentity(nn.Module):
    """Full pre-activation; the shortcut is always a module."""

    def __init__(self, c_in: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.skip: nn.Module = nn.Identity()
        self.before: nn.Module = nn.Identity()
        self.inside: nn.Module = nn.Sequential(nn.BatchNorm2d(c_in), nn.ReLU())
        if stride != 1 or c_in != c_out:
            self.skip = conv1x1(c_in, c_out, stride)
            self.before, self.inside = self.inside, self.before
        self.body = nn.Sequential(
            conv3x3(c_in, c_out, stride),
            nn.BatchNorm2d(c_out),
            nn.ReLU(),
            nn.Identity(),
            conv3x3(c_out, c_out),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.before(x)
        return self.body(self.inside(x)) + self.skip(x)  # type: ignore[no-any-return]


def with_identity() -> nn.Module:
    """A network of units whose shortcuts are modules."""
    return nn.Sequential(
        conv3x3(3, WIDTHS[0]),
        *[WithIdentity(*size) for size in sizes()],
        nn.BatchNorm2d(WIDTHS[-1]),
        nn.ReLU(),
        nn.AvgPool2d(8),
        nn.Flatten(),
        nn.Linear(WIDTHS[-1], 10),
    )


RIGHT = {
    "pre-activation": Specimen(PreNet, meant=PRE),
    "original": Specimen(OriginalNet, meant=ORIGINAL),
    "inlined": Specimen(Inlined, meant=ORIGINAL),
    "identity-modules": Specimen(with_identity, meant=PRE),
}
"""Right networks in other people's ways of writing, by name."""
