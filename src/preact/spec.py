"""The residual unit as data: one frozen description per figure of the paper.

Between its first and its last convolution every unit of the paper is the same
``conv BN ReLU conv``. What is left to choose is one BN and one ReLU, and three
places to put them: before the first convolution (`pre`), after the last one
(`post`), after the addition (`after`, the paper's f), as Tables 1 and 2 do.

Chapter `01-why` meets its tables, chapter `04-units` reads it from top to
bottom; chapters `05-shortcuts` and `06-activations` walk through its tables.

References
----------
He et al., ECCV 2016, Eqs. (1), (2), (6), Figs. 2 and 4, Tables 1 and 2.
"""

import math
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import Literal

__all__ = [
    "BN",
    "CONTROLS",
    "RELU",
    "ROWS",
    "TABLE_1",
    "TABLE_2",
    "Conv1x1",
    "Dropout",
    "Gated",
    "OnBranch",
    "OnShortcut",
    "Op",
    "Scale",
    "UnitSpec",
    "find_row",
    "find_unit",
]


class Op(StrEnum):
    """What can stand in one of the three places of a unit."""

    BN = "BN"
    RELU = "ReLU"


BN = Op.BN
"""Batch normalization."""
RELU = Op.RELU
"""The rectifier."""
GATE_DESIGNS = ("conv1x1", "two conv3x3")


