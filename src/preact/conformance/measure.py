"""Passes with values: shortcuts compared, branches zeroed, regions judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeGuard

import torch
import torch.nn.functional as nnf
from torch import Tensor

from preact.conformance.anatomy import Anatomy
from preact.conformance.graph import Graph, Kind, Node
from preact.conformance.signature import streams
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


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a pass with values added to the graphs.

    Attributes
    ----------
    factor, error : mappings of int to float
        By addition: <h, x> / <x, x> and max |h - x| / max |x| of each
        shortcut h that is not the very tensor x.
    moved : mapping of int to float
        By addition: how far a unit with F = 0 moves the stream from its tap
        to the next, relative to the largest value.
    """

    factor: Mapping[int, float] = field(default_factory=dict)
    error: Mapping[int, float] = field(default_factory=dict)
    moved: Mapping[int, float] = field(default_factory=dict)


def measure(anatomy: Anatomy, run: Run) -> Measured:
    """Compare shortcuts with their taps, then run with F = 0."""
    factor, error = _compared(anatomy, run)
    return Measured(factor=factor, error=error, moved=_moved(anatomy, run))


def tells(x: Tensor | None) -> TypeGuard[Tensor]:
    """Whether anything follows from a value: not from zeros, nor from NaN."""
    if x is None or not x.numel():
        return False
    largest = x.abs().max()
    return bool(largest.isfinite()) and bool(largest > 0)


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


def _compared(
    anatomy: Anatomy, run: Run
) -> tuple[dict[int, float], dict[int, float]]:
    """Read <h, x> / <x, x> and max |h - x| / max |x|, with values."""
    units = [
        u
        for u in anatomy.units
        if u.keeps_shape and not u.is_identity and len(u.shortcuts) == 1
    ]
    wanted = {i for u in units for i in (u.tap, u.shortcuts[0].node)}
    values = _values(anatomy.graph, run, wanted)
    factor: dict[int, float] = {}
    error: dict[int, float] = {}
    for unit in units if values else ():
        x, (shortcut,) = values.get(unit.tap), unit.shortcuts
        if tells(x) and shortcut.node in values:
            h = shortcut.times * values[shortcut.node]
            factor[unit.add] = ((h * x).sum() / (x * x).sum()).item()
            error[unit.add] = _distance(h, x)
    return factor, error


def _distance(y: Tensor, x: Tensor) -> float:
    """The largest difference, relative to the largest value."""
    return ((y - x).abs().max() / x.abs().max()).item()


def _moved(anatomy: Anatomy, run: Run) -> dict[int, float]:
    """Read how far units without branches move the stream."""
    graph, units = anatomy.graph, anatomy.units
    zero: dict[int, set[int]] = {}
    for unit in units:
        terms = (*unit.shortcuts, *unit.branches)
        parents = graph.nodes[unit.add].parents
        if sorted(term.node for term in terms) != sorted(parents):
            return {}  # a sum of sums
        zero[unit.add] = {term.place for term in unit.branches}
    ends = {unit.before: end for unit, _, end in streams(anatomy)}
    wanted = {i for u in units for i in (u.tap, u.add)} | {*ends.values()}
    values = _values(graph, run, wanted, zero)
    moved: dict[int, float] = {}
    for unit in units if values else ():
        x = values.get(unit.tap)
        if not unit.keeps_shape or not tells(x):
            continue
        # where the next unit begins, or else the sum itself
        for place in (ends.get(unit.add, unit.add), unit.add):
            y = values.get(place)
            if y is not None and y.shape == x.shape:
                moved[unit.add] = _distance(y, x)
                break
    return moved


def judge(anatomy: Anatomy, run: Run) -> bool:
    """Find out by their values what operations compute, joined or unknown.

    Returns
    -------
    bool
        Whether something was learned, so that names have changed.
    """
    paths = [anatomy.tail]
    for unit in anatomy.units:
        paths.append(unit.trunk)
        paths += [term.steps for term in (*unit.shortcuts, *unit.branches)]
    steps = {
        step.node.index: step
        for path in paths
        for step in path
        if step.name in ("unknown norm", "unknown function")
        or step.node.kind in (Kind.OTHER, Kind.REDUCE)
    }
    wanted = {*steps} | {step.start for step in steps.values()}
    values = _values(anatomy.graph, run, wanted)
    learned = False
    for index, step in steps.items() if values else ():
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
    """Name the function that made y of x, "" for the identity.

    None of a function that is not known. Images first, channels second.
    """
    x, y = x.float(), y.float()
    if x.shape != y.shape:
        return _pooling(x, y)
    if torch.equal(x, y):
        return ""
    for name, function in ACTIVATIONS.items():
        atol = 0 if name == "ReLU" else 1e-5
        if torch.allclose(function(x), y, rtol=atol, atol=atol):
            return name
    return None


def which_norm(x: Tensor, y: Tensor) -> str | None:
    """Name the normalization that made y of x, if it is known."""
    x, y = x.float(), y.float()
    if x.shape != y.shape:
        return None
    dims = [*range(x.ndim)]
    over = {"BN": [0, *dims[2:]], "instance norm": dims[2:]}
    over["layer norm"] = dims[1:]
    for name, places in over.items():
        if places and _is_standard(x, y, places):
            return name
    for dim in (1, x.ndim - 1):
        if _is_standard(x, y, [dim]):
            return "layer norm"
        if bool(((y * y).mean(dim) - 1).abs().max() < CLOSE):
            return "RMS norm"
    return None


def _pooling(x: Tensor, y: Tensor) -> str | None:
    """Name what made one number of each channel."""
    if x.ndim < 3 or y.shape.numel() != x.shape[:2].numel():
        return None
    pixels, y = x.flatten(2), y.reshape(x.shape[:2])
    if torch.allclose(pixels.mean(2), y, rtol=1e-3, atol=1e-5):
        return "global pool"
    return "max pool" if torch.equal(pixels.amax(2), y) else None


def _is_standard(x: Tensor, y: Tensor, dims: list[int]) -> bool:
    """Whether y has mean 0 and deviation 1 wherever x varies."""
    varies = x.var(dims, unbiased=False) > 1e-4
    mean = y.mean(dims)[varies]
    deviation = y.std(dims, unbiased=False)[varies]
    return bool(varies.any()) and bool(
        (mean.abs() < CENTERED).all()
        and ((deviation - 1).abs() < 2 * CLOSE).all()
    )
