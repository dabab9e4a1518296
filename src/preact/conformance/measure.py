"""Passes with values: shortcuts compared, branches zeroed, regions judged."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.conformance.anatomy import Anatomy, Unit
from preact.conformance.case import Measured
from preact.conformance.graph import Graph, Node
from preact.conformance.signature import interior
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
CLOSE = 1e-2  # how near mean 0 and deviation 1 a normalized value comes


def measure(anatomy: Anatomy, run: Run) -> Measured:
    """Compare shortcuts with their taps, then run with F = 0."""
    factor, error = _compare(anatomy, run)
    return Measured(factor=factor, error=error, moved=_zeroed(anatomy, run))


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
        if unit is not None:
            x = taps.pop(unit.tap)
            h = unit.shortcuts[0].times * value.detach()
            power = (x * x).sum().item()
            factor[unit.add] = (h * x).sum().item() / (power or 1.0)
            largest = x.abs().max().item() or 1.0
            error[unit.add] = (h - x).abs().max().item() / largest

    if units:
        run(see, {})
    return factor, error


def _zeroed(anatomy: Anatomy, run: Run) -> dict[int, float]:
    """Read how far units without branches move the stream."""
    graph = anatomy.graph
    zero = {u.add: _places(graph, u) for u in anatomy.units}
    if not all(zero.values()):
        return {}
    follows = {u.tap: u.before for u in interior(anatomy)}
    taps = {u.add: u.tap for u in anatomy.units if u.keeps_shape}
    kept: dict[int, Tensor] = {}
    moved: dict[int, float] = {}
    wanted = {u.tap for u in anatomy.units}

    def compare(add: int, value: Tensor) -> None:
        x = kept.get(taps.get(add, -1))
        if x is not None and x.shape == value.shape:
            largest = x.abs().max().item() or 1.0
            distance = (value.detach() - x).abs().max().item()
            moved[add] = distance / largest

    def see(node: Node, value: Tensor) -> None:
        compare(node.index, value)  # the sum itself, if no unit follows
        if node.index in wanted:
            before = follows.get(node.index, -1)
            compare(before, value)
            kept.pop(taps.get(before, -1), None)
            kept[node.index] = value.detach().clone()

    run(see, zero)
    return moved


def _places(graph: Graph, unit: Unit) -> set[int]:
    """Which arguments of an addition are branches; empty if not plain."""
    parents = graph.nodes[unit.add].parents
    terms = (*unit.shortcuts, *unit.branches)
    if len(terms) != 2 or sorted(t.node for t in terms) != sorted(parents):
        return set()
    return {term.place for term in unit.branches}


def judge(anatomy: Anatomy, run: Run) -> bool:
    """Find out by their values what joined operations are together.

    Returns
    -------
    bool
        Whether something was learned, so that names have changed.
    """
    steps = [
        step
        for unit in anatomy.units
        for way in (
            unit.trunk,
            *(t.steps for t in (*unit.shortcuts, *unit.branches)),
        )
        for step in way
        if step.name in UNJUDGED
    ]
    steps += [step for step in anatomy.tail if step.name in UNJUDGED]
    if not steps:
        return False
    starts = {step.node.index: step.start for step in steps}
    wanted = set(starts.values())
    kept: dict[int, Tensor] = {}
    names: dict[int, str] = {}

    def see(node: Node, value: Tensor) -> None:
        if node.index in starts and starts[node.index] in kept:
            y = value.detach()
            names[node.index] = what_is(kept[starts[node.index]], y)
        if node.index in wanted:
            kept[node.index] = value.detach().clone()

    run(see, {})
    for index, name in names.items():
        anatomy.graph.nodes[index].facts["is"] = name
    return True


def what_is(x: Tensor, y: Tensor) -> str:
    """Name the function that made y of x, "" for the identity.

    Parameters
    ----------
    x, y : Tensor
        Images first, channels second.
    """
    if x.shape != y.shape:
        return "unknown function"
    if torch.equal(x, y):
        return ""
    if torch.equal(x.clamp(min=0), y):
        return "ReLU"
    for name, function in ACTIVATIONS.items():
        if torch.allclose(function(x), y, atol=1e-5):
            return name
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
    return "unknown function"


def is_standard(x: Tensor, y: Tensor, dims: Sequence[int]) -> bool:
    """Whether y has mean 0 and deviation 1 wherever x varies."""
    over = tuple(dims)
    varies = x.var(over, unbiased=False) > 1e-4
    if not bool(varies.any()):
        return False
    mean = y.mean(over)[varies]
    deviation = y.std(over, unbiased=False)[varies]
    return bool(
        (mean.abs() < CLOSE).all()
        and ((deviation - 1).abs() < 2 * CLOSE).all()
    )


def runner(module: nn.Module, inputs: Sequence[Tensor], seed: int) -> Run:
    """Return what runs a module again, with the same random numbers."""

    def run(see: See, zero: Mapping[int, set[int]]) -> Graph:
        torch.manual_seed(seed)
        # Autograd's own detached copies are nodes too, so they must recur.
        with torch.set_grad_enabled(module.training):
            return trace(module, inputs, see, zero)

    return run
