"""Where the residual units of a graph are, and what they are made of.

A unit is an addition of which one term comes from the tap with (almost)
nothing on its way, the shortcut, and another one through weights, the branch.
The same search tells a projection from an identity and both from a sum of
equals, which is no unit.
"""

from dataclasses import dataclass, replace
from typing import Any

from preact.conformance.graph import ROOT, Graph, Kind, Node
from preact.conformance.ways import Step, names_of, way


@dataclass(frozen=True, kw_only=True)
class Term:
    """One term of an addition, as seen from the tap.

    Attributes
    ----------
    node : int
        What is added; `value` is the same without its factors.
    factors : tuple of str or float
        Constants, "g", "1-g", "learned", "dropout", "drop path".
    steps : tuple of Step
        From the tap to `value`; empty for the identity.
    times : float
        The factor of the addition itself, the first of them.
    learned : bool
        Whether parameters stand between the tap and the addition: what is
        the identity now need not stay one.
    is_cut : bool
        Whether the gradient that comes back to it is lost before the tap.
    kinds : frozenset of Kind
        What was done between the tap and `value`.
    place : int
        Which argument of the addition it is.
    """

    node: int
    value: int
    factors: tuple[Any, ...]
    steps: tuple[Step, ...]
    weights: tuple[Node, ...]
    times: float = 1.0
    learned: bool = False
    is_cut: bool = False
    kinds: frozenset[Kind] = frozenset()
    place: int = 0
    gate_params: tuple[str, ...] = ()  # parameters of the layers before it

    @property
    def names(self) -> tuple[str, ...]:
        return names_of(self.steps)


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
        return tuple(
            name
            for term in (*self.branches, *self.shortcuts)
            for step in term.steps
            for name in step.node.params
        )


@dataclass(frozen=True, kw_only=True)
class Anatomy:
    """A network, taken apart.

    Attributes
    ----------
    units : tuple of Unit
        In order of execution.
    additions : int
        All sums of two signals, units or not.
    longer : tuple of Unit
        Shortcuts around several units.
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
    readers = graph.consumers()
    inner: set[int] = set()  # additions that are terms of another one
    units: list[Unit] = []
    additions = 0
    for node in graph.nodes:
        if node.kind is not Kind.ADD:
            continue
        additions += 1
        unit = _unit(graph, node, readers, inner)
        if unit is not None:
            units.append(unit)
    units = [unit for unit in units if unit.add not in inner]
    longer = [u for u in units if _contains(graph, u, units)]
    around = {u.add for u in longer}
    near = [u for u in units if u.add not in around]
    adds = {u.add for u in near}
    placed = tuple(_placed(graph, u, adds) for u in near)
    return Anatomy(
        graph=graph,
        units=placed,
        longer=tuple(longer),
        additions=additions,
        tail=_tail(graph, placed),
    )


def _contains(graph: Graph, unit: Unit, units: list[Unit]) -> bool:
    """Whether whole units lie inside of the branch."""
    candidates = [u for u in units if unit.tap < u.add < unit.add]
    if not candidates:
        return False
    inside = {n.index for t in unit.branches for n in _nodes(graph, unit, t)}
    return any(
        u.add in inside and u.tap in inside | {unit.tap} for u in candidates
    )


def _nodes(graph: Graph, unit: Unit, term: Term) -> list[Node]:
    """What lies between the tap and a term."""
    return graph.between(unit.tap, term.node)


def _unit(
    graph: Graph, add: Node, readers: list[list[int]], inner: set[int]
) -> Unit | None:
    """Read an addition as a residual unit, if it is one."""
    tap = graph.dominators[add.index]
    terms = [
        _term(graph, tap, index, factor, hears, place)
        for index, factor, hears, place in _terms(
            graph, add, tap, readers, inner
        )
    ]
    if len(terms) < 2:
        return None
    most = max(_effort(t) for t in terms)
    least = min(_effort(t) for t in terms)
    if least == most or least[0] > 1:
        return None
    shortcuts = tuple(t for t in terms if _effort(t) == least or not t.weights)
    branches = tuple(t for t in terms if t not in shortcuts)
    if any(s.node.facts.get("channels") for t in shortcuts for s in t.steps):
        return None  # parts of a split are added, not a signal around F
    return Unit(
        add=add.index,
        tap=tap,
        shape_in=graph.nodes[tap].shape,
        shape_out=add.shape,
        shortcuts=shortcuts,
        branches=branches,
    )


def _effort(term: Term) -> tuple[int, int]:
    """How much weight stands on a way: layers, then the widest kernel."""
    kernels = [max(n.facts.get("kernel") or (1,)) for n in term.weights]
    return len(term.weights), max(kernels, default=0)


def _terms(
    graph: Graph,
    add: Node,
    tap: int,
    readers: list[list[int]],
    inner: set[int],
) -> list[tuple[int, float, bool, int]]:
    """List an addition's terms, sums of sums written out."""
    factors = add.facts.get("factors") or (1.0,) * len(add.parents)
    grads = add.facts.get("grad") or (True,) * len(add.parents)
    listed = []
    for place, (parent, factor, hears) in enumerate(
        zip(add.parents, factors, grads, strict=True)
    ):
        node = graph.nodes[parent]
        if (
            node.kind is Kind.ADD
            and parent != tap
            and graph.dominators[parent] == tap
            and readers[parent] == [add.index]
        ):
            inner.add(parent)
            listed += [
                (i, f * factor, h, place)
                for i, f, h, _ in _terms(graph, node, tap, readers, inner)
            ]
        else:
            listed.append((parent, factor, hears, place))
    return listed


