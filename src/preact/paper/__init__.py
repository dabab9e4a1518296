"""What the paper says: Tables 1 to 5, the recipe, and numbers in its text.

Checked against two transcriptions of the paper and, for ResNet-1001, the
authors' README. The paper publishes no values of its curves, so neither do
we. Rows of Tables 1 to 3 join to our own measurements on
(table, data, depth, convs, row).

Chapters `05-shortcuts`, `06-activations`, `09-training` and `10-imagenet`
print these tables.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Result", "read", "results"]
FILES = (*(f"table_{number}" for number in range(1, 6)), "protocols", "text")
# The paper's one row "initial bias 0 to -5" is six rows of ours.
SEARCHED = {
    "exclusive-gating-b0-to-b-5": [
        f"exclusive-gating-b{b}" for b in (0, -1, -2, -3, -4, -5)
    ]
}
"""Our rows that stand for one of the paper's, by its key."""

FAIL_ERROR_PCT = 20.0
"""What Tables 1 to 3 print as "fail": a test error above this percentage."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """One test error of Tables 1 to 3.

    Parameters
    ----------
    row : str
        Key of `preact.spec.ROWS`, or "exclusive-gating-b0-to-b-5", one row
        of the paper for six of ours.
    data : str
        "CIFAR-10" or "CIFAR-100".
    depth, convs : int
        Depth of the network, convolutions per unit.
    error_pct : float or None
        Median of 5 runs in percent; None where the paper prints "fail", its
        word for more than 20 %.
    figure : str
        Of the unit, for example "4(e)"; "" in Table 3, which names none.
    on_shortcut : str
        What is on the shortcut, as Table 1 prints it; "" in the other tables.
    on_branch : str
        What is on the branch, as Table 1 prints it; "" in the other tables.
    network : str
        As Table 3 prints it, for example "ResNet-110 (1-layer skip)"; else "".

    Examples
    --------
    >>> from preact.paper import results
    >>> deep = [row for row in results(2) if row.depth == 164]
    >>> best = min(deep, key=lambda row: row.error_pct)
    >>> best.row, best.figure, best.error_pct
    ('full-preactivation', '4(e)', 5.46)
    """

    row: str
    data: str
    depth: int
    convs: int
    error_pct: float | None
    figure: str = ""
    on_shortcut: str = ""
    on_branch: str = ""
    network: str = ""

    @property
    def rows(self) -> list[str]:
        """Our rows that stand for it: six for a row of six biases, or one."""
        return SEARCHED.get(self.row, [self.row])


@cache
def read(name: str) -> dict[str, Any]:
    """Return a file of this room: table_1 to table_5, protocols, text.

    Read once and shared: not to be changed. Units stand in the names of keys
    (`error_pct`); "protocols" are the recipes of the appendix.

    Parameters
    ----------
    name : str
        "table_1" to "table_5", "protocols" or "text".

    Raises
    ------
    ValueError
        If there is no such file.

    Examples
    --------
    >>> from preact.paper import read
    >>> recipe = read("protocols")["cifar"]
    >>> recipe["batch"], recipe["drop_at_iterations"]
    (128, [32000, 48000])
    >>> read("text")["text"]["resnet_1001_cifar_hours"]
    27
    """
    if name not in FILES:
        raise ValueError(
            f"name must be one of {', '.join(FILES)}; got {name!r}"
        )
    source = files(__name__).joinpath(f"{name}.toml")
    return tomllib.loads(source.read_text("utf-8"))


def results(table: int) -> tuple[Result, ...]:
    """Return the rows of Table 1, 2 or 3.

    Parameters
    ----------
    table : {1, 2, 3}
        Number of the table.

    Raises
    ------
    ValueError
        If the table is not one of these three (4 and 5 list methods, not
        rows: `read("table_4")`).

    Examples
    --------
    >>> from preact.paper import results
    >>> [row.error_pct for row in results(3) if row.depth == 1001]
    [7.61, 4.92, 27.82, 22.71]
    """
    if isinstance(table, bool) or table not in (1, 2, 3):
        raise ValueError(f"table must be 1, 2 or 3; got {table!r}")
    return tuple(
        Result(
            **row
            | {
                "error_pct": None
                if row["error_pct"] == "fail"
                else row["error_pct"]
            }
        )
        for row in read(f"table_{table}")["row"]
    )
