"""One BN and one ReLU, three places, twelve ways: measured and written out.

The rule of Fig. 4 is that every unit has the convolutions `conv BN ReLU conv`,
and one BN and one ReLU more. Each of these two stands before the first
convolution, after the last one, or after the addition: nine ways, and three
more because two in one place have an order.
"""

from collections.abc import Callable
from functools import cache, reduce
from itertools import product
from typing import NamedTuple

import numpy as np

from preact.plan import stack_plan
from preact.propagation import profile
from preact.reference.caches import Array
from preact.spec import BN, CONTROLS, RELU, TABLE_2, Op, UnitSpec

PLACES = ("pre", "post", "after")
UNITS, WIDTH, BATCH, SEEDS = 50, 64, 256, 4
CONTROL = CONTROLS["no-relu-after-addition"]
X = "<i>x<sub>l</sub></i>"


def twelve_units() -> dict[str, UnitSpec]:
    """Every way to place one BN and one ReLU, the paper's five first.

    By what stands in `pre`/`post`/`after`, such as "BN ReLU//".
    """
    ways = list(TABLE_2.values())
    for bn, relu in product(PLACES, repeat=2):
        where = {BN: bn, RELU: relu}
        for order in ((BN, RELU), (RELU, BN))[: 2 if bn == relu else 1]:
            pre, post, after = (
                tuple(op for op in order if where[op] == place)
                for place in PLACES
            )
            ways.append(UnitSpec(pre=pre, post=post, after=after))
    return {key(spec): spec for spec in ways}


def key(spec: UnitSpec) -> str:
    """Name a unit by what stands in its places, as the page's script does."""
    return "/".join(" ".join(getattr(spec, place)) for place in PLACES)


def row_of(spec: UnitSpec) -> str | None:
    """Return the row of Table 2 that the unit is, if the paper has it."""
    return next((row for row, own in TABLE_2.items() if own == spec), None)


def with_control() -> dict[str, UnitSpec]:
    """The twelve units by name, and the control."""
    return {**twelve_units(), key(CONTROL): CONTROL}


def asymmetric(spec: UnitSpec) -> UnitSpec:
    """Let the branch alone see what follows the addition: Eq. (9)."""
    pre = (*spec.after, *spec.pre)
    return UnitSpec(pre=pre, post=spec.post)


# ---------------------------------------------------------- three questions
class Answers(NamedTuple):
    """What a unit answers to the three questions of chapter 06.

    `f` is what follows the addition: "identity", "ReLU" or, where a BN is
    among it, "BN"; `normalized` says whether a BN stands between an addition
    and the first weights of the next branch; `subtracts` whether the branch
    may be negative where it is added.
    """

    f: str
    normalized: bool
    subtracts: bool


def answers(spec: UnitSpec) -> Answers:
    """Answer for one unit, by reading its three places."""
    f = "BN" if BN in spec.after else "ReLU" if spec.after else "identity"
    return Answers(
        f=f,
        normalized=BN in (*spec.after, *spec.pre),
        subtracts=spec.post[-1:] != (RELU,),
    )


# ----------------------------------------------------------------- measured
class Measured(NamedTuple):
    """Fresh networks of one unit, one a seed.

    `signal` (seeds, L + 1) is the rms of x_l, `gradient` (seeds, L + 1) is
    |dE/dx_l| / |dE/dx_L|, `open_share` (seeds,) the share of coordinates
    whose shortcut is open from x_0 to x_L, NaN where the stream hides it.
    """

    signal: Array
    gradient: Array
    open_share: Array


@cache
def measure(spec: UnitSpec) -> Measured:
    """Measure signal and gradient by depth at iteration 0, once."""
    plan = stack_plan(spec, units=UNITS, width=WIDTH)
    runs = [profile(plan, batch=BATCH, seed=seed) for seed in range(SEEDS)]
    return Measured(
        signal=np.array([run.signal_rms for run in runs]),
        gradient=np.array(
            [run.gradient_norm / run.gradient_norm[-1] for run in runs]
        ),
        open_share=np.array([run.open_share[-1] for run in runs]),
    )


# ------------------------------------------------------------ lines of code
def compose(
    spec: UnitSpec, calls: dict[Op, str], branch: Callable[[str], str], x: str
) -> str:
    """Write x_{l+1} as one expression of x_l, from the inside out."""

    def apply(ops: tuple[Op, ...], text: str) -> str:
        return reduce(lambda inner, op: f"{calls[op]}({inner})", ops, text)

    F = apply(spec.post, branch(apply(spec.pre, x)))
    return apply(spec.after, f"{x} + {F}")


def numpy_line(spec: UnitSpec) -> str:
    """Write the unit in the functions that chapter 04 writes in NumPy."""
    return compose(
        spec,
        {BN: "bn", RELU: "relu"},
        lambda a: f"conv(relu(bn(conv({a}, W1))), W2)",
        "x",
    )


def torch_line(spec: UnitSpec) -> str:
    """Write the unit as the `forward` of a PyTorch module computes it."""
    return compose(
        spec,
        {BN: "self.bn", RELU: "relu"},
        lambda a: f"self.conv2(relu(self.bn1(self.conv1({a}))))",
        "x",
    )


def equation(spec: UnitSpec) -> str:
    """Write Eqs. (1) and (2) of the unit as HTML."""
    W1, W2 = (f"<i>W</i><sub>{i}</sub>" for i in (1, 2))
    right = compose(
        spec, {BN: "BN", RELU: "ReLU"}, lambda a: f"{W2} ReLU(BN({W1} {a}))", X
    )
    return f"<i>x</i><sub><i>l</i>+1</sub> = {right}"


def spec_line(spec: UnitSpec) -> str:
    """Write the unit as the package's data."""
    filled = [
        f"{place}=({', '.join(op.name for op in ops)}{',' * (len(ops) == 1)})"
        for place in PLACES
        if (ops := getattr(spec, place))
    ]
    return f"UnitSpec({', '.join(filled)})"


def silent_line(spec: UnitSpec) -> str:
    """Write what the unit returns when its branch is silent, as HTML."""
    return reduce(lambda inner, op: f"{op}({inner})", spec.after, X)
