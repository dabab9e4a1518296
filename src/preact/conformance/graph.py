"""What a network computed, as a graph of operations without tensors.

A node is one operation whose value depends on the images; constants and
parameters are no nodes, but are named by those that read them. The graph of a
pass is in topological order, so dominators take one walk: a node's immediate
dominator is the last place that everything on the way to it must pass. A
residual unit is an addition, and its tap is the addition's dominator.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

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


WEIGHTS = (Kind.CONV, Kind.LINEAR, Kind.MIX)
SILENT = (Kind.VIEW, Kind.DETACH)  # the same values, moved or not


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
    params : tuple of str
        Names of the parameters it reads.
    facts : dict
        What else is known: kernel, stride, factor, places of normalization.
    """

    index: int
    kind: Kind
    parents: tuple[int, ...]
    shape: tuple[int, ...]
    operation: str = ""
    params: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    def is_like(self, other: "Node") -> bool:
        """Whether it is the same operation on the same nodes."""
        return (self.parents, self.shape, self.operation) == (
            other.parents,
            other.shape,
            other.operation,
        )

    def note_chance(self, other: "Node") -> None:
        """Take up what was another number in another pass."""
        if self.facts.get("factor") != other.facts.get("factor"):
            self.kind = Kind.DROP
        if self.facts.get("momentum") != other.facts.get("momentum"):
            self.facts["momentum"] = None  # the average of all batches


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
    heard, deaf : set of int
        Nodes that the loss's gradient comes back to, and nodes that were
        read where gradients are taken and have none.
    """

    nodes: list[Node] = field(default_factory=list)
    output: int = ROOT
    used: set[str] = field(default_factory=set)
    heard: set[int] = field(default_factory=set)
    deaf: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.dominators: list[int] = []

    def dominate(self) -> None:
        """Find every node's immediate dominator, in one walk."""
        above = self.dominators = [ROOT] * len(self.nodes)
        for node in self.nodes[1:]:
            common = node.parents[0]
            for parent in node.parents[1:]:
                common = self._meet(common, parent)
            above[node.index] = common

    def _meet(self, a: int, b: int) -> int:
        """Return the last node that dominates both."""
        while a != b:
            if a > b:
                a = self.dominators[a]
            else:
                b = self.dominators[b]
        return a

    def consumers(self) -> list[list[int]]:
        """Who reads each node."""
        readers: list[list[int]] = [[] for _ in self.nodes]
        for node in self.nodes:
            for parent in dict.fromkeys(node.parents):
                readers[parent].append(node.index)
        return readers

    def between(self, start: int, end: int) -> list[Node]:
        """List what lies on the ways from `start` (left out) to `end`."""
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
        heard = start in self.heard
        for _, index in self.steps(start, end):
            if heard and index in self.deaf - self.heard:
                return True
            heard |= index in self.heard
        return False

    def upward(self, index: int) -> Iterator[int]:
        """Walk the dominators from a node (included) to the images."""
        while True:
            yield index
            if index == ROOT:
                return
            index = self.dominators[index]

    def is_like(self, other: "Graph") -> bool:
        """Whether two passes computed the same, values left aside."""
        return len(self.nodes) == len(other.nodes) and all(
            a.is_like(b) for a, b in zip(self.nodes, other.nodes, strict=True)
        )

    def note_chance(self, other: "Graph") -> bool:
        """Take up what chance changed in a pass like this one.

        Returns
        -------
        bool
            Whether it is like this one.
        """
        if not self.is_like(other):
            return False
        for a, b in zip(self.nodes, other.nodes, strict=True):
            a.note_chance(b)
        return True

    def weights(self, start: int, end: int) -> list[Node]:
        """List convolutions and matrix products on the ways between."""
        return [n for n in self.between(start, end) if n.kind in WEIGHTS]
