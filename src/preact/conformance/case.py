"""A network on the table: what the checks read."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, takewhile

from torch import Tensor

from preact.conformance.anatomy import Anatomy, Unit
from preact.conformance.graph import ROOT, Kind
from preact.conformance.signature import (
    Signature,
    commonest,
    differ,
    interior,
    row_of,
    settled,
    signature,
    streams,
)
from preact.conformance.ways import CONV, names_of

SHOWN = 3  # kinds of units in one line
POOLS = ("global pool", "pool", "max pool", "linear", "reduction")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a pass with values added to the graphs.

    Attributes
    ----------
    factor, error : mappings of int to float
        By addition: <h, x> / <x, x> and max |h - x| / max |x| of each
        shortcut h that is not the very tensor x.
    moved : mapping of int to float
        By addition: how far a unit with F = 0 moves the stream from its tap
        to the next, relative to the largest value.
    """

    factor: Mapping[int, float] = field(default_factory=dict)
    error: Mapping[int, float] = field(default_factory=dict)
    moved: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A network in training and in evaluation, with what was measured.

    Attributes
    ----------
    used : frozenset of str
        Parameters that some pass has read.
    steady : bool
        Whether all passes of one mode computed the same.
    drift : float
        How far two evaluations of one image differ, relative to the largest
        number; 0 where that is what rounding does.
    other : Case or None
        The network as evaluation has it, if it is another one there.
    """

    image: tuple[int, ...]
    meant: str
    values: Mapping[str, Tensor]
    training: Anatomy
    evaluation: Anatomy
    measured: Measured
    used: frozenset[str] = frozenset()
    steady: bool = True
    drift: float = 0.0
    other: "Case | None" = None

    @property
    def modes(self) -> tuple[Anatomy, Anatomy]:
        return self.training, self.evaluation

    @property
    def units(self) -> tuple[Unit, ...]:
        return self.training.units

    @cached_property
    def interior(self) -> list[Unit]:
        return interior(self.training)

    @cached_property
    def signatures(self) -> list[Signature]:
        """Of the interior units, in their order."""
        return [signature(unit) for unit in self.interior]

    @cached_property
    def sign(self) -> Signature | None:
        """What most interior units are."""
        return commonest(self.signatures)

    @cached_property
    def unit(self) -> str:
        """The interior unit read aloud; several kinds, if it is not plain."""
        kinds = {str(s): None for s in self.signatures}
        if self.is_plain or len(kinds) < 2:
            return str(self.sign or "")
        return "; ".join([*kinds][:SHOWN])

    @cached_property
    def streams(self) -> list[tuple[Unit, tuple[str, ...], int]]:
        return streams(self.training)

    @cached_property
    def is_finite(self) -> bool:
        """Whether the weights are numbers, so that values prove something."""
        return all(bool(v.isfinite().all()) for v in self.values.values())

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
        return self._row(self.sign) if self.sign else ""

    @cached_property
    def skeleton_row(self) -> str:
        """The row with any normalization read as BN."""
        return self._row(self.sign, as_bn=True) if self.sign else ""

    def _row(self, sign: Signature, as_bn: bool = False) -> str:
        unit = self.interior[self.signatures.index(sign)]
        return row_of(unit, sign.skeleton if as_bn else sign, self.values)

    @property
    def is_plain(self) -> bool:
        """Whether the unit is written in BN, ReLU and conv alone."""
        return self.sign is not None and self.sign.is_plain

    @cached_property
    def stages(self) -> list[tuple[tuple[int, ...], int]]:
        """Shapes of the stream without the batch, and units of each."""
        shapes = [unit.shape_out[1:] for unit in self.units]
        if len({len(shape) for shape in shapes}) > 1:  # tokens, in or out
            shapes = [(math.prod(shape),) for shape in shapes]
        return [(shape, len(list(same))) for shape, same in groupby(shapes)]

    @cached_property
    def parameters(self) -> int:
        return sum(value.numel() for value in self.values.values())

    @cached_property
    def multiply_adds(self) -> int:
        """Of convolutions and linear layers, for one image."""
        total = 0
        for node in self.training.graph.nodes:
            if node.kind in (Kind.CONV, Kind.LINEAR):
                places = math.prod(node.shape) // node.facts["c_out"]
                total += node.facts["macs"] * places
        return total // self.training.graph.nodes[ROOT].shape[0]

    def place(self, unit: Unit) -> str:
        """Say which unit it is, and where its parameters are."""
        name = common_name(unit.params)
        number = f"{self.units.index(unit) + 1}"
        return f"{number} ({name})" if name else number

    def places(self, units: Iterable[Unit]) -> tuple[str, ...]:
        """Say which units they are."""
        return tuple(self.place(unit) for unit in units)


def are_different(training: Anatomy, evaluation: Anatomy) -> bool:
    """Whether the two modes differ in more than dropout."""
    ways = [
        [settled(names) for _, names, _ in streams(mode)]
        + [settled(head_of(mode)), settled(stem_of(mode))]
        for mode in (training, evaluation)
    ]
    pairs = zip(training.units, evaluation.units, strict=False)
    return (
        len(training.units) != len(evaluation.units)
        or ways[0] != ways[1]
        or any(differ(*pair) for pair in pairs)
    )


def stem_of(anatomy: Anatomy) -> tuple[str, ...]:
    """What stands between the first convolution and the first unit."""
    names = names_of(anatomy.units[0].trunk) if anatomy.units else ()
    weights = [i for i, name in enumerate(names) if name in (CONV, "linear")]
    return names[weights[-1] + 1 :] if weights else ()


def head_of(anatomy: Anatomy) -> tuple[str, ...]:
    """What stands between the last addition and pooling, or classifier."""
    names = names_of(anatomy.tail)
    if "global pool" in names:
        before = names[: names.index("global pool")]
        return before[:-1] if before[-1:] == ("reduction",) else before
    return tuple(takewhile(lambda name: name not in POOLS, names))


def common_name(params: tuple[str, ...]) -> str:
    """The part of the names that parameters share."""
    parts = [name.split(".")[:-1] for name in params]
    same = takewhile(
        lambda level: len(set(level)) == 1, zip(*parts, strict=False)
    )
    return ".".join(level[0] for level in same)
