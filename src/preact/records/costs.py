"""What a row of the paper costs: the paper's errors, and our records'."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from preact import paper
from preact.records.compare import Line, compare, load_records, printed_rows

EXPERIMENTS = {1: "digits_table_1", 2: "digits_table_2"}
BEST = {1: "original", 2: "full-preactivation"}


@dataclass(frozen=True)
class Cost:
    """The error of a row beside that of the row it should have been."""

    data: str
    depth: int
    row: str
    error_pct: float | None  # the paper's "fail"
    other: str
    other_pct: float | None
    n: int = 0  # runs of our records
    other_n: int = 0
    lr: float | None = None  # of our records, too


def costs(row: str, meant: str = "") -> Iterator[Cost]:
    """Look a row up, beside the one that was meant, or its table's best."""
    table = 2 if row in printed_rows(2) else 1
    rows = printed_rows(table)
    other = meant if meant in rows else BEST[table]
    if row == other or row not in rows:
        return
    theirs = {
        (result.data, result.depth, name): result.error_pct
        for result in paper.results(table)
        for name in result.rows
    }
    for (data, depth, name), error in theirs.items():
        if name == row and (data, depth, other) in theirs:
            beside = theirs[data, depth, other]
            yield Cost(data, depth, row, error, other, beside)
    # ours: the deepest network that has both, with the tail that the paper
    # draws where a row was run with two
    lines = {
        (line.depth, line.row): line
        for line in _lines(EXPERIMENTS[table])
        if line.paper_has
    }
    depths = [d for d, name in lines if name == row and (d, other) in lines]
    if depths:
        a, b = lines[max(depths), row], lines[max(depths), other]
        place = a.data_label, a.depth, row
        yield Cost(*place, a.median, other, b.median, a.n, b.n, a.lr)


@cache
def _lines(experiment: str) -> tuple[Line, ...]:
    return tuple(compare(load_records(experiment)))
