"""What a network computed, as a graph of operations without tensors.

A node is one operation whose value depends on the images; constants and
parameters are no nodes, but are named by those that read them. Nodes stand
in topological order, so dominators take one walk: a node's immediate
dominator is the last place that everything on the way to it must pass. A
residual unit is an addition, and its tap is the addition's dominator.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

ROOT = 0
BN, RELU, CONV = "BN", "ReLU", "conv"


class Kind(StrEnum):
    """What an operation does, as far as a residual unit is concerned."""

    IMAGES = "images"
    CONV = "conv"
    LINEAR = "linear"
    MIX = "product of two signals"
    NORM = "norm"
    RELU = "ReLU"
    ACTIVATION = "activation"
    POOL = "pool"
    MAX_POOL = "max pool"
    REDUCE = "reduction"
    PAD = "pad"
    SLICE = "slice"
    CONCATENATE = "concatenation"
    SCALE = "scale"
    SHIFT = "shift"
    DROP = "dropout"
    PRODUCT = "gate"
    ADD = "+"
    VIEW = "view"
    DETACH = "detach"
    OTHER = "other"


LAYERS = (Kind.CONV, Kind.LINEAR, Kind.MIX)
SILENT = (Kind.VIEW, Kind.DETACH)  # the same values, moved or not


@dataclass(slots=True, kw_only=True)
class Facts:
    """What else is known of an operation; its kind says which fields count."""

    name: str = ""  # of an activation or an unknown function
    judged: str | None = None  # what values show it to be; "": the identity
    # a layer
    c_out: int = 0
    kernel: tuple[int, ...] = ()
    dilation: int = 1
    groups: int = 1
    bias: bool = False
    weights: int = 0  # numbers of its weight
    # a normalization
    over: str = ""  # batch, group, layer or instance
    of_batch: bool = False  # takes the statistics of the batch
    remembers: bool = False  # and averages them, so:
    momentum: float | None = None
    # a sum, by term
    factors: tuple[float, ...] = ()
    receives_gradient: tuple[bool, ...] = ()
    # a scale or a shift
    factor: float | None = None  # where it is one number
    learned: bool = False
    random: bool = False
    negated: bool = False
    # dropout; a slice
    whole: bool = False  # drops whole images
    cuts_channels: bool = False  # leaves out channels, not only pixels


@dataclass(slots=True)
class Node:
    """One operation.

    `parents` are the nodes it reads, without constants and parameters, whose
    names `params` has; `operation` is ATen's name.
    """

    index: int
    kind: Kind
    parents: tuple[int, ...]
    shape: tuple[int, ...]
    operation: str = ""
    params: tuple[str, ...] = ()
    facts: Facts = field(default_factory=Facts)

    @property
    def is_batch_norm(self) -> bool:
        return self.kind is Kind.NORM and self.facts.over == "batch"


@dataclass
class Graph:
    """The operations of one pass."""

    nodes: list[Node] = field(default_factory=list)
    output: int = ROOT
    """Node of the first output; `ROOT` if it ignores the images."""
    used: set[str] = field(default_factory=set)
    """Parameters that were read at all."""
    receives_gradient: set[int] = field(default_factory=set)
    without_gradient: set[int] = field(default_factory=set)
    """Nodes read where gradients are taken, and that have none."""
    dominators: list[int] = field(default_factory=list)

    def dominate(self) -> None:
        """Find every node's immediate dominator, in one walk."""
        above = self.dominators = [ROOT] * len(self.nodes)
        for node in self.nodes[1:]:
            common = node.parents[0]
            for other in node.parents[1:]:
                while common != other:  # climb from the later one
                    if common > other:
                        common = above[common]
                    else:
                        other = above[other]
            above[node.index] = common

    def readers(self) -> list[list[int]]:
        """Who reads each node."""
        readers: list[list[int]] = [[] for _ in self.nodes]
        for node in self.nodes:
            for parent in dict.fromkeys(node.parents):
                readers[parent].append(node.index)
        return readers

    def between(self, start: int, end: int) -> list[Node]:
        """List what lies on the paths from `start` (left out) to `end`."""
        if end <= start:
            return []
        seen, ahead = {end}, [end]
        while ahead:
            for parent in self.nodes[ahead.pop()].parents:
                if parent > start and parent not in seen:
                    seen.add(parent)
                    ahead.append(parent)
        return [self.nodes[index] for index in sorted(seen)]

    def steps(self, start: int, end: int) -> list[tuple[int, int]]:
        """Cut the path from a dominator to `end`: (node before, node), ...

        Between the two lies one operation, or several side by side.
        """
        pairs = []
        while end > start:
            before = max(self.dominators[end], start)
            pairs.append((before, end))
            end = before
        return pairs[::-1]

    def is_cut(self, start: int, end: int) -> bool:
        """Whether the gradient is lost on the way from `end` to `start`."""
        receives = start in self.receives_gradient
        for _, index in self.steps(start, end):
            has_some = index in self.receives_gradient
            if receives and index in self.without_gradient and not has_some:
                return True
            receives |= has_some
        return False

    def upward(self, index: int) -> Iterator[int]:
        """Walk the dominators from a node (included) to the images."""
        yield index
        while index != ROOT:
            index = self.dominators[index]
            yield index

    def is_like(self, other: "Graph") -> bool:
        """Whether two passes computed the same, values left aside."""
        mine, theirs = (
            [(node.parents, node.shape, node.operation) for node in one.nodes]
            for one in (self, other)
        )
        return mine == theirs

    def note_chance(self, other: "Graph") -> None:
        """Take up what is another number in another pass like this one."""
        if not self.is_like(other):
            return
        for a, b in zip(self.nodes, other.nodes, strict=True):
            if a.facts.factor != b.facts.factor:
                a.kind = Kind.DROP
            if a.facts.momentum != b.facts.momentum:
                a.facts.momentum = None  # the average of all batches


# ----------------------------------------- paths, in the words of the figures
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
    if kind in (Kind.ACTIVATION, Kind.OTHER):
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
