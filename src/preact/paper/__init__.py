"""What the paper says: Tables 1 to 5, the recipe, and numbers in its text.

Checked against two full transcriptions of the paper and, for ResNet-1001, the
authors' README. The paper publishes no values of its curves, so neither do
we. Rows of Tables 1 to 3 join to our own measurements on
(table, data, depth, convs, row).

Chapters `05-shortcuts`, `06-activations`, `08-training` and `09-imagenet`
print these tables.

Parameters
----------
figure : str
    Of the unit, for example "Fig. 4(e)".
on_shortcut, on_branch : str
    As the columns of Table 1 print them.
network, remark : str
    As the row prints them.
name : str
    "table_1" to "table_5", "protocols" or "text".
table : {1, 2, 3}
    Its number.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["SEARCHED", "Result", "read", "results"]
# The paper's one row "initial bias 0 to -5" is six rows of ours.
SEARCHED = {
    "exclusive-gating-b0-to-b-5": [
        f"exclusive-gating-b{b}" for b in (0, -1, -2, -3, -4, -5)
    ]
}
"""Our rows that stand for one of the paper's, by its key."""


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
    remark: str = ""


@cache
def read(name: str) -> dict[str, Any]:
    """Return a file of this room: table_1 to table_5, protocols, text."""
    source = files(__name__).joinpath(f"{name}.toml")
    return tomllib.loads(source.read_text("utf-8"))


def results(table: int) -> tuple[Result, ...]:
    """Return the rows of Table 1, 2 or 3.

    Raises
    ------
    ValueError
        If the table is not one of these three (4 and 5 list methods, not
        rows: `read("table_4")`).

    Examples
    --------
    >>> [row.error_pct for row in results(3) if row.depth == 1001]
    [7.61, 4.92, 27.82, 22.71]
    """
    if table not in (1, 2, 3):
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