def check_number(name: str, value: object) -> None:
    """Refuse anything but a finite number."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError(f"{name} must be a finite number; got {value!r}")


@dataclass(frozen=True)
class Scale:
    """A constant factor `value`, lambda in Eq. (6); `Scale(1.0)` is none."""

    value: float = 1.0

    def __post_init__(self) -> None:
        check_number("a scale", self.value)

    def __str__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True)
class Gated:
    """A learned factor g(x) = sigmoid(W x + b), or its complement 1 - g(x).

    Parameters
    ----------
    bias : float
        Initial value of b, the experiment's variable in Table 1.
    complement : bool
        True for 1 - g(x), which Fig. 2(c) and (d) put on the shortcut.
    design : {"conv1x1", "two conv3x3"}
        The paper's gate is one 1x1 convolution with a bias. The second design
        is made like the branch, two 3x3 convolutions with BN, as a Highway
        network would gate; `bias` is then the initial shift of its last BN.
    """

    bias: float
    complement: bool = False
    design: Literal["conv1x1", "two conv3x3"] = "conv1x1"

    def __post_init__(self) -> None:
        check_number("a gate's initial bias", self.bias)
        if not isinstance(self.complement, bool):
            raise ValueError(
                "a gate's complement must be True or False; "
                f"got {self.complement!r}"
            )
        if self.design not in GATE_DESIGNS:
            raise ValueError(
                "a gate's design must be one of "
                f"{', '.join(map(repr, GATE_DESIGNS))}; got {self.design!r}"
            )

    def __str__(self) -> str:
        return "1-g(x)" if self.complement else "g(x)"


@dataclass(frozen=True)
class Dropout:
    """Dropout with drop rate `rate`, kept values divided by 1 - rate.

    So scaled, the expected factor is 1 (the convention of Caffe and PyTorch).
    The paper argues with the unscaled convention, whose expectation is
    1 - rate (Sec. 3.1).
    """

    rate: float

    def __post_init__(self) -> None:
        check_number("a dropout rate", self.rate)
        if not 0.0 < self.rate < 1.0:
            raise ValueError(
                f"a dropout rate must lie strictly between 0 and 1; "
                f"got {self.rate}"
            )

    def __str__(self) -> str:
        return f"dropout {self.rate:g}"


@dataclass(frozen=True)
class Conv1x1:
    """A 1x1 convolution with BN on the shortcut, in every unit (Fig. 2(e))."""

    def __str__(self) -> str:
        return "1x1 conv"


OnShortcut = Scale | Gated | Dropout | Conv1x1
"""What Table 1 does to the shortcut."""
OnBranch = Scale | Gated
"""What Table 1 does to F."""


@dataclass(frozen=True, kw_only=True)
class UnitSpec:
    """One residual unit of the paper, described and not built.

    Parameters
    ----------
    pre, post, after : tuple of Op
        What stands before the first convolution, after the last one, and
        after the addition; "BN" and "ReLU" are read as `BN` and `RELU`.
    on_shortcut, on_branch : Scale, Gated, and on the shortcut Dropout, Conv1x1
        The two columns of Table 1: what multiplies (or replaces) the shortcut
        and what multiplies F.

    Raises
    ------
    ValueError
        If a place holds something else than distinct BN and ReLU, or a gate
        stands on F without its complement on the shortcut (exclusive gating
        is one gate with two uses). A gate on the shortcut alone may be
        1 - g(x), as in Fig. 2(d), or g(x) itself.

    Examples
    --------
    >>> print(UnitSpec(pre=(BN, RELU)))
    BN ReLU conv BN ReLU conv (+)
    """

    pre: tuple[Op, ...] = ()
    post: tuple[Op, ...] = ()
    after: tuple[Op, ...] = ()
    on_shortcut: OnShortcut = Scale(1.0)
    on_branch: OnBranch = Scale(1.0)

    def __post_init__(self) -> None:
        for place in ("pre", "post", "after"):
            ops = as_ops(place, getattr(self, place))
            object.__setattr__(self, place, ops)
        if not isinstance(self.on_shortcut, OnShortcut):
            raise ValueError(
                "on_shortcut must be a Scale, Gated, Dropout or Conv1x1; "
                f"got {self.on_shortcut!r}"
            )
        if not isinstance(self.on_branch, OnBranch):
            raise ValueError(
                f"on_branch must be a Scale or Gated; got {self.on_branch!r}"
            )
        if isinstance(self.on_branch, Gated):
            wanted = replace(self.on_branch, complement=True)
            if self.on_branch.complement or self.on_shortcut != wanted:
                raise ValueError(
                    "a gate g(x) on F needs its complement 1-g(x), with the "
                    "same bias and design, on the shortcut; got "
                    f"{self.on_shortcut!r} beside {self.on_branch!r}"
                )

    @property
    def is_identity_after(self) -> bool:
        """Whether f is the identity: nothing follows the addition."""
        return not self.after

    def __str__(self) -> str:
        """Read the figure aloud; factors of 1 go without saying."""
        words = [*self.pre, "conv", BN, RELU, "conv", *self.post]
        text = " ".join([*words, "(+)", *self.after])
        if self.on_shortcut != Scale(1.0):
            text += f", {self.on_shortcut} on shortcut"
        if self.on_branch != Scale(1.0):
            text += f", {self.on_branch} on F"
        gate = self.on_shortcut
        if isinstance(gate, Gated):
            text += f", initial bias {gate.bias:g}"
            if gate.design != "conv1x1":
                text += f", gate of {gate.design}"
        return text


def as_ops(place: str, ops: object) -> tuple[Op, ...]:
    """Return distinct `Op`s.

    Raises
    ------
    ValueError
        If they are anything else.
    """
    if isinstance(ops, tuple):
        names = [str(op) for op in ops if isinstance(op, str)]
        distinct = len(names) == len(ops) == len(set(names))
        if distinct and set(names) <= set(Op):
            return tuple(map(Op, names))
    raise ValueError(
        f"{place} must be a tuple of distinct BN and RELU; got {ops!r}"
    )


TABLE_2 = {
    "original": UnitSpec(post=(BN,), after=(RELU,)),  # Fig. 4(a)
    "bn-after-addition": UnitSpec(after=(BN, RELU)),  # Fig. 4(b)
    "relu-before-addition": UnitSpec(post=(BN, RELU)),  # Fig. 4(c)
    "relu-only-preactivation": UnitSpec(pre=(RELU,), post=(BN,)),  # Fig. 4(d)
    "full-preactivation": UnitSpec(pre=(BN, RELU)),  # Fig. 4(e)
}
"""The five units of Fig. 4 and Table 2, by name."""


def table_1_row(
    on_shortcut: OnShortcut, on_branch: OnBranch = Scale(1.0)
) -> UnitSpec:
    """Return the original unit with the two columns of Table 1 filled in."""
    return replace(
        TABLE_2["original"], on_shortcut=on_shortcut, on_branch=on_branch
    )


GATE_BIASES = tuple(range(0, -11, -1))  # the paper's search, Sec. 3.1
TABLE_1 = {  # on shortcut, on F
    "original": table_1_row(Scale(1.0)),  # Fig. 2(a)
    "constant-scaling-0-1": table_1_row(Scale(0.0)),  # Fig. 2(b)
    "constant-scaling-0.5-1": table_1_row(Scale(0.5)),
    "constant-scaling-0.5-0.5": table_1_row(Scale(0.5), Scale(0.5)),
    **{
        f"exclusive-gating-b{b}": table_1_row(  # Fig. 2(c)
            Gated(float(b), complement=True), Gated(float(b))
        )
        for b in GATE_BIASES
    },
    **{
        f"shortcut-only-gating-b{b}": table_1_row(  # Fig. 2(d)
            Gated(float(b), complement=True)
        )
        for b in GATE_BIASES
    },
    "conv1x1-shortcut": table_1_row(Conv1x1()),  # Fig. 2(e)
    "dropout-shortcut": table_1_row(Dropout(0.5)),  # Fig. 2(f)
}
"""The units of Fig. 2 and Table 1, a row for each gate bias, by name."""
CONTROLS = {"no-relu-after-addition": UnitSpec(post=(BN,))}
"""Ours: the original unit without its last ReLU, so that f is the identity."""
ROWS = {**TABLE_2, **TABLE_1, **CONTROLS}
"""All of `TABLE_2`, `TABLE_1` and `CONTROLS`."""


def find_row(name: str) -> UnitSpec:
    """Return the unit whose `name` is a row of Table 1 or 2, or a control.

    Raises
    ------
    ValueError
        If no row has this name; the message lists the near matches.

    Examples
    --------
    >>> print(find_row("constant-scaling-0.5-1"))
    conv BN ReLU conv BN (+) ReLU, 0.5 on shortcut
    """
    if not isinstance(name, str):
        raise ValueError(f"row must be the name of a row; got {name!r}")
    if name in ROWS:
        return ROWS[name]
    shown = repr(name if len(name) <= 60 else f"{name[:60]}...")
    near = get_close_matches(name[:60], ROWS, n=3, cutoff=0.5) or list(TABLE_2)
    raise ValueError(
        f"row must be a key of TABLE_1, TABLE_2 or CONTROLS; got {shown} "
        f"(near it: {', '.join(near)})"
    )


def find_unit(unit: UnitSpec | str) -> UnitSpec:
    """Return a unit that is given, or that a row's name says.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if isinstance(unit, UnitSpec):
        return unit
    if isinstance(unit, str):
        return find_row(unit)
    raise ValueError(
        f"spec must be a UnitSpec or the name of a row; got {unit!r}"
    )
