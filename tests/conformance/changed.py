"""Mistakes that are another layer of a unit's branch; their names are code."""

from collections.abc import Callable
from functools import partial

from torch import nn

from conformance.parts import PRE, Parts, Unit
from conformance.placed import Change, Kind
from preact.book.bugs.zoo.right import conv3x3


def layer(name: str, make: Callable[[Unit], nn.Module]) -> Change:
    """Another layer in a unit."""

    def change(parts: Parts, k: int, mode: str) -> None:
        unit = parts.units[k - 1]
        setattr(unit, name, make(unit))

    return change


def conv1(side: int = 3, **facts: object) -> Change:
    """Another first convolution."""
    facts = {"bias": False, "padding": side // 2, **facts}
    return layer(
        "conv1",
        lambda u: nn.Conv2d(u.c_in, u.c_out, side, u.stride, **facts),  # type: ignore[arg-type]
    )


def conv2(side: int = 3, **facts: object) -> Change:
    """Another second convolution."""
    facts = {"bias": False, "padding": side // 2, **facts}
    return layer(
        "conv2",
        lambda u: nn.Conv2d(u.c_out, u.c_out, side, **facts),  # type: ignore[arg-type]
    )


def norm(make: Callable[[int], nn.Module]) -> tuple[Change, Change]:
    """Another first, or second, normalization."""
    return (
        layer("norm1", lambda u: make(u.norm1.num_features)),  # type: ignore[arg-type]
        layer("norm2", lambda u: make(u.c_out)),
    )


class Frozen(nn.BatchNorm2d):
    """A BN that no `train()` wakes."""

    def train(self, mode: bool = True) -> "Frozen":
        return super().train(False)


def twice(parts: Parts, k: int, mode: str) -> None:
    """BN and ReLU once more."""
    unit = parts.units[k - 1]
    unit.inside = nn.Sequential(
        *unit.inside.children(), nn.BatchNorm2d(unit.c_out), nn.ReLU()
    )


def swapped(parts: Parts, k: int, mode: str) -> None:
    """ReLU, then BN."""
    unit = parts.units[k - 1]
    if unit.row == PRE:
        unit.norm1, unit.relu1 = unit.relu1, unit.norm1
    else:
        unit.norm1, unit.relu1 = unit.relu1, unit.norm1


def shared(parts: Parts, k: int, mode: str) -> None:
    """The unit before once more."""
    parts.units[k - 1] = parts.units[k - 2]


def thin(parts: Parts, k: int, mode: str) -> None:
    """Half of the width between the convolutions."""
    unit = parts.units[k - 1]
    inner = unit.c_out // 2
    unit.conv1 = conv3x3(unit.c_in, inner, unit.stride)
    if unit.row == PRE:
        unit.norm2 = nn.BatchNorm2d(inner)
    else:
        unit.norm1 = nn.BatchNorm2d(inner)
    unit.conv2 = conv3x3(inner, unit.c_out)


def third(parts: Parts, k: int, mode: str) -> None:
    """One more convolution in the branch."""
    unit = parts.units[k - 1]
    unit.end = conv3x3(unit.c_out, unit.c_out)


NORMS: dict[str, tuple[Change, Change]] = {
    "momentum = 1": norm(partial(nn.BatchNorm2d, momentum=1.0)),
    "momentum = 0": norm(partial(nn.BatchNorm2d, momentum=0.0)),
    "eps = 1": norm(partial(nn.BatchNorm2d, eps=1.0)),
    "affine = False": norm(partial(nn.BatchNorm2d, affine=False)),
    "track_running_stats = False": norm(
        partial(nn.BatchNorm2d, track_running_stats=False)
    ),
    "eval()": norm(Frozen),
    "GroupNorm(1, c)": norm(partial(nn.GroupNorm, 1)),
    "InstanceNorm2d(c)": norm(nn.InstanceNorm2d),
    "Identity()": norm(lambda c: nn.Identity()),
}
RELUS: dict[str, Callable[[], nn.Module]] = {
    "Identity()": nn.Identity,
    "GELU()": nn.GELU,
    "LeakyReLU(0.1)": partial(nn.LeakyReLU, 0.1),
    "ReLU6()": nn.ReLU6,
    "SiLU()": nn.SiLU,
    "Tanh()": nn.Tanh,
}
LAYERS: dict[str, Kind] = {
    "conv1 = Conv2d(c, c, 5)": Kind(conv1(5)),
    "conv2 = Conv2d(c, c, 5)": Kind(conv2(5)),
    "conv2 = Conv2d(c, c, 1)": Kind(conv2(1)),
    "conv1.bias": Kind(conv1(bias=True)),
    "conv2.bias": Kind(conv2(bias=True)),
    "conv2.dilation = 2": Kind(conv2(dilation=2, padding=2)),
    "conv2.groups = 2": Kind(conv2(groups=2)),
    "conv2.padding_mode = 'circular'": Kind(conv2(padding_mode="circular")),
    "conv2 = Identity()": Kind(layer("conv2", lambda u: nn.Identity())),
    "conv3(f)": Kind(third),
    "conv1 = Conv2d(c, c // 2, 3)": Kind(thin),
    "relu(bn(relu(bn(x))))": Kind(twice),
    "bn1(relu1(x))": Kind(swapped),
    "units[k] = units[k - 1]": Kind(shared, (2, 3, 6, 9)),
    "x.relu_()": Kind(
        layer("start", lambda u: nn.ReLU(inplace=True)), rows=(PRE,)
    ),
    **{
        f"bn{nth}: {name}": Kind(change)
        for name, changes in NORMS.items()
        for nth, change in enumerate(changes, 1)
    },
    **{
        f"{slot}: {name}": Kind(layer(slot, lambda u, make=make: make()))  # type: ignore[misc]
        for name, make in RELUS.items()
        for slot in ("relu1", "relu2")
    },
}
