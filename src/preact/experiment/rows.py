"""Rows of an experiment file: names, sets of names, units of one's own.

Chapter `08-training`.
"""

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from preact import paper
from preact.plan.written_unit import WrittenUnit
from preact.spec import CONTROLS, ROWS, TABLE_2, UnitSpec, find_row
from preact.typed import Name, typed

ROW_SETS = {
    "table-1": [
        row
        for printed in dict.fromkeys(r.row for r in paper.results(1))
        for row in paper.SEARCHED.get(printed, [printed])
    ],
    "table-2": list(TABLE_2),
    "controls": list(CONTROLS),
}


@typed
class OwnUnit(WrittenUnit):
    """A unit that the paper has not: its name, its places, its factors."""

    name: Name

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.name in ROWS or self.name in ROW_SETS or ".tail" in self.name:
            raise ValueError(
                "name must be one of its own, which no row of the paper "
                f"bears; got {self.name!r}"
            )


def kind_of_row(row: Any) -> str | None:
    """Which of the two a row is, as pydantic calls them; None is neither."""
    if isinstance(row, str):
        return "(name)"
    return "(unit)" if isinstance(row, dict | OwnUnit) else None


Row = Annotated[
    Annotated[str, Tag("(name)")] | Annotated[OwnUnit, Tag("(unit)")],
    Discriminator(
        kind_of_row,
        custom_error_type="row_type",
        custom_error_message="a row's name in quotes, or a table",
    ),
]


def named_units(listed: tuple[str | OwnUnit, ...]) -> dict[str, UnitSpec]:
    """Units by name, sets of rows written out.

    Raises
    ------
    ValueError
        If two units have one name.
    """
    rows: dict[str, UnitSpec] = {}
    for row in listed:
        if isinstance(row, str):
            rows |= {n: find_row(n) for n in ROW_SETS.get(row, [row])}
        elif rows.setdefault(row.name, row.spec) != row.spec:
            raise ValueError(
                f"rows must have names of their own; got {row.name!r} twice"
            )
    return rows