def _term(
    graph: Graph, tap: int, index: int, factor: float, hears: bool, place: int
) -> Term:
    """Read one term: its factors first, then the way to the tap."""
    factors: list[Any] = [factor] if factor != 1.0 else []
    value, gate = index, None
    while value != tap:
        node = graph.nodes[value]
        if node.kind is Kind.SCALE:
            number = node.facts["factor"]
            learned = node.facts["learned"] or number is None
            factors += ["learned"] if learned else [number] * (number != 1.0)
            (value,) = node.parents
        elif node.kind is Kind.DROP:
            factors.append(
                "drop path" if node.facts.get("whole") else "dropout"
            )
            value = node.parents[0]
        elif node.kind is Kind.PRODUCT and len(node.parents) == 2:
            gated = _gated(graph, tap, node)
            if gated is None:
                break
            value, gate, name = gated
            factors.append(name)
        else:
            break
    steps = tuple(way(graph, tap, value))
    weights = tuple(graph.weights(tap, value))
    return Term(
        node=index,
        value=value,
        factors=tuple(factors),
        steps=steps,
        weights=weights,
        times=factor,
        learned=bool(_params(graph, tap, index)),
        is_cut=(not hears and tap in graph.heard) or graph.is_cut(tap, index),
        kinds=frozenset(one.kind for one in graph.between(tap, value)),
        place=place,
        gate_params=() if gate is None else _params(graph, tap, gate),
    )


def _params(graph: Graph, tap: int, index: int) -> tuple[str, ...]:
    """Name the parameters on the ways from the tap to a node."""
    inside = graph.between(tap, index)
    return tuple(name for one in inside for name in one.params)


def _gated(graph: Graph, tap: int, node: Node) -> tuple[int, int, str] | None:
    """Read a product as a value and a gate that is made at the tap."""
    for value, gate in (node.parents, node.parents[::-1]):
        complement, at = False, gate
        while True:
            one = graph.nodes[at]
            if one.kind is Kind.SHIFT and one.facts.get("minus"):
                complement = not complement
            elif one.kind is not Kind.VIEW:
                break
            at = one.parents[0]
        if one.facts.get("name") != "sigmoid":
            continue
        source = {n.index for n in graph.between(tap, at)}
        if value in source:
            continue  # squeeze and excitation: F gates itself
        return value, at, "1-g" if complement else "g"
    return None


def _placed(graph: Graph, unit: Unit, adds: set[int]) -> Unit:
    """Find the unit before, and what stands between."""
    before = next(i for i in graph.upward(unit.tap) if i in adds or i == ROOT)
    return replace(
        unit, before=before, trunk=tuple(way(graph, before, unit.tap))
    )


def _tail(graph: Graph, units: tuple[Unit, ...]) -> tuple[Step, ...]:
    """Read the way from the last unit to the output."""
    adds = {unit.add for unit in units}
    for index in graph.upward(graph.output):
        if index in adds:
            return tuple(way(graph, index, graph.output))
    return ()
