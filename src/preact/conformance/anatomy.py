"""Where the residual units of a graph are, and what they are made of.

A unit is an addition of which one term comes from the tap with (almost)
nothing on its path, the shortcut, and another one through layers, the branch.
The same search tells a projection from an identity and both from a sum of
equals, which is no unit.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from preact.conformance.graph import LAYERS, ROOT, Graph, Kind, Node
from preact.conformance.paths import Step, names_of, path

Factor = float | str  # of the strings below, the last two regularize only
GATE, REST_OF_GATE, LEARNED = "g", "1-g", "learned"
DROPPED = ("dropout", "drop path")


@dataclass(frozen=True, kw_only=True)
class Term:
    """One term of an addition, as seen from the tap.

    Attributes
    ----------
    node : int
        What is added; `value` is the same without its factors.
    place : int
        Which argument of the addition it is.
    times : float
        The factor of the addition itself, the first of the factors.
    steps : tuple of Step
        From the tap to `value`; empty for the identity.
    layers : tuple of Node
        Convolutions and matrix products on its paths.
    params, gate_params : tuple of str
        Parameters between the tap and the addition: what is the identity
        now need not stay one. Those that the gate is made of.
    is_cut : bool
        Whether the gradient that comes back to it is lost before the tap.
    """

    node: int
    value: int
    place: int
    times: float
    factors: tuple[Factor, ...]
    steps: tuple[Step, ...]
    layers: tuple[Node, ...]
    kinds: frozenset[Kind]
    params: tuple[str, ...]
    gate_params: tuple[str, ...]
    is_cut: bool

    @property
    def names(self) -> tuple[str, ...]:
        return names_of(self.steps)

    @property
    def effort(self) -> tuple[int, int]:
        """How much stands on it: layers, then the widest kernel."""
        widest = [max(n.facts.kernel, default=1) for n in self.layers]
        return len(self.layers), max(widest, default=0)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """An addition with its shortcut and its branch.

    Attributes
    ----------
    add, tap, before : int
        The addition; where the shortcut leaves; the addition of the unit
        before, or the images.
    trunk : tuple of Step
        What stands between the unit before and the tap.
    """

    add: int
    tap: int
    shape_in: tuple[int, ...]
    shape_out: tuple[int, ...]
    shortcuts: tuple[Term, ...]
    branches: tuple[Term, ...]
    before: int = ROOT
    trunk: tuple[Step, ...] = ()

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
    """A network, taken apart.

    Attributes
    ----------
    units : tuple of Unit
        In order of execution.
    longer : tuple of Unit
        Shortcuts around several units.
    additions : int
        All sums of two signals, units or not.
    tail : tuple of Step
        From the last unit to the output.
    """

    graph: Graph
    units: tuple[Unit, ...]
    longer: tuple[Unit, ...]
    additions: int
    tail: tuple[Step, ...] = ()


def take_apart(graph: Graph) -> Anatomy:
    """Find the residual units of a graph."""
    readers = graph.readers()
    inner: set[int] = set()  # additions that are terms of another one
    additions = [node for node in graph.nodes if node.kind is Kind.ADD]
    found = [_unit(graph, node, readers, inner) for node in additions]
    units = [unit for unit in found if unit and unit.add not in inner]
    longer = [unit for unit in units if _contains(graph, unit, units)]
    near = [unit for unit in units if unit not in longer]
    adds = {unit.add for unit in near}
    return Anatomy(
        graph=graph,
        units=tuple(_placed(graph, unit, adds) for unit in near),
        longer=tuple(longer),
        additions=len(additions),
        tail=_tail(graph, adds),
    )


def _contains(graph: Graph, unit: Unit, units: list[Unit]) -> bool:
    """Whether whole units lie inside of the branch."""
    within = [u for u in units if unit.tap < u.add < unit.add]
    if not within:
        return False
    inside = {
        node.index
        for term in unit.branches
        for node in graph.between(unit.tap, term.node)
    }
    return any(
        u.add in inside and u.tap in inside | {unit.tap} for u in within
    )


def _unit(
    graph: Graph, add: Node, readers: list[list[int]], inner: set[int]
) -> Unit | None:
    """Read an addition as a residual unit, if it is one."""
    tap = graph.dominators[add.index]
    terms = [*_terms(graph, add, tap, readers, inner)]
    efforts = [term.effort for term in terms]
    least = min(efforts)
    if len(terms) < 2 or least == max(efforts) or least[0] > 1:
        return None
    shortcuts = tuple(t for t in terms if t.effort == least or not t.layers)
    if any(s.node.facts.cuts_channels for t in shortcuts for s in t.steps):
        return None  # parts of a split are added, not a signal around F
    return Unit(
        add=add.index,
        tap=tap,
        shape_in=graph.nodes[tap].shape,
        shape_out=add.shape,
        shortcuts=shortcuts,
        branches=tuple(t for t in terms if t not in shortcuts),
    )


def _terms(
    graph: Graph,
    add: Node,
    tap: int,
    readers: list[list[int]],
    inner: set[int],
) -> Iterator[Term]:
    """Read an addition's terms, sums of sums written out."""
    facts = add.facts
    for place, parent in enumerate(add.parents):
        node, factor = graph.nodes[parent], facts.factors[place]
        if (
            node.kind is Kind.ADD
            and parent != tap
            and graph.dominators[parent] == tap
            and readers[parent] == [add.index]
        ):
            inner.add(parent)
            for term in _terms(graph, node, tap, readers, inner):
                times = term.times * factor
                rest = term.factors[term.times != 1.0 :]
                head = (times,) if times != 1.0 else ()
                yield replace(
                    term, place=place, times=times, factors=head + rest
                )
        else:
            receives = facts.receives_gradient[place]
            yield _term(graph, tap, parent, factor, receives, place)


