"""What a row of the paper costs: the paper's errors, and our records'."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from preact import paper
from preact.records.compare import Line, compare, load_records

BEST = "full-preactivation"
ORIGINAL = "original"
EXPERIMENTS = {1: "digits_table_1", 2: "digits_table_2"}


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The error of a row beside that of the row it should have been.

    Attributes
    ----------
    error_pct, other_pct : float or None
        In percent; None where the paper prints "fail".
    n, other_n : int
        Runs of our records; 0 for the paper's.
    """

    data: str
    depth: int
    row: str
    error_pct: float | None
    other: str
    other_pct: float | None
    n: int = 0
    other_n: int = 0


def costs(row: str, meant: str = "") -> Iterator[Cost]:
    """Look a row up, beside the row that was meant if its table has that.

    Otherwise Table 1 beside the original unit, Table 2 beside (e).
    """
    table = 2 if row in rows_of(2) else 1 if row in rows_of(1) else 0
    if not table:
        return
    other = BEST if table == 2 else ORIGINAL
    if meant in rows_of(table):
        other = meant
    if row == other:
        return
    theirs = {
        (result.data, result.depth, name): result.error_pct
        for result in paper.results(table)
        for name in paper.SEARCHED.get(result.row, [result.row])
    }
    for (data, depth, name), error in theirs.items():
        if name == row and (data, depth, other) in theirs:
            yield Cost(
                data=data,
                depth=depth,
                row=row,
                error_pct=error,
                other=other,
                other_pct=theirs[data, depth, other],
            )
    yield from _recorded(EXPERIMENTS[table], row, other)


def rows_of(table: int) -> set[str]:
    """The rows of a table, its searched row written out."""
    return {
        name
        for result in paper.results(table)
        for name in paper.SEARCHED.get(result.row, [result.row])
    }


def _recorded(experiment: str, row: str, other: str) -> Iterator[Cost]:
    """Our own medians, of the deepest network that has both rows.

    An experiment may have run a row with two tails; the one that the paper
    draws is the row.
    """
    lines = {
        (line.depth, line.row): line
        for line in _lines(experiment)
        if line.paper_has
    }
    depths = [d for d, r in lines if r == row and (d, other) in lines]
    if depths:
        depth = max(depths)
        line, beside = lines[depth, row], lines[depth, other]
        yield Cost(
            data=line.data_label,
            depth=depth,
            row=row,
            error_pct=line.median,
            other=other,
            other_pct=beside.median,
            n=line.n,
            other_n=beside.n,
        )


@cache
def _lines(experiment: str) -> tuple[Line, ...]:
    """The lines of one of our experiments; none before it was run."""
    try:
        return tuple(compare(load_records(experiment)))
    except FileNotFoundError:
        return ()
