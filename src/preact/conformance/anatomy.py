"""Where the residual units of a graph are, and what they are made of.

A unit is an addition of which one term comes from the tap with (almost)
nothing on its path, the shortcut, and another one through layers, the branch.
The same search tells a projection from an identity and both from a sum of
equals, which is no unit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

from preact.conformance.graph import (
    BN,
    CONV,
    LAYERS,
    RELU,
    ROOT,
    Graph,
    Kind,
    Node,
    Step,
    names_of,
    path,
)

PLAIN = {BN, RELU, CONV}
HEAVY = {CONV, "linear", "parallel layers", "attention", "gate"}
POOLS = ("global pool", "pool", "max pool", "linear", "reduction")
Factor = float | str  # of the strings below, the last two regularize only
GATE, REST_OF_GATE = "g", "1-g"
LEARNED = "learned"
DROPPED = ("dropout", "drop path")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What stands where in a unit of equal input and output."""

    after: tuple[str, ...]
    """Between the addition before and the tap, the paper's f."""
    branch: tuple[str, ...]
    """From the tap to the addition."""
    on_shortcut: tuple[Factor, ...] = ()
    """Factors and layers; empty for the identity."""
    on_branch: tuple[Factor, ...] = ()
    """Factors of F."""

    @property
    def has_plain_branch(self) -> bool:
        """Whether F is written in BN, ReLU and conv alone."""
        return {*self.branch} <= PLAIN and CONV in self.branch

    @property
    def is_plain(self) -> bool:
        """The same of F and of what follows the addition."""
        return self.has_plain_branch and {*self.after} <= PLAIN

    @property
    def pre(self) -> tuple[str, ...]:
        """What stands before the first convolution; of F without one, ()."""
        branch = self.branch
        return branch[: branch.index(CONV)] if CONV in branch else ()

    def __str__(self) -> str:
        """Write it in words, as `UnitSpec` does."""
        text = " ".join([*self.branch, "(+)", *self.after])
        if self.on_shortcut:
            text += f", {in_words(self.on_shortcut)} on shortcut"
        if self.on_branch:
            text += f", {in_words(self.on_branch)} on F"
        return text


def in_words(factors: Iterable[Factor]) -> str:
    """Write names and factors in words."""
    return " ".join(f if isinstance(f, str) else f"{f:g}" for f in factors)


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

    @property
    def follows(self) -> bool:
        """Whether no layer stands between it and the unit before."""
        return self.before != ROOT and not HEAVY & {*names_of(self.trunk)}

    def activates(self, pre: tuple[str, ...]) -> bool:
        """Whether the branch begins, behind the tap, with what `pre` says."""
        return bool(pre) and self.signature.branch[: len(pre)] == pre

    @cached_property
    def signature(self) -> Signature:
        """The unit as the paper would write it."""
        (first, *again), (branch, *others) = self.shortcuts, self.branches
        on_shortcut = (*first.factors, *first.names)
        names = [name for name in branch.names if name not in DROPPED]
        # x - F is x + F with other weights; numbers may keep chance's mean
        ignored = {*DROPPED, -1.0}
        if {*DROPPED} & {*branch.factors}:
            ignored |= {f for f in branch.factors if isinstance(f, float)}
        factors = () if others else branch.factors
        return Signature(
            after=names_of(self.trunk),
            branch=("several branches",) if others else tuple(names),
            on_shortcut=("added again",) if again else on_shortcut,
            on_branch=tuple(f for f in factors if f not in ignored),
        )


@dataclass(frozen=True, kw_only=True)
class Anatomy:
    """A network in one mode, taken apart."""

    graph: Graph
    units: tuple[Unit, ...]
    longer: tuple[Unit, ...]
    """Shortcuts around several units."""
    additions: int
    """All sums of two signals, units or not."""
    tail: tuple[Step, ...]
    """From the last unit to the output."""

    @cached_property
    def interior(self) -> list[Unit]:
        """The units that keep the shape and directly follow another unit."""
        return [u for u in self.units if u.keeps_shape and u.follows]

    @cached_property
    def sign(self) -> Signature | None:
        """What most interior units are; None without any."""
        counted = Counter(unit.signature for unit in self.interior)
        return counted.most_common(1)[0][0] if counted else None

    @cached_property
    def plain_sign(self) -> Signature | None:
        """The same, if it is written in BN, ReLU and conv alone."""
        return self.sign if self.sign and self.sign.is_plain else None

    @cached_property
    def usual(self) -> Unit | None:
        """The first interior unit that is what most are."""
        same = (u for u in self.interior if u.signature == self.sign)
        return next(same, None)

    @cached_property
    def streams(self) -> list[tuple[Unit, tuple[str, ...], int]]:
        """What each unit's stream meets after the addition before, and where.

        Without what is activated for branch and projection together.
        """
        found, pre = [], self.sign.pre if self.sign else ()
        for unit in self.units:
            names, end = names_of(unit.trunk), unit.tap
            own = unit.keeps_shape or unit.activates(pre)
            if pre and not own and names[-len(pre) :] == pre:
                end = unit.trunk[-len(pre)].start
                names = names[: -len(pre)]
            if unit.follows:
                found.append((unit, names, end))
        return found

    @property
    def head(self) -> tuple[str, ...]:
        """What stands between the last addition and the pooling."""
        names = names_of(self.tail)
        if "global pool" in names:
            before = names[: names.index("global pool")]
            return before[:-1] if before[-1:] == ("reduction",) else before
        return tuple(takewhile(lambda name: name not in POOLS, names))


def take_apart(graph: Graph) -> Anatomy:
    """Find the residual units of a graph."""
    search = _Search(graph)
    additions = [node for node in graph.nodes if node.kind is Kind.ADD]
    found = [search.unit(node) for node in additions]
    units = [u for u in found if u and u.add not in search.inner]
    longer = [unit for unit in units if _contains(graph, unit, units)]
    near = [unit for unit in units if unit not in longer]
    adds = {unit.add for unit in near}
    placed = []
    for unit in near:
        upward = graph.upward(unit.tap)
        before = next(i for i in upward if i in adds or i == ROOT)
        trunk = path(graph, before, unit.tap)
        placed.append(replace(unit, before=before, trunk=trunk))
    last = next((i for i in graph.upward(graph.output) if i in adds), None)
    return Anatomy(
        graph=graph,
        units=tuple(placed),
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


class _Search:
    """The search for units in one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.readers = graph, graph.readers()
        self.inner: set[int] = set()  # additions that are another one's terms

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
