"""Where the residual units of a graph are, and what they are made of.

A unit is an addition of which one term comes from the tap with (almost)
nothing on its path, the shortcut, and another one through layers, the branch.
The same search tells a projection from an identity and both from a sum of
equals, which is no unit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from preact.conformance.graph import LAYERS, ROOT, SILENT, Graph, Kind, Node

BN, RELU, CONV = "BN", "ReLU", "conv"
PLAIN = {BN, RELU, CONV}
Factor = float | str  # of the strings below, the last two regularize only
GATES = GATE, REST_OF_GATE = ("g", "1-g")
LEARNED = "learned"
DROPPED = ("dropout", "drop path")


@dataclass(frozen=True)
class Step:
    """One operation on a path, or several side by side taken as one."""

    name: str
    node: Node
    start: int


@dataclass(frozen=True, kw_only=True)
class Term:
    """One term of an addition, as seen from the tap."""

    node: int
    """What is added; `value` is the same without its factors."""
    value: int
    times: float
    """The factor of the addition itself, the first of the factors."""
    factors: tuple[Factor, ...]
    steps: tuple[Step, ...]
    """From the tap to `value`; empty for the identity."""
    inside: tuple[Node, ...]
    """All that lies on its paths."""
    params: tuple[str, ...]
    """Between tap and addition: an identity need not stay one."""
    gate_params: tuple[str, ...]
    is_cut: bool
    """Whether the gradient that comes back to it is lost before the tap."""

    @property
    def names(self) -> tuple[str, ...]:
        return names_of(self.steps)

    @property
    def layers(self) -> list[Node]:
        """Convolutions and matrix products."""
        return [node for node in self.inside if node.kind in LAYERS]

    @property
    def effort(self) -> tuple[int, int]:
        """How much stands on it: layers, then the widest kernel."""
        widest = [max(n.facts.kernel, default=1) for n in self.layers]
        return len(widest), max(widest, default=0)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """An addition with its shortcut and its branch."""

    add: int
    tap: int
    """Where the shortcut leaves."""
    shape_in: tuple[int, ...]
    shape_out: tuple[int, ...]
    shortcuts: tuple[Term, ...]
    branches: tuple[Term, ...]
    before: int = ROOT
    """The addition of the unit before, or the images."""
    trunk: tuple[Step, ...] = ()
    """What stands between `before` and the tap."""

    @property
    def keeps_shape(self) -> bool:
        return self.shape_in == self.shape_out

    @property
    def is_identity(self) -> bool:
        """Whether the shortcut is the signal at the tap, once, unchanged."""
        (first, *more) = self.shortcuts
        return not more and not first.factors and first.value == self.tap

    @property
    def params(self) -> tuple[str, ...]:
        terms = (*self.branches, *self.shortcuts)
        return tuple(n for t in terms for s in t.steps for n in s.node.params)

    @property
    def convs(self) -> list[Node]:
        """The convolutions of the first branch."""
        return [n for n in self.branches[0].layers if n.kind is Kind.CONV]


@dataclass(frozen=True, kw_only=True)
class Anatomy:
    """A network, taken apart."""

    graph: Graph
    units: tuple[Unit, ...]
    longer: tuple[Unit, ...]
    """Shortcuts around several units."""
    additions: int
    """All sums of two signals, units or not."""
    tail: tuple[Step, ...]
    """From the last unit to the output."""


def take_apart(graph: Graph) -> Anatomy:
    """Find the residual units of a graph."""
    search = _Search(graph)
    additions = [node for node in graph.nodes if node.kind is Kind.ADD]
    found = [search.unit(node) for node in additions]
    units = [u for u in found if u and u.add not in search.inner]
    longer = [unit for unit in units if _contains(graph, unit, units)]
    near = [unit for unit in units if unit not in longer]
    adds = {unit.add for unit in near}
    last = next((i for i in graph.upward(graph.output) if i in adds), None)
    return Anatomy(
        graph=graph,
        units=tuple(_placed(graph, unit, adds) for unit in near),
        longer=tuple(longer),
        additions=len(additions),
        tail=() if last is None else path(graph, last, graph.output),
    )


def _contains(graph: Graph, unit: Unit, units: list[Unit]) -> bool:
    """Whether whole units lie inside of the branch."""
    inside = {
        node.index
        for term in unit.branches
        for node in graph.between(unit.tap, term.node)
    }
    return any(u.add in inside and u.tap in inside | {unit.tap} for u in units)


def _placed(graph: Graph, unit: Unit, adds: set[int]) -> Unit:
    """Find the unit before, and what stands between."""
    before = next(i for i in graph.upward(unit.tap) if i in adds or i == ROOT)
    return replace(unit, before=before, trunk=path(graph, before, unit.tap))


class _Search:
    """The search for units in one graph.

    `inner` collects the additions that are terms of another one.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.readers = graph, graph.readers()
        self.inner: set[int] = set()

    def unit(self, add: Node) -> Unit | None:
        """Read an addition as a residual unit, if it is one."""
        tap = self.graph.dominators[add.index]
        terms = [*self.terms(add, tap)]
        efforts = [term.effort for term in terms]
        least = min(efforts)
        if len(terms) < 2 or least == max(efforts) or least[0] > 1:
            return None
        shortcuts = [t for t in terms if t.effort == least or not t.layers]
        if any(s.node.facts.cuts_channels for t in shortcuts for s in t.steps):
            return None  # parts of a split are added, not a signal around F
        return Unit(
            add=add.index,
            tap=tap,
            shape_in=self.graph.nodes[tap].shape,
            shape_out=add.shape,
            shortcuts=tuple(shortcuts),
            branches=tuple(t for t in terms if t not in shortcuts),
        )

    def terms(self, add: Node, tap: int) -> Iterator[Term]:
        """Read an addition's terms, sums of sums written out."""
        facts = add.facts
        for parent, factor, receives in zip(
            add.parents, facts.factors, facts.receives_gradient, strict=True
        ):
            node = self.graph.nodes[parent]
            if (
                node.kind is not Kind.ADD
                or parent == tap
                or self.graph.dominators[parent] != tap
                or self.readers[parent] != [add.index]
            ):
                yield self.term(tap, parent, factor, receives)
                continue
            self.inner.add(parent)
            for term in self.terms(node, tap):
                times = term.times * factor
                head = (times,) if times != 1.0 else ()
                rest = term.factors[term.times != 1.0 :]
                yield replace(term, times=times, factors=head + rest)

    def term(self, tap: int, index: int, times: float, receives: bool) -> Term:
        """Read one term: its factors first, then the path to the tap."""
        graph = self.graph
        factors: list[Factor] = [times] if times != 1.0 else []
        value, gate = index, tap
        while value != tap:
            node = graph.nodes[value]
            facts, parents = node.facts, node.parents
            if node.kind is Kind.SCALE:
                if facts.learned or facts.factor is None:
                    factors.append(LEARNED)
                elif facts.factor != 1.0:
                    factors.append(facts.factor)
                value = parents[0]
            elif node.kind is Kind.DROP:
                factors.append(DROPPED[facts.whole])
                value = parents[0]
            elif gated := self.gated(tap, node):
                value, gate, name = gated
                factors.append(name)
            else:
                break
        return Term(
            node=index,
            value=value,
            times=times,
            factors=tuple(factors),
            steps=path(graph, tap, value),
            inside=tuple(graph.between(tap, value)),
            params=self.params(tap, index),
            gate_params=self.params(tap, gate),
            is_cut=(not receives and tap in graph.receives_gradient)
            or graph.is_cut(tap, index),
        )

    def params(self, tap: int, index: int) -> tuple[str, ...]:
        """Name the parameters on the paths from the tap to a node."""
        inside = self.graph.between(tap, index)
        return tuple(name for node in inside for name in node.params)

    def gated(self, tap: int, node: Node) -> tuple[int, int, str] | None:
        """Read a product as a value and a gate that is made at the tap."""
        if node.kind is not Kind.PRODUCT or len(node.parents) != 2:
            return None
        for value, gate in (node.parents, node.parents[::-1]):
            name, one = GATE, self.graph.nodes[gate]
            while one.facts.negated or one.kind is Kind.VIEW:
                if one.facts.negated:
                    name = REST_OF_GATE if name == GATE else GATE
                one = self.graph.nodes[one.parents[0]]
            inside = {n.index for n in self.graph.between(tap, one.index)}
            # in squeeze and excitation F gates itself
            if one.facts.name == "sigmoid" and value not in inside:
                return value, one.index, name
        return None


# ----------------------------------------- paths, in the words of the figures
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
