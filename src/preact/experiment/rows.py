"""Rows of an experiment file: names, sets of names, units of one's own.

Chapter `09-training`.
"""

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from preact.plan.written import WrittenUnit
from preact.records.compare import printed_rows
from preact.spec import CONTROLS, ROWS, TABLE_2, UnitSpec, find_row
from preact.train import OwnCode
from preact.typed import Name, typed

ROW_SETS = {
    "table-1": printed_rows(1),
    "table-2": list(TABLE_2),
    "controls": list(CONTROLS),
}


@typed
class OwnUnit(WrittenUnit):
    """A unit that the paper has not: its name, its places, its factors."""

    name: Name

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_own_name(self.name)


@typed
class CodeRow:
    """A unit that own code makes: its name, where it is, what it is like."""

    name: Name
    make: str
    like: str = "full-preactivation"

    def __post_init__(self) -> None:
        _check_own_name(self.name)
        self.spec.find()  # refuses what cannot be imported

    @property
    def spec(self) -> OwnCode:
        """What a run trains."""
        return OwnCode(make=self.make, like=self.like)


def _check_own_name(name: str) -> None:
    """Refuse a name that a row of the paper bears."""
    if name in ROWS or name in ROW_SETS or ".tail" in name:
        raise ValueError(
            "name must be one of its own, which no row of the paper bears; "
            f"got {name!r}"
        )


def kind_of_row(row: Any) -> str | None:
    """Which of three a row is, as pydantic calls them; None is neither."""
    if isinstance(row, str):
        return "(name)"
    if isinstance(row, CodeRow) or (isinstance(row, dict) and "make" in row):
        return "(code)"
    return "(unit)" if isinstance(row, dict | OwnUnit) else None


Row = Annotated[
    Annotated[str, Tag("(name)")]
    | Annotated[OwnUnit, Tag("(unit)")]
    | Annotated[CodeRow, Tag("(code)")],
    Discriminator(
        kind_of_row,
        custom_error_type="row_type",
        custom_error_message="a row's name in quotes, or a table",
    ),
]


def named_units(listed: tuple[Row, ...]) -> dict[str, UnitSpec | OwnCode]:
    """Units by name, sets of rows written out. Refuse two of one name."""
    rows: dict[str, UnitSpec | OwnCode] = {}
    for row in listed:
        if isinstance(row, str):
            rows |= {n: find_row(n) for n in ROW_SETS.get(row, [row])}
        elif rows.setdefault(row.name, row.spec) != row.spec:
            raise ValueError(
                f"rows must have names of their own; got {row.name!r} twice"
            )
    return rows
