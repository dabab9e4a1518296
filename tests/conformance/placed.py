"""Mistakes that are put at one of a unit's places; their names are code."""

import random
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from conformance.parts import (
    ORIGINAL,
    PRE,
    Parts,
)
from preact.book.bugs.zoo.right import conv1x1

ALWAYS, TRAINING, EVALUATION = MODES = ("always", "training", "evaluation")
NOISE = np.random.default_rng(0)
EVERY = tuple(range(1, 10))

Change = Callable[[Parts, int, str], None]
"""Changes the parts, at a position (1 to 9; 0 is the stem), in a mode."""


class Kind(NamedTuple):
    """One way to go wrong, and where and when it can be."""

    change: Change
    positions: tuple[int, ...] = EVERY
    modes: tuple[str, ...] = (ALWAYS,)
    rows: tuple[str, ...] = (PRE, ORIGINAL)


class In(nn.Module):
    """A function, or a layer, that is there in one mode only."""

    def __init__(self, mode: str, function: Callable[[Tensor], Tensor]):
        super().__init__()
        self.mode, self.function = mode, function

    def forward(self, x: Tensor) -> Tensor:
        mode = TRAINING if self.training else EVALUATION
        return self.function(x) if self.mode in (ALWAYS, mode) else x


class Gain(nn.Module):
    """A learned factor that begins at 1."""

    def __init__(self) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        return self.gain * x


Function = Callable[[Tensor], Tensor]


def same(function: Function) -> Callable[[int], Function]:
    """The same function at any width."""
    return lambda _: function


RANDOM: dict[str, Callable[[int], Function]] = {
    "dropout(x, 0.2)": same(partial(nnf.dropout, p=0.2)),
    "x + torch.randn_like(x)": same(lambda x: x + torch.randn_like(x)),
    "x + np.random.randn(*x.shape)": same(
        lambda x: x + torch.from_numpy(NOISE.standard_normal(x.shape)).to(x)
    ),
    "random.gauss(1, 0.1) * x": same(lambda x: random.gauss(1, 0.1) * x),
}
CUT: dict[str, Callable[[int], Function]] = {
    "x.detach()": same(Tensor.detach),
}
ACTIVE: dict[str, Callable[[int], Function]] = {
    "relu(x)": same(nnf.relu),
    "tanh(x)": same(torch.tanh),
    "gelu(x)": same(nnf.gelu),
}
LINEAR: dict[str, Callable[[int], Function]] = {
    "0.5 * x": same(lambda x: 0.5 * x),
    "0.9 * x": same(lambda x: 0.9 * x),
    "0.999 * x": same(lambda x: 0.999 * x),
    "x / 2**0.5": same(lambda x: x / 2**0.5),
    "gain * x": lambda _: Gain(),
    "BatchNorm2d(c)(x)": nn.BatchNorm2d,
}
OTHER: dict[str, Callable[[int], Function]] = {
    "-x": same(lambda x: -x),
    "Conv2d(c, c, 1)(x)": lambda c: conv1x1(c, c),
    "x.clamp(-6, 6)": same(lambda x: x.clamp(-6, 6)),
    "x.clamp(-1e3, 1e3)": same(lambda x: x.clamp(-1e3, 1e3)),
    "x.half().float()": same(lambda x: x.half().float()),
    "instance_norm(x)": same(nnf.instance_norm),
    "max_pool2d(x, 3, 1, 1)": same(lambda x: nnf.max_pool2d(x, 3, 1, 1)),
    "x.flip(1)": same(lambda x: x.flip(1)),
    "x.roll(1, 0)": same(lambda x: x.roll(1, 0)),
    "x - x.mean()": same(lambda x: x - x.mean()),
    "x.float()": same(Tensor.float),
}


def put(place: str, make: Callable[[int], Function]) -> Change:
    """A function that is put at one of a unit's places."""

    def change(parts: Parts, k: int, mode: str) -> None:
        if k == 0:
            parts.stem.append(In(mode, make(parts.units[0].c_in)))
            return
        unit = parts.units[k - 1]
        width = unit.c_in if place == "start" else unit.c_out
        setattr(unit, place, In(mode, make(width)))

    return change


ANYWHERE = {**RANDOM, **CUT, **ACTIVE, **LINEAR, **OTHER}
PLACES: dict[str, tuple[str, dict[str, Callable[[int], Function]]]] = {
    "shortcut": ("on_shortcut", ANYWHERE),
    "stream": ("on_stream", ANYWHERE),
    "start": ("start", {**RANDOM, **CUT, **ACTIVE}),
    "inside": ("inside", {**RANDOM, **CUT, **ACTIVE}),
    "end": ("end", {**RANDOM, **CUT, **ACTIVE, **LINEAR}),
}


def placed(place: str, name: str) -> Kind:
    """The kind that puts a function at a place."""
    slot, functions = PLACES[place]
    modes: tuple[str, ...] = MODES
    if name in RANDOM and place in ("start", "inside", "end"):
        modes = (ALWAYS, EVALUATION)  # in training it is a regularizer
    positions = (0, *EVERY) if place == "stream" else EVERY
    return Kind(put(slot, functions[name]), positions, modes)


def added(join: Callable[[Tensor, Tensor], Tensor]) -> Change:
    """Something else where the addition stood."""

    def change(parts: Parts, k: int, mode: str) -> None:
        parts.units[k - 1].add = join

    return change


def half_added(h: Tensor, f: Tensor) -> Tensor:
    """The first image only."""
    return torch.cat([h[:1] + f[:1], f[1:]])


ADDED: dict[str, Kind] = {
    "f": Kind(added(lambda h, f: f)),
    "h + 0 * f": Kind(added(lambda h, f: h + 0 * f)),
    "h + h + f": Kind(added(lambda h, f: h + h + f)),
    "maximum(h, f)": Kind(added(torch.maximum)),
    "h * f": Kind(added(torch.mul)),
    "lerp(h, f, 0.5)": Kind(added(lambda h, f: torch.lerp(h, f, 0.5))),
    "cat([h[:1] + f[:1], f[1:]])": Kind(added(half_added)),
}
