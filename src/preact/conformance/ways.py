"""Ways through a graph, in the words of the paper's figures."""

from collections.abc import Iterable
from dataclasses import dataclass

from preact.conformance.graph import SILENT, WEIGHTS, Graph, Kind, Node

BN, RELU, CONV = "BN", "ReLU", "conv"
PLAIN = {BN, RELU, CONV}


@dataclass(frozen=True)
class Step:
    """One operation on a way, or several side by side taken as one."""

    name: str
    node: Node
    start: int


def way(graph: Graph, start: int, end: int) -> list[Step]:
    """Read the way from a dominator to a node, views left out."""
    steps: list[Step] = []
    for before, index in graph.steps(start, end):
        node = graph.nodes[index]
        name = _name(graph, before, node)
        last = steps[-1].name if steps else ""
        if name == "learned scale" and is_norm(last):
            continue  # its gamma, by hand
        if name:
            steps.append(Step(name, node, before))
    return steps


def names_of(steps: Iterable[Step]) -> tuple[str, ...]:
    """The names of steps."""
    return tuple(step.name for step in steps)


def is_norm(name: str) -> bool:
    """Whether a step normalizes."""
    return name == BN or name.endswith(" norm")


def _name(graph: Graph, before: int, node: Node) -> str:
    """Name a step of a way as the figures do."""
    if len(node.parents) > 1 or node.parents[0] != before:
        return _joined(graph, before, node)
    if node.kind is Kind.NORM:
        over = node.facts["over"]
        return BN if over == "batch" else f"{over} norm"
    if node.kind is Kind.SHIFT:
        return "" if node.facts["learned"] else "shift"
    if node.kind is Kind.SCALE:
        factor = node.facts["factor"]
        if node.facts["learned"] or factor is None:
            return "learned scale"
        return "" if factor == 1.0 else f"{factor:g}"
    if node.facts.get("is") is not None:
        return str(node.facts["is"])
    if node.kind in (Kind.ACTIVATION, Kind.CAST, Kind.OTHER):
        return str(node.facts.get("name", node.operation))
    return "" if node.kind in SILENT else str(node.kind.value)


def _joined(graph: Graph, before: int, node: Node) -> str:
    """Name what several operations side by side make together."""
    inside = graph.between(before, node.index)
    kinds = {one.kind for one in inside}
    if node.facts.get("is"):
        return str(node.facts["is"])
    if Kind.MIX in kinds:
        return "attention"
    if kinds & set(WEIGHTS):
        return "gate" if node.kind is Kind.PRODUCT else "parallel layers"
    if Kind.REDUCE in kinds:
        return "unknown norm"
    return "unknown function"
