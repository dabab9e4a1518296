"""Passes with values: shortcuts compared, branches zeroed, regions judged."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.conformance.anatomy import Anatomy, Unit
from preact.conformance.case import Measured
from preact.conformance.graph import Graph, Kind, Node
from preact.conformance.signature import streams
from preact.conformance.trace import See, trace

Run = Callable[[See, Mapping[int, set[int]]], Graph]
UNJUDGED = ("unknown norm", "unknown function")
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": nnf.gelu,
    "gelu of tanh": partial(nnf.gelu, approximate="tanh"),
    "silu": nnf.silu,
    "mish": nnf.mish,
    "hardswish": nnf.hardswish,
}
CLOSE = 1e-2  # how near deviation 1 a normalized value comes
CENTERED = 1e-3  # how near mean 0: an RMS norm comes near it by chance


def measure(anatomy: Anatomy, run: Run) -> Measured:
    """Compare shortcuts with their taps, then run with F = 0."""
    factor, error = _compare(anatomy, run)
    return Measured(factor=factor, error=error, moved=_zeroed(anatomy, run))


def tells(x: Tensor) -> bool:
    """Whether anything follows from a value: not from zeros, nor from NaN."""
    if not x.numel():
        return False
    largest = x.abs().max()
    return bool(largest.isfinite()) and bool(largest > 0)


def _compare(
    anatomy: Anatomy, run: Run
) -> tuple[dict[int, float], dict[int, float]]:
    """Read <h, x> / <x, x> and max |h - x| / max |x|, with values."""
    units = [
        u
        for u in anatomy.units
        if u.keeps_shape and not u.is_identity and len(u.shortcuts) == 1
    ]
    taps: dict[int, Tensor] = {}
    at = {u.shortcuts[0].node: u for u in units}
    wanted = {u.tap for u in units}
    factor: dict[int, float] = {}
    error: dict[int, float] = {}

    def see(node: Node, value: Tensor) -> None:
        if node.index in wanted:
            taps[node.index] = value.detach().clone()
        unit = at.get(node.index)
        x = taps.pop(unit.tap, None) if unit else None
        if unit and x is not None and tells(x):
            h = unit.shortcuts[0].times * value.detach()
            factor[unit.add] = ((h * x).sum() / (x * x).sum()).item()
            error[unit.add] = ((h - x).abs().max() / x.abs().max()).item()

    if units and not run(see, {}).is_like(anatomy.graph):
        return {}, {}
    return factor, error


def _zeroed(anatomy: Anatomy, run: Run) -> dict[int, float]:
    """Read how far units without branches move the stream."""
    graph = anatomy.graph
    zero = {u.add: _places(graph, u) for u in anatomy.units}
    if not all(zero.values()):
        return {}
    ends = {end: u.before for u, _, end in streams(anatomy)}
    taps = {u.add: u.tap for u in anatomy.units if u.keeps_shape}
    kept: dict[int, Tensor] = {}
    moved: dict[int, float] = {}
    wanted = {u.tap for u in anatomy.units}

    def compare(add: int, value: Tensor) -> None:
        x = kept.get(taps.get(add, -1))
        if x is not None and x.shape == value.shape and tells(x):
            distance = (value.detach() - x).abs().max() / x.abs().max()
            moved[add] = distance.item()

    def see(node: Node, value: Tensor) -> None:
        compare(node.index, value)  # the sum itself, if no unit follows
        if node.index in ends:
            before = ends[node.index]
            compare(before, value)
            kept.pop(taps.get(before, -1), None)
        if node.index in wanted:
            kept[node.index] = value.detach().clone()

    if not run(see, zero).is_like(graph):
        return {}
    return moved


def _places(graph: Graph, unit: Unit) -> set[int]:
    """Which arguments of an addition are branches; empty if not plain."""
    parents = graph.nodes[unit.add].parents
    terms = (*unit.shortcuts, *unit.branches)
    if len(terms) != 2 or sorted(t.node for t in terms) != sorted(parents):
        return set()
    return {term.place for term in unit.branches}


def judge(anatomy: Anatomy, run: Run) -> bool:
    """Find out by their values what operations compute, joined or unknown.

    Returns
    -------
    bool
        Whether something was learned, so that names have changed.
    """
    ways = [anatomy.tail]
    for unit in anatomy.units:
        ways.append(unit.trunk)
        ways += [t.steps for t in (*unit.shortcuts, *unit.branches)]
    steps = {
        step.node.index: step
        for way in ways
        for step in way
        if step.name in UNJUDGED or step.node.kind in (Kind.OTHER, Kind.REDUCE)
    }
    wanted = {step.start for step in steps.values()}
    kept: dict[int, Tensor] = {}
    names: dict[int, str] = {}

    def see(node: Node, value: Tensor) -> None:
        step = steps.get(node.index)
        if step and step.start in kept and tells(kept[step.start]):
            x, y = kept[step.start], value.detach()
            name = what_is(x, y)
            if name is None and step.name == "unknown norm":
                name = which_norm(x, y)
            if name is not None:
                names[node.index] = name
        if node.index in wanted:
            kept[node.index] = value.detach().clone()

    if not steps or not run(see, {}).is_like(anatomy.graph):
        return False
    for index, name in names.items():
        anatomy.graph.nodes[index].facts["is"] = name
    return bool(names)


def what_is(x: Tensor, y: Tensor) -> str | None:
    """Name the function that made y of x, "" for the identity.

    None of a function that is not known.

    Parameters
    ----------
    x, y : Tensor
        Images first, channels second.
    """
    x, y = x.float(), y.float()
    if x.shape != y.shape:
        return _pooling(x, y)
    if torch.equal(x, y):
        return ""
    if torch.equal(x.clamp(min=0), y):
        return "ReLU"
    for name, function in ACTIVATIONS.items():
        if torch.allclose(function(x), y, atol=1e-5):
            return name
    return None


def which_norm(x: Tensor, y: Tensor) -> str | None:
    """Name the normalization that made y of x, if it is known."""
    x, y = x.float(), y.float()
    if x.shape != y.shape:
        return None
    dims = list(range(x.ndim))
    pixels = dims[2:]
    places = {
        "BN": [0, *pixels],
        "instance norm": pixels,
        "layer norm": dims[1:],
    }
    for name, over in places.items():
        if over and is_standard(x, y, over):
            return name
    for dim in (1, x.ndim - 1):
        if is_standard(x, y, [dim]):
            return "layer norm"
        square = (y * y).mean(dim)
        if bool((square - 1).abs().max() < CLOSE):
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


def is_standard(x: Tensor, y: Tensor, dims: Sequence[int]) -> bool:
    """Whether y has mean 0 and deviation 1 wherever x varies."""
    over = tuple(dims)
    varies = x.var(over, unbiased=False) > 1e-4
    if not bool(varies.any()):
        return False
    mean = y.mean(over)[varies]
    deviation = y.std(over, unbiased=False)[varies]
    return bool(
        (mean.abs() < CENTERED).all()
        and ((deviation - 1).abs() < 2 * CLOSE).all()
    )


def runner(module: nn.Module, inputs: Sequence[Tensor], seed: int) -> Run:
    """Return what runs a module again, with the same random numbers."""

    def run(see: See, zero: Mapping[int, set[int]]) -> Graph:
        sow(seed)
        return one_pass(module, inputs, see, zero)[0]

    return run


def sow(seed: int) -> None:
    """Seed all random numbers that a network may draw."""
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def one_pass(
    module: nn.Module,
    inputs: Sequence[Tensor],
    see: See | None = None,
    zero: Mapping[int, set[int]] | None = None,
) -> tuple[Graph, list[Tensor]]:
    """Trace one pass, with gradients in training alone."""
    # Autograd's own detached copies are nodes too, so they must recur.
    with torch.set_grad_enabled(module.training):
        return trace(module, inputs, see, zero)
