"""What a network computed, as a graph of operations without tensors.

A node is one operation whose value depends on the images; constants and
parameters are no nodes, but are named by those that read them. Nodes stand
in topological order, so dominators take one walk: a node's immediate
dominator is the last place that everything on the way to it must pass. A
residual unit is an addition, and its tap is the addition's dominator.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

ROOT = 0


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
    GLOBAL_POOL = "global pool"
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
    CAST = "cast"
    DETACH = "detach"
    OTHER = "other"


LAYERS = (Kind.CONV, Kind.LINEAR, Kind.MIX)
SILENT = (Kind.VIEW, Kind.DETACH)  # the same values, moved or not


@dataclass(slots=True, kw_only=True)
class Facts:
    """What else is known of an operation; its kind says which fields count.

    Attributes
    ----------
    name : str
        Of an activation, a cast or an unknown function.
    judged : str or None
        The function that the values show it to be; "" for the identity.
    c_out, kernel, stride, dilation, groups, bias, weights
        Of a layer; the last one counts the numbers of its weight.
    over : str
        What a normalization takes means over: batch, group, layer, instance.
    of_batch, remembers, momentum
        Whether BN takes the batch's statistics, and how it averages them.
    factor : float or None
        Of a scale, where it is one number.
    factors, receives_gradient : tuples
        Of the terms of a sum.
    learned, random, negated : bool
        Of a scale or a shift.
    whole : bool
        Whether chance drops whole images.
    cuts_channels : bool
        Whether a slice leaves out channels, and not only pixels.
    """

    name: str = ""
    judged: str | None = None
    c_out: int = 0
    kernel: tuple[int, ...] = ()
    stride: int = 1
    dilation: int = 1
    groups: int = 1
    bias: bool = False
    weights: int = 0
    over: str = ""
    of_batch: bool = False
    remembers: bool = False
    momentum: float | None = None
    factor: float | None = None
    factors: tuple[float, ...] = ()
    receives_gradient: tuple[bool, ...] = ()
    learned: bool = False
    random: bool = False
    negated: bool = False
    whole: bool = False
    cuts_channels: bool = False


@dataclass(slots=True)
class Node:
    """One operation.

    Attributes
    ----------
    index : int
        Its place in the order of execution; `ROOT` is the images.
    parents : tuple of int
        Nodes it reads, without constants and parameters.
    shape : tuple of int
        Of what it returns, the images of the batch first.
    operation : str
        ATen's name.
    params : tuple of str
        Names of the parameters it reads.
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

    def is_like(self, other: "Node") -> bool:
        """Whether it is the same operation on the same nodes."""
        return (self.parents, self.shape, self.operation) == (
            other.parents,
            other.shape,
            other.operation,
        )


@dataclass
class Graph:
    """The operations of one pass.

    Attributes
    ----------
    output : int
        Node of the network's (first) output; `ROOT` if it does not depend
        on the images.
    used : set of str
        Parameters that were read at all.
    receives_gradient, without_gradient : set of int
        Nodes that the loss's gradient comes back to, and nodes that were
        read where gradients are taken and have none.
    """

    nodes: list[Node] = field(default_factory=list)
    output: int = ROOT
    used: set[str] = field(default_factory=set)
    receives_gradient: set[int] = field(default_factory=set)
    without_gradient: set[int] = field(default_factory=set)
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
        heap, seen, inside = [-end], {end}, []
        while heap:
            node = self.nodes[-heapq.heappop(heap)]
            inside.append(node)
            for parent in node.parents:
                if parent > start and parent not in seen:
                    seen.add(parent)
                    heapq.heappush(heap, -parent)
        return inside[::-1]

    def steps(self, start: int, end: int) -> list[tuple[int, int]]:
        """Cut the way from a dominator to `end` where it is one line.

        Returns
        -------
        list of (node before, node)
            In order of execution; between the two lies one operation, or
            several side by side.
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
        return len(self.nodes) == len(other.nodes) and all(
            a.is_like(b) for a, b in zip(self.nodes, other.nodes, strict=True)
        )

    def note_chance(self, other: "Graph") -> None:
        """Take up what is another number in another pass like this one."""
        if not self.is_like(other):
            return
        for a, b in zip(self.nodes, other.nodes, strict=True):
            if a.facts.factor != b.facts.factor:
                a.kind = Kind.DROP
            if a.facts.momentum != b.facts.momentum:
                a.facts.momentum = None  # the average of all batches
