"""Passes with values: shortcuts compared, branches zeroed, regions judged."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeGuard

import torch
import torch.nn.functional as nnf
from torch import Tensor

from preact.conformance.anatomy import Anatomy
from preact.conformance.graph import Graph, Kind, Node
from preact.conformance.trace import See, Zero

Run = Callable[[See, Zero], Graph]
"""Runs a network again, with the same images and random numbers."""
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "ReLU": nnf.relu,
    "gelu": nnf.gelu,
    "gelu of tanh": partial(nnf.gelu, approximate="tanh"),
    "silu": nnf.silu,
    "mish": nnf.mish,
    "hardswish": nnf.hardswish,
}
CLOSE = 1e-2  # how near deviation 1 a normalized value comes
CENTERED = 1e-3  # how near mean 0: an RMS norm comes near it by chance


@dataclass(frozen=True)
class Measured:
    """What a pass with F = 0 has shown of each addition."""

    factor: dict[int, float]
    """<h, x> / <x, x> of each shortcut h and its tap x."""
    error: dict[int, float]
    """max |h - x| / max |x| of the same."""
    moved: dict[int, float]
    """How far a unit with F = 0 moves the stream, relative to max |x|."""


def tells(x: Tensor | None) -> TypeGuard[Tensor]:
    """Whether anything follows from a value: not from zeros, nor from NaN."""
    if x is None or not x.numel():
        return False
    largest = x.abs().max()
    return bool(largest.isfinite()) and bool(largest > 0)


def distance(y: Tensor, x: Tensor) -> float:
    """The largest difference, relative to the largest value of x."""
    return ((y - x).abs().max() / x.abs().max()).item()


def _values(
    graph: Graph, run: Run, wanted: set[int], zero: Zero | None = None
) -> dict[int, Tensor]:
    """Run again and keep the values of nodes; none if the pass differs."""
    kept: dict[int, Tensor] = {}

    def see(node: Node, value: Tensor) -> None:
        if node.index in wanted:
            kept[node.index] = value.detach().clone()

    if not wanted or not run(see, zero or {}).is_like(graph):
        return {}
    return kept


def measure(anatomy: Anatomy, run: Run) -> Measured:
    """Run with F = 0, and compare shortcuts and sums with their taps."""
    units = [unit for unit in anatomy.units if unit.keeps_shape]
    zero = _branches(anatomy)
    ends = {unit.before: end for unit, _, end in anatomy.streams}
    wanted = {i for u in units for i in (u.tap, u.add, u.shortcuts[0].node)}
    values = _values(anatomy.graph, run, wanted | {*ends.values()}, zero)
    measured = Measured({}, {}, {})
    for unit in units:
        x, shortcut = values.get(unit.tap), unit.shortcuts[0]
        if not tells(x):
            continue
        if shortcut.node in values:
            h = shortcut.times * values[shortcut.node]
            factor = (h * x).sum() / (x * x).sum()
            measured.factor[unit.add] = factor.item()
            measured.error[unit.add] = distance(h, x)
        y = values.get(ends.get(unit.add, unit.add))  # the next unit begins
        if y is None or y.shape != x.shape:
            y = values.get(unit.add)
        if zero and y is not None:
            measured.moved[unit.add] = distance(y, x)
    return measured


def _branches(anatomy: Anatomy) -> dict[int, set[int]]:
    """Which terms of an addition are branches; none if a sum is of sums."""
    zero = {}
    for unit in anatomy.units:
        parents = anatomy.graph.nodes[unit.add].parents
        branches = {term.node for term in unit.branches}
        if {*parents} != branches | {term.node for term in unit.shortcuts}:
            return {}
        zero[unit.add] = {i for i, p in enumerate(parents) if p in branches}
    return zero


def judge(anatomy: Anatomy, run: Run) -> bool:
    """Find out by their values what operations compute, joined or unknown.

    Return whether something was learned, so that names have changed.
    """
    terms = [t for u in anatomy.units for t in (*u.shortcuts, *u.branches)]
    trunks = [unit.trunk for unit in anatomy.units]
    steps = {
        step.node.index: step
        for path in (anatomy.tail, *trunks, *(term.steps for term in terms))
        for step in path
        if step.name in ("unknown norm", "unknown function")
        or step.node.kind in (Kind.OTHER, Kind.REDUCE, Kind.POOL)
    }
    wanted = {*steps} | {step.start for step in steps.values()}
    values = _values(anatomy.graph, run, wanted)
    learned = False
    for index, step in steps.items():
        x, y = values.get(step.start), values.get(index)
        if y is None or not tells(x):
            continue
        name = what_is(x, y)
        if name is None and step.name == "unknown norm":
            name = which_norm(x, y)
        if name is not None:
            step.node.facts.judged = name
            learned = True
    return learned


def what_is(x: Tensor, y: Tensor) -> str | None:
    """Name the function that made y of x, "" for the identity, if known.

    Images first, channels second.
    """
    rounded = 1e-5 if y.dtype.itemsize > 2 else 1e-2
    x, y = x.float(), y.float()
    if x.shape == y.shape:
        if torch.equal(x, y):
            return ""
        for name, function in ACTIVATIONS.items():
            by = 0 if name == "ReLU" else rounded
            if torch.allclose(function(x), y, rtol=by, atol=by):
                return name
    elif x.ndim > 2 and y.numel() == x.shape[:2].numel() and y.any():
        pixels, y = x.flatten(2), y.reshape(x.shape[:2])
        if distance(pixels.mean(2), y) < rounded:
            return "global pool"
        if torch.equal(pixels.amax(2), y):
            return "max pool"
    return None


def which_norm(x: Tensor, y: Tensor) -> str | None:
    """Name the normalization that made y of x, if it is known."""
    x, y = x.float(), y.float()
    if x.shape != y.shape:
        return None
    pixels = [*range(2, x.ndim)]
    for name, dims in (
        ("BN", [0, *pixels]),
        ("instance norm", pixels),
        ("layer norm", [1, *pixels]),
        ("layer norm", [1]),
        ("layer norm", [-1]),
    ):
        if dims and _is_standard(x, y, dims):
            return name
    squares = (y * y).mean(-1)
    return "RMS norm" if ((squares - 1).abs() < CLOSE).all() else None


def _is_standard(x: Tensor, y: Tensor, dims: list[int]) -> bool:
    """Whether y has mean 0 and deviation 1 wherever x varies."""
    varies = x.var(dims, unbiased=False) > 1e-4
    mean = y.mean(dims)[varies]
    deviation = y.std(dims, unbiased=False)[varies]
    return bool(varies.any()) and bool(
        (mean.abs() < CENTERED).all()
        and ((deviation - 1).abs() < 2 * CLOSE).all()
    )
