"""One unit: what stands in its three places, and its two factors."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal


class Op(StrEnum):
    """What can stand in one of the three places of a unit.

    Examples
    --------
    >>> from preact.spec import BN, RELU, Op, UnitSpec
    >>> Op("ReLU") is RELU
    True
    >>> UnitSpec(pre=("BN", "ReLU")) == UnitSpec(pre=(BN, RELU))
    True
    """

    BN = "BN"
    RELU = "ReLU"


BN = Op.BN
"""Batch normalization."""
RELU = Op.RELU
"""The rectifier."""
GATE_DESIGNS = ("conv1x1", "two conv3x3")


def check_number(name: str, value: object) -> None:
    """Raise ValueError unless it is a finite number."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError(f"{name} must be a finite number; got {value!r}")


@dataclass(frozen=True)
class Scale:
    """A constant factor `value`, lambda in Eq. (6); `Scale(1.0)` is none.

    Raises
    ------
    ValueError
        If it is no finite number.

    Examples
    --------
    >>> from preact.spec import BN, RELU, Scale, UnitSpec
    >>> print(UnitSpec(pre=(BN, RELU), on_shortcut=Scale(0.9)))
    BN ReLU conv BN ReLU conv (+), 0.9 on shortcut
    """

    value: float = 1.0

    def __post_init__(self) -> None:
        check_number("a scale", self.value)

    def __str__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True)
class Gated:
    """A learned factor g(x) = sigmoid(W x + b), or its complement 1 - g(x).

    One factor for each number of x (Sec. 3.1), by a convolution.

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

    Raises
    ------
    ValueError
        If the bias is no finite number, or another field none of these.

    Examples
    --------
    >>> from preact.spec import BN, RELU, TABLE_1, Gated, UnitSpec
    >>> gate = Gated(-6.0, complement=True)
    >>> print(UnitSpec(post=(BN,), after=(RELU,), on_shortcut=gate))
    conv BN ReLU conv BN (+) ReLU, 1-g(x) on shortcut, initial bias -6
    >>> TABLE_1["shortcut-only-gating-b-6"].on_shortcut == gate
    True
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

    Raises
    ------
    ValueError
        If the rate does not lie strictly between 0 and 1.

    Examples
    --------
    >>> from preact.spec import TABLE_1, Dropout
    >>> TABLE_1["dropout-shortcut"].on_shortcut == Dropout(0.5)
    True
    >>> Dropout(1.0)
    Traceback (most recent call last):
    ValueError: a dropout rate must lie strictly between 0 and 1; got 1.0
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
    """A 1x1 convolution with BN on the shortcut, in every unit (Fig. 2(e)).

    Examples
    --------
    >>> from preact.plan import cifar_plan
    >>> from preact.spec import BN, RELU, Conv1x1, UnitSpec
    >>> spec = UnitSpec(post=(BN,), after=(RELU,), on_shortcut=Conv1x1())
    >>> units = cifar_plan(spec, depth=110, convs=2).units
    >>> sum(unit.projection == "conv BN" for unit in units)
    54
    """

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
        If a place holds something else than distinct BN and ReLU, a factor
        is none of those above, or a gate stands on F without its complement
        on the shortcut (exclusive gating is one gate with two uses). A gate
        on the shortcut alone may be 1 - g(x), as in Fig. 2(d), or g(x).

    References
    ----------
    Eqs. (1), (2) and (6); Figs. 2 and 4.

    Examples
    --------
    >>> from preact.spec import BN, RELU, UnitSpec
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
    """Return distinct `Op`s. Raise ValueError for anything else."""
    if isinstance(ops, tuple):
        names = [str(op) for op in ops if isinstance(op, str)]
        distinct = len(names) == len(ops) == len(set(names))
        if distinct and set(names) <= set(Op):
            return tuple(map(Op, names))
    raise ValueError(
        f"{place} must be a tuple of distinct BN and RELU; got {ops!r}"
    )
