"""The units of Tables 1 and 2, by the names of their rows."""

from dataclasses import replace
from difflib import get_close_matches

from preact.spec.unit import (
    BN,
    RELU,
    Conv1x1,
    Dropout,
    Gated,
    OnBranch,
    OnShortcut,
    Scale,
    UnitSpec,
)

TABLE_2 = {
    "original": UnitSpec(post=(BN,), after=(RELU,)),  # Fig. 4(a)
    "bn-after-addition": UnitSpec(after=(BN, RELU)),  # Fig. 4(b)
    "relu-before-addition": UnitSpec(post=(BN, RELU)),  # Fig. 4(c)
    "relu-only-preactivation": UnitSpec(pre=(RELU,), post=(BN,)),  # Fig. 4(d)
    "full-preactivation": UnitSpec(pre=(BN, RELU)),  # Fig. 4(e)
}
"""The five units of Fig. 4 and Table 2, by name."""
ONE = Scale(1.0)


def table_1_row(
    on_shortcut: OnShortcut, on_branch: OnBranch = ONE
) -> UnitSpec:
    """Return the original unit with the two columns of Table 1 filled in."""
    return replace(
        TABLE_2["original"], on_shortcut=on_shortcut, on_branch=on_branch
    )


GATE_BIASES = tuple(range(0, -11, -1))  # the paper's search, Sec. 3.1
TABLE_1 = {  # on shortcut, on F
    "original": table_1_row(ONE),  # Fig. 2(a)
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
        If no row has this name, and the message lists the near matches; or
        if it is no text.

    Examples
    --------
    >>> from preact.spec import find_row
    >>> print(find_row("constant-scaling-0.5-1"))
    conv BN ReLU conv BN (+) ReLU, 0.5 on shortcut
    """
    if not isinstance(name, str):
        raise ValueError(f"row must be the name of a row; got {name!r}")
    if name in ROWS:
        return ROWS[name]
    shown = repr(name if len(name) <= 60 else f"{name[:60]}...")
    near = get_close_matches(name[:60], ROWS, n=3, cutoff=0.5)
    legal = [row for row in ROWS if "gating-b-" not in row]
    raise ValueError(
        f"row must name a unit of Table 1 or 2; got {shown} "
        + (
            f"(near it: {', '.join(near)})"
            if near
            else f"(legal: {', '.join(legal)}, gates to b-10)"
        )
    )


def find_unit(unit: UnitSpec | str) -> UnitSpec:
    """Return a unit that is given, or that a row's name says.

    ValueError if it is neither.
    """
    if isinstance(unit, UnitSpec):
        return unit
    if isinstance(unit, str):
        return find_row(unit)
    raise ValueError(
        f"spec must be a UnitSpec or the name of a row; got {unit!r}"
    )
