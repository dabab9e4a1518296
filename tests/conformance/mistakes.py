"""Kinds of mistakes, each a change of one part; their names are code.

`change(parts, k, mode)` changes the parts at a position (1 to 9; 0 is the
stem), in a mode.
"""

import random
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as nnf
from torch import nn

from conformance.parts import CLASSES, ORIGINAL, PRE, Parts, active
from preact.book.bugs.zoo.right import WIDTHS, conv1x1, conv3x3

ALWAYS, TRAINING, EVALUATION = MODES = ("always", "training", "evaluation")
NOISE = np.random.default_rng(0)
EVERY = tuple(range(1, 10))
WIDENING = (4, 7)
BOTH = (PRE, ORIGINAL)


class Kind(NamedTuple):
    """One way to go wrong, and where and when it can be."""

    change: object
    positions: tuple = EVERY
    modes: tuple = (ALWAYS,)
    rows: tuple = BOTH


class In(nn.Module):
    """A function, or a layer, that is there in one mode only."""

    def __init__(self, mode, function):
        super().__init__()
        self.mode, self.function = mode, function

    def forward(self, x):
        mode = TRAINING if self.training else EVALUATION
        return self.function(x) if self.mode in (ALWAYS, mode) else x


class Gain(nn.Module):
    """A learned factor that begins at 1."""

    def __init__(self, _):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.gain * x


class Conv1x1(nn.Conv2d):
    """A convolution of one pixel."""

    def __init__(self, width):
        super().__init__(width, width, 1, bias=False)


class Frozen(nn.BatchNorm2d):
    """A BN that no `train()` wakes."""

    def train(self, mode=True):
        return super().train(False)


# ------------------------------------------ a function at one of five places
RANDOM = {
    "dropout(x, 0.2)": partial(nnf.dropout, p=0.2),
    "x + torch.randn_like(x)": lambda x: x + torch.randn_like(x),
    "x + np.random.randn(*x.shape)": lambda x: (
        x + torch.from_numpy(NOISE.standard_normal(x.shape)).to(x)
    ),
    "random.gauss(1, 0.1) * x": lambda x: random.gauss(1, 0.1) * x,
}
INSIDE = {
    **RANDOM,
    "x.detach()": torch.Tensor.detach,
    "relu(x)": nnf.relu,
    "tanh(x)": torch.tanh,
    "gelu(x)": nnf.gelu,
}
LINEAR = {
    "0.5 * x": lambda x: 0.5 * x,
    "0.999 * x": lambda x: 0.999 * x,
    "gain * x": Gain,
    "BatchNorm2d(c)(x)": nn.BatchNorm2d,
}
ANYWHERE = {
    **INSIDE,
    **LINEAR,
    "-x": lambda x: -x,
    "Conv2d(c, c, 1)(x)": Conv1x1,
    "x.clamp(-1e3, 1e3)": lambda x: x.clamp(-1e3, 1e3),
    "instance_norm(x)": nnf.instance_norm,
    "max_pool2d(x, 3, 1, 1)": lambda x: nnf.max_pool2d(x, 3, 1, 1),
    "x.flip(1)": lambda x: x.flip(1),
    "x.roll(1, 0)": lambda x: x.roll(1, 0),
    "x - x.mean()": lambda x: x - x.mean(),
    "x.float()": torch.Tensor.float,
}
PLACES = {
    "shortcut": ("on_shortcut", ANYWHERE),
    "stream": ("on_stream", ANYWHERE),
    "start": ("start", INSIDE),
    "inside": ("inside", INSIDE),
    "end": ("end", {**INSIDE, **LINEAR}),
}


def placed(place, name):
    """The kind that puts a function, or a layer of a width, at a place."""
    slot, functions = PLACES[place]
    function = functions[name]

    def made(mode, width):
        is_layer = isinstance(function, type)
        return In(mode, function(width) if is_layer else function)

    def change(parts, k, mode):
        if k == 0:
            parts.stem.append(made(mode, parts.units[0].c_in))
            return
        unit = parts.units[k - 1]
        width = unit.c_in if slot == "start" else unit.c_out
        setattr(unit, slot, made(mode, width))

    modes, positions = MODES, EVERY
    if name in RANDOM and place in ("start", "inside", "end"):
        modes = (ALWAYS, EVALUATION)  # in training it is a regularizer
    if place == "stream":
        positions = (0, *EVERY)
    return Kind(change, positions, modes)


# ------------------------------------------------- a change of a unit's parts
def unit(edit, positions=EVERY, rows=BOTH):
    """Edit one unit."""

    def change(parts, k, mode):
        edit(parts.units[k - 1])

    return Kind(change, positions, rows=rows)


