"""Paths through a graph, in the words of the paper's figures."""

from collections.abc import Iterable
from dataclasses import dataclass

from preact.conformance.graph import LAYERS, SILENT, Graph, Kind, Node

BN, RELU, CONV = "BN", "ReLU", "conv"
PLAIN = {BN, RELU, CONV}


@dataclass(frozen=True)
class Step:
    """One operation on a path, or several side by side taken as one."""

    name: str
    node: Node
    start: int


def path(graph: Graph, start: int, end: int) -> tuple[Step, ...]:
    """Read the path from a dominator to a node, views left out."""
    steps: list[Step] = []
    for before, index in graph.steps(start, end):
        name = _name(graph, before, graph.nodes[index])
        is_gamma = (
            name == "learned scale" and steps and is_norm(steps[-1].name)
        )
        if name and not is_gamma:
            steps.append(Step(name, graph.nodes[index], before))
    return tuple(steps)


def names_of(steps: Iterable[Step]) -> tuple[str, ...]:
    """The names of steps."""
    return tuple(step.name for step in steps)


def is_norm(name: str) -> bool:
    """Whether a step normalizes."""
    return name == BN or name.endswith(" norm")


def _name(graph: Graph, before: int, node: Node) -> str:
    """Name a step as the figures do; "" of what changes no value."""
    kind, facts = node.kind, node.facts
    if node.parents != (before,):
        return facts.judged or _joined(graph, before, node)
    if kind is Kind.NORM:
        return BN if facts.over == "batch" else f"{facts.over} norm"
    if kind is Kind.SHIFT:
        return "" if facts.learned else "shift"
    if kind is Kind.SCALE:
        if facts.learned or facts.factor is None:
            return "learned scale"
        return "" if facts.factor == 1.0 else f"{facts.factor:g}"
    if facts.judged is not None:
        return facts.judged
    if kind in (Kind.ACTIVATION, Kind.CAST, Kind.OTHER):
        return facts.name or node.operation
    return "" if kind in SILENT else str(kind.value)


def _joined(graph: Graph, before: int, node: Node) -> str:
    """Name what several operations side by side make together."""
    kinds = {one.kind for one in graph.between(before, node.index)}
    if Kind.MIX in kinds:
        return "attention"
    if kinds & {*LAYERS}:
        return "gate" if node.kind is Kind.PRODUCT else "parallel layers"
    return "unknown norm" if Kind.REDUCE in kinds else "unknown function"
