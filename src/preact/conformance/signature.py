"""A unit that was found, as the paper would write it.

`UnitSpec` says what a unit is to be; a signature says what one is, and may be
of no row, or of words that the paper does not have.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

import torch
from torch import Tensor

from preact.conformance.anatomy import Anatomy, Term, Unit
from preact.conformance.graph import ROOT, Kind
from preact.conformance.ways import (
    BN,
    CONV,
    PLAIN,
    RELU,
    Step,
    is_norm,
    names_of,
)
from preact.spec import (
    ROWS,
    TABLE_1,
    Conv1x1,
    Dropout,
    Gated,
    OnBranch,
    OnShortcut,
    Op,
    Scale,
    UnitSpec,
)

HEAVY = {CONV, "linear", "parallel layers", "attention", "gate"}
DROPPED = ("dropout", "drop path")  # on a branch it regularizes, no more
UNSAID = (*DROPPED, -1.0)  # x - F is x + F with other weights


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What stands where in a unit of equal input and output.

    Attributes
    ----------
    after : tuple of str
        Between the addition before and the tap, the paper's f.
    branch : tuple of str
        From the tap to the addition.
    on_shortcut, on_branch : tuple
        Factors and layers; empty for the identity.
    """

    after: tuple[str, ...]
    branch: tuple[str, ...]
    on_shortcut: tuple[Any, ...] = ()
    on_branch: tuple[Any, ...] = ()

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
        convs = self._convs()
        return self.branch[: convs[0]] if convs else ()

    @property
    def post(self) -> tuple[str, ...]:
        return self.branch[self._convs()[-1] + 1 :]

    @property
    def between(self) -> tuple[tuple[str, ...], ...]:
        """What stands between each convolution and the next."""
        at = self._convs()
        return tuple(self.branch[i + 1 : j] for i, j in pairwise(at))

    @property
    def convs(self) -> int:
        return self.branch.count(CONV)

    def _convs(self) -> list[int]:
        return [i for i, one in enumerate(self.branch) if one == CONV]

    @property
    def skeleton(self) -> "Signature":
        """The same with any normalization read as BN."""
        return Signature(
            after=_as_bn(self.after),
            branch=_as_bn(self.branch),
            on_shortcut=self.on_shortcut,
            on_branch=self.on_branch,
        )

    def __str__(self) -> str:
        """Read it aloud, as `UnitSpec` reads a figure."""
        text = " ".join([*self.branch, "(+)", *self.after])
        for factors, place in (
            (self.on_shortcut, "on shortcut"),
            (self.on_branch, "on F"),
        ):
            if factors:
                text += f", {' '.join(map(_aloud, factors))} {place}"
        return text


def _aloud(factor: object) -> str:
    """Read a factor aloud."""
    return f"{factor:g}" if isinstance(factor, float) else str(factor)


def _as_bn(names: tuple[str, ...]) -> tuple[str, ...]:
    """Read any normalization as BN."""
    return tuple(BN if is_norm(name) else name for name in names)


def interior(anatomy: Anatomy) -> list[Unit]:
    """The units that keep the shape and directly follow another unit."""
    return [
        u
        for u in anatomy.units
        if u.keeps_shape
        and u.before != ROOT
        and not HEAVY & {*names_of(u.trunk)}
    ]


def streams(
    anatomy: Anatomy,
) -> list[tuple[Unit, tuple[str, ...], int]]:
    """What each unit's stream meets after the addition before.

    Returns
    -------
    list of (Unit, tuple of str, int)
        Units without a layer on that way; what stands there, less what the
        unit activates for branch and projection together; the node where
        that ends.
    """
    found = []
    usual = commonest([signature(unit) for unit in interior(anatomy)])
    pre = usual.pre if usual else ()
    for unit in anatomy.units:
        names = names_of(unit.trunk)
        if unit.before == ROOT or HEAVY & {*names}:
            continue
        end = unit.tap
        own = signature(unit).branch[: len(pre)] == pre
        if pre and not (unit.keeps_shape or own) and names[-len(pre) :] == pre:
            end = unit.trunk[-len(pre)].start
            names = names[: -len(pre)]
        found.append((unit, names, end))
    return found


def signature(unit: Unit) -> Signature:
    """Read a unit."""
    (first, *_) = unit.shortcuts
    on_shortcut: tuple[Any, ...] = (*first.factors, *first.names)
    if len(unit.shortcuts) > 1:
        on_shortcut = ("added again",)
    if len(unit.branches) != 1:
        return Signature(
            after=names_of(unit.trunk),
            branch=("several branches",),
            on_shortcut=on_shortcut,
        )
    branch = unit.branches[0]
    unsaid = (*UNSAID, *_means(branch))
    return Signature(
        after=names_of(unit.trunk),
        branch=names_of(filter(_is_of_branch, branch.steps)),
        on_shortcut=on_shortcut,
        on_branch=tuple(f for f in branch.factors if f not in unsaid),
    )