def part(name, make, positions=EVERY, rows=BOTH):
    """Something else in the place of a unit's part."""
    return unit(lambda u: setattr(u, name, make(u)), positions, rows)


def add(join):
    """Something else in the place of the addition."""
    return part("add", lambda u: join)


def conv2(side=3, **facts):
    """Another second convolution."""
    facts = {"bias": False, "padding": side // 2, **facts}
    return part("conv2", lambda u: nn.Conv2d(u.c_out, u.c_out, side, **facts))


def projection(make, raw=None, rows=BOTH):
    """Something else instead of the projection, perhaps of x itself."""

    def edit(u):
        u.projection = nn.ModuleList(make(u))
        u.raw = bool(raw)

    return unit(edit, WIDENING, rows)


def thin(u):
    """Half of the width between the convolutions."""
    inner = u.c_out // 2
    u.conv1 = conv3x3(u.c_in, inner, u.stride)
    setattr(u, "norm2" if u.row == PRE else "norm1", nn.BatchNorm2d(inner))
    u.conv2 = conv3x3(inner, u.c_out)


def swap(u):
    """ReLU, then BN."""
    u.norm1, u.relu1 = u.relu1, u.norm1


def unstride(u):
    """The width doubles, the side stays."""
    for conv in u.modules():
        if isinstance(conv, nn.Conv2d):
            conv.stride = (1, 1)


def repeat(parts, k, mode):
    """The unit before once more."""
    parts.units[k - 1] = parts.units[k - 2]


NORMS = {
    "momentum = 1": partial(nn.BatchNorm2d, momentum=1.0),
    "momentum = 0": partial(nn.BatchNorm2d, momentum=0.0),
    "eps = 1": partial(nn.BatchNorm2d, eps=1.0),
    "affine = False": partial(nn.BatchNorm2d, affine=False),
    "track_running_stats = False": partial(
        nn.BatchNorm2d, track_running_stats=False
    ),
    "eval()": Frozen,
    "GroupNorm(1, c)": partial(nn.GroupNorm, 1),
    "InstanceNorm2d(c)": nn.InstanceNorm2d,
    "Identity()": nn.Identity,
}
RELUS = {
    "Identity()": nn.Identity,
    "GELU()": nn.GELU,
    "ReLU6()": nn.ReLU6,
    "Tanh()": nn.Tanh,
}
LAYERS = {
    "conv1.bias": part(
        "conv1", lambda u: nn.Conv2d(u.c_in, u.c_out, 3, u.stride, 1)
    ),
    "conv2.bias": conv2(bias=True),
    "conv2 = Conv2d(c, c, 5)": conv2(5),
    "conv2 = Conv2d(c, c, 1)": conv2(1),
    "conv2.dilation = 2": conv2(dilation=2, padding=2),
    "conv2.groups = 2": conv2(groups=2),
    "conv2.padding_mode = 'circular'": conv2(padding_mode="circular"),
    "conv2 = Identity()": part("conv2", lambda u: nn.Identity()),
    "conv3(f)": part("end", lambda u: conv3x3(u.c_out, u.c_out)),
    "conv1 = Conv2d(c, c // 2, 3)": unit(thin),
    "relu(bn(relu(bn(x))))": part(
        "inside", lambda u: nn.Sequential(*active(u.c_out))
    ),
    "bn1(relu1(x))": unit(swap),
    "units[k] = units[k - 1]": Kind(repeat, (2, 3, 6, 9)),
    "x.relu_()": part("start", lambda u: nn.ReLU(inplace=True), rows=(PRE,)),
    **{
        f"bn{nth}: {name}": part(
            f"norm{nth}",
            lambda u, make=make, nth=nth: make(
                getattr(u, f"norm{nth}").num_features
            ),
        )
        for name, make in NORMS.items()
        for nth in (1, 2)
    },
    **{
        f"{slot}: {name}": part(slot, lambda u, make=make: make())
        for name, make in RELUS.items()
        for slot in ("relu1", "relu2")
    },
}
ADDED = {
    "f": add(lambda h, f: f),
    "h + 0 * f": add(lambda h, f: h + 0 * f),
    "h + h + f": add(lambda h, f: h + h + f),
    "maximum(h, f)": add(torch.maximum),
    "h * f": add(torch.mul),
    "lerp(h, f, 0.5)": add(lambda h, f: torch.lerp(h, f, 0.5)),
    "cat([h[:1] + f[:1], f[1:]])": add(
        lambda h, f: torch.cat([h[:1] + f[:1], f[1:]])
    ),
}
PROJECTIONS = {
    "projection(x)": projection(lambda u: u.projection, True, (PRE,)),
    "projection(relu(bn(x)))": projection(
        lambda u: [*active(u.c_in), *u.projection], True, (PRE,)
    ),
    "projection(relu(x))": projection(
        lambda u: [nn.ReLU(), *u.projection], True, (PRE,)
    ),
    "projection.bias": projection(
        lambda u: [nn.Conv2d(u.c_in, u.c_out, 1, u.stride), *u.projection[1:]]
    ),
    "Conv2d(c, 2 * c, 3)": projection(
        lambda u: [conv3x3(u.c_in, u.c_out, u.stride), *u.projection[1:]]
    ),
    "Conv2d(c, 2 * c, 1)(avg_pool2d(x, 2))": projection(
        lambda u: [
            *(nn.AvgPool2d(2), conv1x1(u.c_in, u.c_out)),
            *u.projection[1:],
        ]
    ),
    "Conv2d(2 * c, 2 * c, 1)(projection(x))": projection(
        lambda u: [*u.projection, conv1x1(u.c_out, u.c_out)]
    ),
    "stride = 1": unit(unstride, WIDENING),
}


# ------------------------------------------------------- ends, whole networks
def end(name, make, rows=BOTH):
    """Something else in the place of a network's part."""

    def change(parts, k, mode):
        setattr(parts, name, make(getattr(parts, name)))

    return Kind(change, (1 if name in ("stem", "units") else 9,), rows=rows)


def head(*layers):
    """Something behind the classifier."""
    return end("classifier", lambda c: nn.Sequential(c, *layers))


def counts(*numbers):
    """Another number of units."""
    return end("units", lambda u: Parts(u[0].row, numbers).units)


def pool_first(parts, k, mode):
    """Pool, and activate only then."""
    parts.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), *parts.tail)
    parts.tail = []


