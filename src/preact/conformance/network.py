"""The traced network that all checks read, and the paper's row that it is."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise, takewhile

from torch import Tensor

from preact.conformance.anatomy import (
    REST_OF_GATE,
    Anatomy,
    Factor,
    Term,
    Unit,
)
from preact.conformance.graph import BN, CONV, RELU, ROOT, Kind
from preact.conformance.measure import Measured
from preact.spec import (
    ROWS,
    TABLE_1,
    Conv1x1,
    Dropout,
    Gated,
    Op,
    Scale,
    UnitSpec,
)

SHOWN = 3  # kinds of units in one line


@dataclass(frozen=True, kw_only=True)
class TracedNetwork(Anatomy):
    """A network in training, with what was measured and seen beside it."""

    image: tuple[int, ...]
    meant: str
    """The row that its author means, or ""."""
    values: Mapping[str, Tensor]
    """Its parameters."""
    measured: Measured
    used: frozenset[str]
    """Parameters that a pass has read."""
    steady: bool
    """Whether two passes computed the same."""
    drift: float
    """How far their results differ, relative to the largest."""
    evaluation: "TracedNetwork | None" = None
    """The same in evaluation."""

    @cached_property
    def unit(self) -> str:
        """The interior unit in words; several kinds, if it is not plain."""
        kinds = [*dict.fromkeys(str(u.signature) for u in self.interior)]
        if self.plain_sign or len(kinds) < 2:
            return str(self.sign or "")
        return "; ".join(kinds[:SHOWN])

    @cached_property
    def is_one_stream(self) -> bool:
        """Whether each unit reads what the one before has written."""
        adds = [ROOT, *(unit.add for unit in self.units)]
        return all(
            u.before == add for u, add in zip(self.units, adds, strict=False)
        )

    @cached_property
    def row(self) -> str:
        """Its row in the paper, or ""."""
        return row_of(self.usual, self.values) if self.usual else ""

    @cached_property
    def stages(self) -> list[tuple[tuple[int, ...], int]]:
        """Shapes of the stream without the batch, and units of each."""
        shapes = [unit.shape_out[1:] for unit in self.units]
        if len({len(shape) for shape in shapes}) > 1:  # tokens, in or out
            shapes = [(math.prod(shape),) for shape in shapes]
        return [(shape, len(list(same))) for shape, same in groupby(shapes)]

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Units of each stage."""
        return tuple(count for _, count in self.stages)

    @cached_property
    def parameters(self) -> int:
        return sum(value.numel() for value in self.values.values())

    @cached_property
    def multiply_adds(self) -> int:
        """Of convolutions and linear layers, for one image."""
        nodes = self.graph.nodes
        total = sum(
            node.facts.weights * (math.prod(node.shape) // node.facts.c_out)
            for node in nodes
            if node.kind in (Kind.CONV, Kind.LINEAR)
        )
        return total // nodes[ROOT].shape[0]

    def places(self, units: Iterable[Unit]) -> tuple[str, ...]:
        """Say which units they are, and where their parameters are."""
        named = [
            (self.units.index(u) + 1, common_name(u.params)) for u in units
        ]
        return tuple(f"{k} ({name})" if name else f"{k}" for k, name in named)


def common_name(params: tuple[str, ...]) -> str:
    """The part of the names that parameters share."""
    levels = zip(*(name.split(".")[:-1] for name in params), strict=False)
    same = takewhile(lambda level: len({*level}) == 1, levels)
    return ".".join(level[0] for level in same)


def row_of(unit: Unit, values: Mapping[str, Tensor]) -> str:
    """Return the paper's row that a unit is, or "".

    A gate's bias is read from the network's parameters.
    """
    sign = unit.signature
    convs = [i for i, name in enumerate(sign.branch) if name == CONV]
    between = {sign.branch[i + 1 : j] for i, j in pairwise(convs)}
    if not sign.is_plain or not between <= {(BN, RELU)}:
        return ""
    try:
        spec = UnitSpec(
            pre=tuple(map(Op, sign.pre)),
            post=tuple(map(Op, sign.branch[convs[-1] + 1 :])),
            after=tuple(map(Op, sign.after)),
            on_shortcut=_table_1(sign.on_shortcut, unit.shortcuts[0], values),
            on_branch=_table_1(sign.on_branch, unit.branches[0], values),  # type: ignore[arg-type]
        )
    except ValueError:
        return ""
    for name, row in ROWS.items():
        if row == spec:
            return name
    # a gate, at a bias that the paper did not search
    bare = replace(spec, on_shortcut=Scale(1.0), on_branch=Scale(1.0))
    if not isinstance(spec.on_shortcut, Gated) or bare != TABLE_1["original"]:
        return ""
    exclusive = isinstance(spec.on_branch, Gated)
    return "exclusive-gating" if exclusive else "shortcut-only-gating"


def _table_1(
    factors: tuple[Factor, ...], term: Term, values: Mapping[str, Tensor]
) -> Scale | Dropout | Gated | Conv1x1:
    """Read a cell of Table 1; a ValueError if no row has this."""
    match factors:
        case ():
            return Scale(1.0)
        case (float() as factor,):
            return Scale(factor)
        case ("dropout",):
            return Dropout(0.5)
        case ("1-g" | "g" as gate,):
            bias = _gate_bias(term, values)
            return Gated(bias, complement=gate == REST_OF_GATE)
        case ("conv", "BN"):
            return Conv1x1()
    raise ValueError("no row has this")


def _gate_bias(term: Term, values: Mapping[str, Tensor]) -> float:
    """Return the bias of a gate's layer, the mean over its channels."""
    named = [values[name].double() for name in term.gate_params]
    biases = [value for value in named if value.ndim == 1]
    return round(biases[-1].mean().item(), 6) if biases else 0.0
