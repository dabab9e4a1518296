"""Kinds of mistakes, each a change of one part; their names are code."""

import random
from collections.abc import Callable
from functools import partial

import torch.nn.functional as nnf
from torch import Tensor, nn

from conformance.changed import LAYERS, Frozen
from conformance.parts import (
    CLASSES,
    ORIGINAL,
    PRE,
    Layers,
    Parts,
    Unit,
)
from conformance.placed import (
    ADDED,
    ALWAYS,
    EVERY,
    PLACES,
    Change,
    In,
    Kind,
    placed,
)
from preact.book.bugs.zoo.right import WIDTHS, conv1x1, conv3x3

WIDENING = (4, 7)


def raw(parts: Parts, k: int, mode: str) -> None:
    """The projection reads x."""
    parts.units[k - 1].raw = True


def projected(make: Callable[[Unit], Layers], is_raw: bool = False) -> Change:
    """Something else instead of the projection."""

    def change(parts: Parts, k: int, mode: str) -> None:
        unit = parts.units[k - 1]
        unit.projection = nn.ModuleList(make(unit))
        unit.raw = is_raw

    return change


def own(unit: Unit) -> Layers:
    """An activation of its own."""
    return [nn.BatchNorm2d(unit.c_in), nn.ReLU(), *unit.projection]


def unstrided(parts: Parts, k: int, mode: str) -> None:
    """The width doubles, the side stays."""
    for part in parts.units[k - 1].modules():
        if isinstance(part, nn.Conv2d):
            part.stride = (1, 1)


PROJECTIONS: dict[str, Kind] = {
    "projection(x)": Kind(raw, WIDENING, rows=(PRE,)),
    "projection(relu(bn(x)))": Kind(
        projected(own, True), WIDENING, rows=(PRE,)
    ),
    "projection(relu(x))": Kind(
        projected(lambda u: [nn.ReLU(), *u.projection], True),
        WIDENING,
        rows=(PRE,),
    ),
    "projection.bias": Kind(
        projected(
            lambda u: [
                nn.Conv2d(u.c_in, u.c_out, 1, u.stride),
                *list(u.projection)[1:],
            ]
        ),
        WIDENING,
    ),
    "Conv2d(c, 2 * c, 3)": Kind(
        projected(
            lambda u: [
                conv3x3(u.c_in, u.c_out, u.stride),
                *list(u.projection)[1:],
            ]
        ),
        WIDENING,
    ),
    "Conv2d(c, 2 * c, 1)(avg_pool2d(x, 2))": Kind(
        projected(
            lambda u: [
                nn.AvgPool2d(2),
                conv1x1(u.c_in, u.c_out),
                *list(u.projection)[1:],
            ]
        ),
        WIDENING,
    ),
    "Conv2d(2 * c, 2 * c, 1)(projection(x))": Kind(
        projected(lambda u: [*u.projection, conv1x1(u.c_out, u.c_out)]),
        WIDENING,
    ),
    "stride = 1": Kind(unstrided, WIDENING),
}


def tail(make: Callable[[Layers], Layers]) -> Change:
    """Something else before the pooling."""

    def change(parts: Parts, k: int, mode: str) -> None:
        parts.tail = make(parts.tail)

    return change


def stem(make: Callable[[Layers], Layers]) -> Change:
    """Something else before the first unit."""

    def change(parts: Parts, k: int, mode: str) -> None:
        parts.stem = make(parts.stem)

    return change


def head(make: Callable[[Parts], nn.Module]) -> Change:
    """Something else in the classifier's place."""

    def change(parts: Parts, k: int, mode: str) -> None:
        parts.classifier = make(parts)

    return change


def pool(make: Callable[[], nn.Module]) -> Change:
    """Something else in the pooling's place."""

    def change(parts: Parts, k: int, mode: str) -> None:
        parts.pool = make()

    return change


def skipping(parts: Parts, k: int, mode: str) -> None:
    """Stochastic depth that evaluation knows nothing of."""
    for unit in parts.units:
        unit.add = lambda h, f: h + f if random.random() < 0.5 else h


def pooled_first(parts: Parts, k: int, mode: str) -> None:
    """Pooled, and activated only then."""
    parts.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), *parts.tail)
    parts.tail = []


def counts(*numbers: int) -> Change:
    """Another number of units."""

    def change(parts: Parts, k: int, mode: str) -> None:
        parts.units = Parts(parts.row, numbers).units

    return change