def everywhere(kind):
    """A kind at every position at once."""

    def change(parts, k, mode):
        for at in EVERY:
            kind.change(parts, at, mode)

    return kind._replace(change=change, positions=(1,))


STEM = WIDTHS[0]
NETWORKS = {
    "tail = []": end("tail", lambda t: [], (PRE,)),
    "tail = [bn]": end("tail", lambda t: t[:1], (PRE,)),
    "tail = [relu]": end("tail", lambda t: t[1:], (PRE,)),
    "tail += [bn, relu]": end("tail", lambda t: t + active(WIDTHS[-1])),
    "dropout(x, 0.2)": end(
        "tail", lambda t: [*t, In(ALWAYS, partial(nnf.dropout, p=0.2))]
    ),
    "x.detach()": end("tail", lambda t: [*t, In(ALWAYS, torch.detach)]),
    "relu(bn(pool(x)))": Kind(pool_first, (9,), rows=(PRE,)),
    "AdaptiveMaxPool2d(1)": end("pool", lambda _: nn.AdaptiveMaxPool2d(1)),
    "softmax(logits)": head(nn.Softmax(-1)),
    "relu(logits)": head(nn.ReLU()),
    "Linear(c, 10, bias=False)": end(
        "classifier", lambda _: nn.Linear(WIDTHS[-1], CLASSES, bias=False)
    ),
    "stem += [bn, relu]": end("stem", lambda s: [*s, *active(STEM)]),
    "stem = [conv]": end("stem", lambda s: s[:1], (ORIGINAL,)),
    "stem = Conv2d(3, c, 5)": end(
        "stem", lambda s: [nn.Conv2d(3, STEM, 5, 1, 2, bias=False), *s[1:]]
    ),
    "stem.stride = 2": end("stem", lambda s: [conv3x3(3, STEM, 2), *s[1:]]),
    "3 + 4 + 3": counts(3, 4, 3),
    "2 + 3 + 3": counts(2, 3, 3),
    "h + f if random.random() < 0.5 else h": everywhere(
        add(lambda h, f: h + f if random.random() < 0.5 else h)
    ),
    **{
        f"{name} for unit in units": everywhere(LAYERS[name])
        for name in (
            *("conv2 = Conv2d(c, c, 5)", "conv1.bias", "bn1: momentum = 1"),
            *("bn1: GroupNorm(1, c)", "bn1: eval()", "relu2: GELU()"),
            *("relu2: ReLU6()", "relu2: Identity()", "x.relu_()"),
        )
    },
}
KINDS = {
    **{
        (place, name): placed(place, name)
        for place, (_, functions) in PLACES.items()
        for name in functions
    },
    **{
        (place, name): kind
        for place, kinds in {
            "addition": ADDED,
            "layers": LAYERS,
            "projection": PROJECTIONS,
            "ends": NETWORKS,
        }.items()
        for name, kind in kinds.items()
    },
}