def _term(
    graph: Graph,
    tap: int,
    index: int,
    times: float,
    receives: bool,
    place: int,
) -> Term:
    """Read one term: its factors first, then the path to the tap."""
    factors: list[Factor] = [times] if times != 1.0 else []
    value, gate = index, tap
    while value != tap:
        node = graph.nodes[value]
        if node.kind is Kind.SCALE:
            factor = node.facts.factor
            if node.facts.learned or factor is None:
                factors.append(LEARNED)
            elif factor != 1.0:
                factors.append(factor)
            value = node.parents[0]
        elif node.kind is Kind.DROP:
            factors.append(DROPPED[node.facts.whole])
            value = node.parents[0]
        elif gated := _gated(graph, tap, node):
            value, gate, name = gated
            factors.append(name)
        else:
            break
    inside = graph.between(tap, value)
    return Term(
        node=index,
        value=value,
        place=place,
        times=times,
        factors=tuple(factors),
        steps=path(graph, tap, value),
        layers=tuple(n for n in inside if n.kind in LAYERS),
        kinds=frozenset(n.kind for n in inside),
        params=_params(graph, tap, index),
        gate_params=_params(graph, tap, gate),
        is_cut=(not receives and tap in graph.receives_gradient)
        or graph.is_cut(tap, index),
    )


def _params(graph: Graph, tap: int, index: int) -> tuple[str, ...]:
    """Name the parameters on the paths from the tap to a node."""
    return tuple(n for one in graph.between(tap, index) for n in one.params)


def _gated(graph: Graph, tap: int, node: Node) -> tuple[int, int, str] | None:
    """Read a product as a value and a gate that is made at the tap."""
    if node.kind is not Kind.PRODUCT or len(node.parents) != 2:
        return None
    for value, gate in (node.parents, node.parents[::-1]):
        name, one = GATE, graph.nodes[gate]
        while one.facts.negated or one.kind is Kind.VIEW:
            if one.facts.negated:
                name = REST_OF_GATE if name == GATE else GATE
            one = graph.nodes[one.parents[0]]
        inside = {n.index for n in graph.between(tap, one.index)}
        # in squeeze and excitation F gates itself
        if one.facts.name == "sigmoid" and value not in inside:
            return value, one.index, name
    return None


def _placed(graph: Graph, unit: Unit, adds: set[int]) -> Unit:
    """Find the unit before, and what stands between."""
    before = next(i for i in graph.upward(unit.tap) if i in adds or i == ROOT)
    return replace(unit, before=before, trunk=path(graph, before, unit.tap))


def _tail(graph: Graph, adds: set[int]) -> tuple[Step, ...]:
    """Read the path from the last unit to the output."""
    for index in graph.upward(graph.output):
        if index in adds:
            return path(graph, index, graph.output)
    return ()