def frozen(parts: Parts, k: int, mode: str) -> None:
    """Every BN of every unit."""
    for unit in parts.units:
        unit.norm1 = Frozen(unit.norm1.num_features)  # type: ignore[arg-type]
        unit.norm2 = Frozen(unit.c_out)


def everywhere(name: str) -> Change:
    """A change of a layer in every unit."""

    def change(parts: Parts, k: int, mode: str) -> None:
        for at in EVERY:
            LAYERS[name].change(parts, at, mode)

    return change


def active() -> Layers:
    """BN and ReLU of the last width."""
    return [nn.BatchNorm2d(WIDTHS[-1]), nn.ReLU()]


NETWORKS: dict[str, Kind] = {
    "tail = []": Kind(tail(lambda _: []), (9,), rows=(PRE,)),
    "tail = [bn]": Kind(tail(lambda t: t[:1]), (9,), rows=(PRE,)),
    "tail = [relu]": Kind(tail(lambda t: t[1:]), (9,), rows=(PRE,)),
    "tail += [bn, relu]": Kind(tail(lambda t: t + active()), (9,)),
    "relu(bn(pool(x)))": Kind(pooled_first, (9,), rows=(PRE,)),
    "AdaptiveMaxPool2d(1)": Kind(pool(lambda: nn.AdaptiveMaxPool2d(1)), (9,)),
    "dropout(x, 0.2)": Kind(
        tail(lambda t: [*t, In(ALWAYS, partial(nnf.dropout, p=0.2))]), (9,)
    ),
    "x.detach()": Kind(tail(lambda t: [*t, In(ALWAYS, Tensor.detach)]), (9,)),
    "softmax(logits)": Kind(
        head(lambda p: nn.Sequential(p.classifier, nn.Softmax(-1))), (9,)
    ),
    "relu(logits)": Kind(
        head(lambda p: nn.Sequential(p.classifier, nn.ReLU())), (9,)
    ),
    "Linear(c, 10, bias=False)": Kind(
        head(lambda p: nn.Linear(WIDTHS[-1], CLASSES, bias=False)), (9,)
    ),
    "stem += [bn, relu]": Kind(
        stem(lambda s: [*s, nn.BatchNorm2d(WIDTHS[0]), nn.ReLU()]), (1,)
    ),
    "stem = [conv]": Kind(stem(lambda s: s[:1]), (1,), rows=(ORIGINAL,)),
    "stem = Conv2d(3, c, 5)": Kind(
        stem(lambda s: [nn.Conv2d(3, WIDTHS[0], 5, 1, 2, bias=False), *s[1:]]),
        (1,),
    ),
    "stem.stride = 2": Kind(
        stem(lambda s: [conv3x3(3, WIDTHS[0], 2), *s[1:]]), (1,)
    ),
    "3 + 4 + 3": Kind(counts(3, 4, 3), (1,)),
    "2 + 3 + 3": Kind(counts(2, 3, 3), (1,)),
    "h + f if random.random() < 0.5 else h": Kind(skipping, (1,)),
    "bn.eval() for bn in units": Kind(frozen, (1,)),
    **{
        f"{name} for unit in units": Kind(everywhere(name), (1,), rows=rows)
        for name, rows in (
            ("conv1 = Conv2d(c, c, 5)", (PRE, ORIGINAL)),
            ("conv1.bias", (PRE, ORIGINAL)),
            ("bn1: momentum = 1", (PRE, ORIGINAL)),
            ("bn1: GroupNorm(1, c)", (PRE, ORIGINAL)),
            ("relu2: GELU()", (PRE, ORIGINAL)),
            ("relu2: ReLU6()", (PRE, ORIGINAL)),
            ("relu2: Identity()", (PRE, ORIGINAL)),
            ("x.relu_()", (PRE,)),
        )
    },
}
KINDS: dict[tuple[str, str], Kind] = {
    **{
        (place, name): placed(place, name)
        for place, (_, functions) in PLACES.items()
        for name in functions
    },
    **{("addition", name): kind for name, kind in ADDED.items()},
    **{("layers", name): kind for name, kind in LAYERS.items()},
    **{("projection", name): kind for name, kind in PROJECTIONS.items()},
    **{("ends", name): kind for name, kind in NETWORKS.items()},
}
