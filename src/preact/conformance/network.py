"""The traced network that all checks read."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, takewhile

from torch import Tensor

from preact.conformance.anatomy import CONV, Anatomy, Unit, names_of
from preact.conformance.graph import ROOT, Kind
from preact.conformance.measure import Measured
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

SHOWN = 3  # kinds of units in one line
POOLS = ("global pool", "pool", "max pool", "linear", "reduction")


@dataclass(frozen=True, kw_only=True)
class TracedNetwork:
    """A network in training and in evaluation, with what was measured."""

    image: tuple[int, ...]
    meant: str
    """The row that its author means, or ""."""
    values: Mapping[str, Tensor]
    """Its parameters."""
    training: Anatomy
    evaluation: Anatomy
    measured: Measured
    used: frozenset[str]
    """Parameters that some pass has read."""
    steady: bool
    """Whether all passes of one mode computed the same."""
    drift: float
    """How far two evaluations of an image differ, relative to the largest."""
    other: "TracedNetwork | None" = None
    """The network as evaluation has it, if it is another one there."""

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
    def plain_sign(self) -> Signature | None:
        """The same, if it is written in BN, ReLU and conv alone."""
        return self.sign if self.sign and self.sign.is_plain else None

    @cached_property
    def unit(self) -> str:
        """The interior unit in words; several kinds, if it is not plain."""
        kinds = [*dict.fromkeys(map(str, self.signatures))]
        if self.plain_sign or len(kinds) < 2:
            return str(self.sign or "")
        return "; ".join(kinds[:SHOWN])

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
    def row_as_batch_norm(self) -> str:
        """The row with any normalization read as BN."""
        return self._row(self.sign.as_batch_norm()) if self.sign else ""

    def _row(self, sign: Signature) -> str:
        assert self.sign is not None
        usual = self.interior[self.signatures.index(self.sign)]
        return row_of(usual, sign, self.values)

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
        nodes = self.training.graph.nodes
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


def are_different(training: Anatomy, evaluation: Anatomy) -> bool:
    """Whether the two modes differ in more than dropout."""
    paths = [
        [
            *(settled(names) for _, names, _ in streams(mode)),
            settled(head_of(mode)),
            settled(stem_of(mode)),
        ]
        for mode in (training, evaluation)
    ]
    pairs = zip(training.units, evaluation.units, strict=False)
    return (
        len(training.units) != len(evaluation.units)
        or paths[0] != paths[1]
        or any(differ(*pair) for pair in pairs)
    )


def stem_of(anatomy: Anatomy) -> tuple[str, ...]:
    """What stands between the first convolution and the first unit."""
    names = names_of(anatomy.units[0].trunk) if anatomy.units else ()
    layers = [i for i, name in enumerate(names) if name in (CONV, "linear")]
    return names[layers[-1] + 1 :] if layers else ()


def head_of(anatomy: Anatomy) -> tuple[str, ...]:
    """What stands between the last addition and pooling, or classifier."""
    names = names_of(anatomy.tail)
    if "global pool" in names:
        before = names[: names.index("global pool")]
        return before[:-1] if before[-1:] == ("reduction",) else before
    return tuple(takewhile(lambda name: name not in POOLS, names))


def common_name(params: tuple[str, ...]) -> str:
    """The part of the names that parameters share."""
    levels = zip(*(name.split(".")[:-1] for name in params), strict=False)
    same = takewhile(lambda level: len({*level}) == 1, levels)
    return ".".join(level[0] for level in same)
