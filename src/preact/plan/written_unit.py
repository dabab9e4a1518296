"""A unit as files write it: its places and its factors.

Experiment files describe their own units so, and files of weights theirs.
"""

from typing import Literal

from preact.spec import (
    Conv1x1,
    Dropout,
    Gated,
    OnBranch,
    OnShortcut,
    Op,
    Scale,
    UnitSpec,
)
from preact.typed import typed

OpName = Literal["BN", "ReLU"]


@typed
class Factor:
    """What multiplies the shortcut or F: one of Table 1's, by its name."""

    scale: float | None = None
    gate: float | None = None
    complement: bool = False
    design: Literal["conv1x1", "two conv3x3"] = "conv1x1"
    dropout: float | None = None
    conv1x1: bool = False

    def __post_init__(self) -> None:
        names = ("scale", "gate", "dropout", "conv1x1")
        absent = (self.scale, self.gate, self.dropout).count(None)
        if 3 - absent + self.conv1x1 != 1:
            raise ValueError(f"must say exactly one of {', '.join(names)}")
        if self.gate is None and (self.complement or self.design != "conv1x1"):
            raise ValueError("may say complement and design of a gate only")

    @property
    def made(self) -> OnShortcut:
        if self.gate is not None:
            return Gated(self.gate, self.complement, self.design)
        if self.dropout is not None:
            return Dropout(self.dropout)
        if self.conv1x1:
            return Conv1x1()
        return Scale(self.scale if self.scale is not None else 1.0)


@typed
class WrittenUnit:
    """A unit: its three places, and its factors."""

    pre: tuple[OpName, ...] = ()
    post: tuple[OpName, ...] = ()
    after: tuple[OpName, ...] = ()
    on_shortcut: Factor = Factor(scale=1.0)
    on_branch: Factor = Factor(scale=1.0)

    def __post_init__(self) -> None:
        for place in ("pre", "post", "after"):
            if len(set(names := getattr(self, place))) < len(names):
                raise ValueError(
                    f"{place} must have BN and ReLU once each at most; got "
                    f"{', '.join(names)}"
                )
        self.spec  # noqa: B018  (refuses what is no unit)

    @property
    def spec(self) -> UnitSpec:
        """The unit that the file describes.

        Raises
        ------
        ValueError
            If its factors are of no unit.
        """
        branch = self.on_branch.made
        if not isinstance(branch, OnBranch):
            raise ValueError("on_branch must be a scale or a gate")
        return UnitSpec(
            pre=tuple(map(Op, self.pre)),
            post=tuple(map(Op, self.post)),
            after=tuple(map(Op, self.after)),
            on_shortcut=self.on_shortcut.made,
            on_branch=branch,
        )


def write_unit(spec: UnitSpec) -> WrittenUnit:
    """Return a unit as a file has it."""
    return WrittenUnit(
        pre=names_of(spec.pre),
        post=names_of(spec.post),
        after=names_of(spec.after),
        on_shortcut=_factor(spec.on_shortcut),
        on_branch=_factor(spec.on_branch),
    )


def names_of(ops: tuple[Op, ...]) -> tuple[OpName, ...]:
    """Return the ops of a place as a file has them."""
    return tuple(op.value for op in ops)


def _factor(factor: OnShortcut) -> Factor:
    """A factor as a file has it."""
    match factor:
        case Gated(bias, complement, design):
            return Factor(gate=bias, complement=complement, design=design)
        case Dropout(rate):
            return Factor(dropout=rate)
        case Conv1x1():
            return Factor(conv1x1=True)
        case Scale(value):
            return Factor(scale=value)
