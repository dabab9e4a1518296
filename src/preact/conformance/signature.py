"""A unit that was found, as the paper would write it.

`UnitSpec` says what a unit is to be; a signature says what one is, and may be
of no row, or of words that the paper does not have.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import torch
from torch import Tensor

from preact.conformance.anatomy import (
    BN,
    CONV,
    DROPPED,
    LEARNED,
    PLAIN,
    RELU,
    REST_OF_GATE,
    Anatomy,
    Factor,
    Term,
    Unit,
    is_norm,
    names_of,
)
from preact.conformance.graph import ROOT, Kind
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

HEAVY = {CONV, "linear", "parallel layers", "attention", "gate"}


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

    def as_batch_norm(self) -> "Signature":
        """The same with any normalization read as BN."""

        def read(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(BN if is_norm(name) else name for name in names)

        return replace(self, after=read(self.after), branch=read(self.branch))

    def __str__(self) -> str:
        """Write it in words, as `UnitSpec` does."""
        text = " ".join([*self.branch, "(+)", *self.after])
        for factors, place in (
            (self.on_shortcut, "on shortcut"),
            (self.on_branch, "on F"),
        ):
            text += f", {in_words(factors)} {place}" if factors else ""
        return text


def in_words(factors: Iterable[Factor]) -> str:
    """Write names and factors in words."""
    return " ".join(f if isinstance(f, str) else f"{f:g}" for f in factors)


def signature(unit: Unit) -> Signature:
    """Read a unit."""
    (first, *again), (branch, *others) = unit.shortcuts, unit.branches
    on_shortcut: tuple[Factor, ...] = (*first.factors, *first.names)
    ends = Signature(
        after=names_of(unit.trunk),
        branch=("several branches",),
        on_shortcut=("added again",) if again else on_shortcut,
    )
    if others:
        return ends
    by_chance = bool({*branch.factors} & {*DROPPED})
    return replace(
        ends,
        # without what regularizes, or what mixed precision casts
        branch=tuple(
            step.name
            for step in branch.steps
            if step.name not in DROPPED and step.node.kind is not Kind.CAST
        ),
        # x - F is x + F with other weights; numbers may keep chance's mean
        on_branch=tuple(
            f
            for f in branch.factors
            if f not in (*DROPPED, -1.0)
            and not (by_chance and isinstance(f, float))
        ),
    )


def interior(anatomy: Anatomy) -> list[Unit]:
    """The units that keep the shape and directly follow another unit."""
    return [u for u in anatomy.units if u.keeps_shape and _follows(u)]


def _follows(unit: Unit) -> bool:
    """Whether no layer stands between a unit and the one before."""
    return unit.before != ROOT and not HEAVY & {*names_of(unit.trunk)}


def activates(unit: Unit, pre: tuple[str, ...]) -> bool:
    """Whether the branch begins, behind the tap, with what `pre` says."""
    return bool(pre) and signature(unit).branch[: len(pre)] == pre


def streams(anatomy: Anatomy) -> list[tuple[Unit, tuple[str, ...], int]]:
    """What each unit's stream meets after the addition before.

    Returns
    -------
    list of (Unit, tuple of str, int)
        Units without a layer on that path; what stands there, less what the
        unit activates for branch and projection together; the node where
        that ends.
    """
    found = []
    usual = commonest([signature(unit) for unit in interior(anatomy)])
    pre = usual.pre if usual else ()
    for unit in filter(_follows, anatomy.units):
        names, end = names_of(unit.trunk), unit.tap
        own = unit.keeps_shape or activates(unit, pre)
        if pre and not own and names[-len(pre) :] == pre:
            end = unit.trunk[-len(pre)].start
            names = names[: -len(pre)]
        found.append((unit, names, end))
    return found


def differ(training: Unit, evaluation: Unit) -> bool:
    """Whether a unit is another one in evaluation, dropout left aside.

    Of a branch in words that the paper does not have, only the ends are
    compared: people fuse and cache in evaluation.
    """
    here, there = signature(training), signature(evaluation)
    pairs = [(here.on_shortcut, there.on_shortcut)]
    if training.before != ROOT:
        pairs.append((here.after, there.after))
    if here.has_plain_branch:
        pairs.append((here.branch, there.branch))
    terms = training.branches
    if not {f for t in terms for f in (*t.factors, *t.names)} & {*DROPPED}:
        pairs.append((here.on_branch, there.on_branch))  # else its mean is one
    return any(settled(a) != settled(b) for a, b in pairs)


def settled(names: Iterable[Factor]) -> list[Factor]:
    """Leave dropout out; read a normalization as in evaluation.

    There one written by hand is a shift and a scale.
    """
    affine = ("shift", "learned scale", LEARNED)
    read = [
        "norm" if name in affine or is_norm(str(name)) else name
        for name in names
        if name not in DROPPED
    ]
    return [name for name, _ in groupby(read)]


def commonest(signatures: list[Signature]) -> Signature | None:
    """The signature that most units have; None without any."""
    counted = Counter(signatures).most_common(1)
    return counted[0][0] if counted else None


def row_of(unit: Unit, sign: Signature, values: Mapping[str, Tensor]) -> str:
    """Return the paper's row that units of a signature are, or "".

    A gate's bias is read from the network's parameters, by one such unit.
    """
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
    """Read a cell of Table 1.

    Raises
    ------
    ValueError
        If no row has this.
    """
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
    """Return the bias of a gate's layer, where its channels agree on it."""
    named = [values[name].detach() for name in term.gate_params]
    biases = [value for value in named if value.ndim == 1]
    if not biases:
        return 0.0
    low, high = torch.aminmax(biases[-1])
    return round(low.item(), 6) if low == high else float(biases[-1].mean())