def _means(branch: Term) -> tuple[float, ...]:
    """The numbers that keep the mean of an F that is dropped by chance."""
    if not {*branch.factors} & {*DROPPED}:
        return ()
    return tuple(f for f in branch.factors if isinstance(f, float))


def _is_of_branch(step: Step) -> bool:
    """Not what regularizes, nor what mixed precision casts."""
    return step.name not in DROPPED and step.node.kind is not Kind.CAST


def differ(training: Unit, evaluation: Unit) -> bool:
    """Whether a unit is another one in evaluation, dropout left aside.

    Of a branch in words that the paper does not have, only the ends are
    compared: people fuse and cache in evaluation.
    """
    here, there = signature(training), signature(evaluation)
    ways = [(here.on_shortcut, there.on_shortcut)]
    if training.before != ROOT:
        ways.append((here.after, there.after))
    if here.has_plain_branch:
        ways.append((here.branch, there.branch))
    terms = training.branches
    dropped = {f for t in terms for f in (*t.factors, *t.names)} & {*DROPPED}
    if not dropped:  # or evaluation has its mean as a factor
        ways.append((here.on_branch, there.on_branch))
    return any(settled(a) != settled(b) for a, b in ways)


def settled(names: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leave dropout out; read a normalization as in evaluation.

    There one written by hand is a shift and a scale.
    """
    kept = [name for name in names if name not in DROPPED]
    affine = ["norm" if _is_affine(name) else name for name in kept]
    return tuple(name for name, _ in groupby(affine))


def _is_affine(name: object) -> bool:
    """Whether a step may be a normalization in evaluation."""
    return name in ("shift", "learned scale", "learned") or is_norm(str(name))


def commonest(signatures: list[Signature]) -> Signature | None:
    """The signature that most units have; None without any."""
    if not signatures:
        return None
    return Counter(signatures).most_common(1)[0][0]


def row_of(unit: Unit, sign: Signature, values: Mapping[str, Tensor]) -> str:
    """Return the paper's row that a unit is, or "".

    Parameters
    ----------
    unit : Unit
        Any unit of this signature; its gate tells the initial bias.
    values : mapping of str to Tensor
        The network's parameters.
    """
    if not sign.is_plain or any(one != (BN, RELU) for one in sign.between):
        return ""
    try:
        spec = UnitSpec(
            pre=tuple(map(Op, sign.pre)),
            post=tuple(map(Op, sign.post)),
            after=tuple(map(Op, sign.after)),
            on_shortcut=_on_shortcut(unit, sign, values),
            on_branch=_on_branch(unit, sign, values),
        )
    except ValueError:
        return ""
    for name, row in ROWS.items():
        if row == spec:
            return name
    return _gated_row(spec)


def _gated_row(spec: UnitSpec) -> str:
    """The gating experiment, at a bias that the paper did not search."""
    gate = spec.on_shortcut
    original = TABLE_1["original"]
    places = (spec.pre, spec.post, spec.after)
    if not isinstance(gate, Gated) or places != (
        original.pre,
        original.post,
        original.after,
    ):
        return ""
    exclusive = isinstance(spec.on_branch, Gated)
    return "exclusive-gating" if exclusive else "shortcut-only-gating"


def _on_shortcut(
    unit: Unit, sign: Signature, values: Mapping[str, Tensor]
) -> OnShortcut:
    """Read Table 1's first column."""
    match sign.on_shortcut:
        case ():
            return Scale(1.0)
        case (float() as factor,):
            return Scale(factor)
        case ("dropout",):
            return Dropout(0.5)
        case ("1-g" | "g" as gate,):
            bias = gate_bias(unit.shortcuts[0], values)
            return Gated(bias, complement=gate == "1-g")
        case ("conv", "BN"):
            return Conv1x1()
    raise ValueError("no row has this on its shortcut")


def _on_branch(
    unit: Unit, sign: Signature, values: Mapping[str, Tensor]
) -> OnBranch:
    """Read Table 1's second column."""
    match sign.on_branch:
        case ():
            return Scale(1.0)
        case (float() as factor,):
            return Scale(factor)
        case ("g",):
            return Gated(gate_bias(unit.branches[0], values))
    raise ValueError("no row has this on F")


def gate_bias(term: Term, values: Mapping[str, Tensor]) -> float:
    """Return the bias of a gate's layer, where its channels agree on it."""
    biases = [
        values[name] for name in term.gate_params if values[name].ndim == 1
    ]
    if not biases:
        return 0.0
    low, high = torch.aminmax(biases[-1].detach())
    return round(low.item(), 6) if low == high else float(biases[-1].mean())
