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
    """What passes with values added to a graph, by addition."""

    factor: dict[int, float]
    """<h, x> / <x, x> of each shortcut h that is not the very tensor x."""
    error: dict[int, float]
    """max |h - x| / max |x| of the same."""
    moved: dict[int, float]
    """How far a unit with F = 0 moves the stream from its tap to the next,
    relative to the largest value."""


def measure(anatomy: Anatomy, run: Run) -> Measured:
    """Compare shortcuts with their taps, then run with F = 0."""
    return Measured(*_compare(anatomy, run), _move(anatomy, run))


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
    """Run again and keep the values of nodes; none if the pass differs.

    What was changed by way of another view has no value of its own.
    """
    kept: dict[int, Tensor] = {}

    def see(node: Node, value: Tensor) -> None:
        if node.index in wanted:
            kept[node.index] = value.detach().clone()

    if not wanted or not run(see, zero or {}).is_like(graph):
        return {}
    return kept


def _compare(
    anatomy: Anatomy, run: Run
) -> tuple[dict[int, float], dict[int, float]]:
    """Measure factor and error of shortcuts."""
    units = [
        u
        for u in anatomy.units
        if u.keeps_shape and not u.is_identity and len(u.shortcuts) == 1
    ]
    wanted = {i for u in units for i in (u.tap, u.shortcuts[0].node)}
    values = _values(anatomy.graph, run, wanted)
    factor, error = {}, {}
    for unit in units:
        x, (shortcut,) = values.get(unit.tap), unit.shortcuts
        if tells(x) and shortcut.node in values:
            h = shortcut.times * values[shortcut.node]
            factor[unit.add] = ((h * x).sum() / (x * x).sum()).item()
            error[unit.add] = distance(h, x)
    return factor, error


def _move(anatomy: Anatomy, run: Run) -> dict[int, float]:
    """Measure how far units without branches move the stream."""
    graph, units = anatomy.graph, anatomy.units
    zero: dict[int, set[int]] = {}
    for unit in units:
        parents = graph.nodes[unit.add].parents
        branches = {term.node for term in unit.branches}
        if {*parents} != branches | {term.node for term in unit.shortcuts}:
            return {}  # a sum of sums
        zero[unit.add] = {i for i, p in enumerate(parents) if p in branches}
    ends = {unit.before: end for unit, _, end in anatomy.streams}
    wanted = {i for u in units for i in (u.tap, u.add)} | {*ends.values()}
    values = _values(graph, run, wanted, zero)
    moved = {}
    for unit in units:
        x = values.get(unit.tap)
        if not unit.keeps_shape or not tells(x):
            continue
        # where the next unit begins, or else the sum itself
        for place in (ends.get(unit.add, unit.add), unit.add):
            y = values.get(place)
            if y is not None and y.shape == x.shape:
                moved[unit.add] = distance(y, x)
                break
    return moved


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
