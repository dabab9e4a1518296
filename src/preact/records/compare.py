"""Records of many seeds as one line each, beside the paper's numbers.

Chapter `08-training`.
"""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from preact import paper
from preact.records import Record, read_record

FAIL_ERROR_PCT = 20.0  # the paper's "fail" is a test error above this
PUBLISHED = Path(str(files("preact"))) / "results"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of a table: all seeds of one network, and the paper's error.

    Parameters
    ----------
    tail : str
        What stands before the classifier; "" is nothing.
    errors_pct : tuple of float
        Test errors of the last iteration, by seed.
    diverged : int
        Runs among them whose loss was not finite in the end.
    paper_pct : float or None
        The paper's median on CIFAR-10; None where it prints "fail", or if
        `paper_has` is False, nothing.
    """

    row: str
    spec: str
    tail: str
    depth: int
    convs: int
    width: int
    data_label: str
    seeds: tuple[int, ...]
    errors_pct: tuple[float, ...]
    diverged: int
    paper_has: bool
    paper_pct: float | None

    @property
    def n(self) -> int:
        return len(self.errors_pct)

    @property
    def median(self) -> float:
        return statistics.median(self.errors_pct)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.errors_pct)

    @property
    def std(self) -> float | None:
        """Deviation of the sample; None of a single run."""
        return statistics.stdev(self.errors_pct) if self.n > 1 else None

    @property
    def fails(self) -> bool:
        """Whether the paper would have printed "fail"."""
        return self.median > FAIL_ERROR_PCT


def load_records(
    experiment: str | None = None, folder: Path = PUBLISHED
) -> list[Record]:
    """Read the records below a folder, of one experiment or of all.

    The default folder is the package's own: what we have published.

    Raises
    ------
    FileNotFoundError
        If there are none.
    ValueError
        If a file is damaged.
    """
    root = folder / experiment if experiment else folder
    found = [read_record(path) for path in sorted(root.rglob("seed-*.json"))]
    if not found:
        raise FileNotFoundError(f"no records below {root}")
    return found


def compare(records: Iterable[Record]) -> list[Line]:
    """Gather seeds, in the order of the paper's tables, then of our own.

    The paper's error is joined on (depth, convs, row), to rows with the tail
    that the paper draws.
    """
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        key = tuple(record[field] for field in JOINED)
        groups.setdefault(key, []).append(record)
    theirs = paper_errors()
    lines = []
    for group in groups.values():
        group.sort(key=lambda record: record["seed"])
        first = group[0]
        drawn = first["spec"].split("conv")[0].strip() == first["tail"]
        key = (first["depth"], first["convs"], first["row"])
        joined = drawn and first["width"] == 16 and key in theirs
        lines.append(
            Line(
                **{field: first[field] for field in SHOWN},
                seeds=tuple(r["seed"] for r in group),
                errors_pct=tuple(r["test_error_pct"] for r in group),
                diverged=sum(r["outcome"] == "diverged" for r in group),
                paper_has=joined,
                paper_pct=theirs[key] if joined else None,
            )
        )
    return sorted(lines, key=_order)


def medians(experiment: str) -> dict[tuple[str, int], str]:
    """Our published medians by (row, depth), with n; {} before any run."""
    if not (PUBLISHED / experiment).is_dir():
        return {}
    return {
        (line.row, line.depth): f"{line.median:.2f} (n = {line.n})"
        for line in compare(load_records(experiment))
        if line.paper_has
    }


JOINED = ("data_sha256", "protocol", "depth", "convs", "width", "row", "tail")
SHOWN = ("row", "spec", "tail", "depth", "convs", "width", "data_label")


def paper_errors() -> dict[tuple[int, int, str], float | None]:
    """CIFAR-10 errors of Tables 1 to 3 by depth, convs and row."""
    found: dict[tuple[int, int, str], float | None] = {}
    for table in (1, 2, 3):
        for result in paper.results(table):
            if result.data != "CIFAR-10":
                continue
            for row in paper.SEARCHED.get(result.row, [result.row]):
                key = (result.depth, result.convs, row)
                found[key] = result.error_pct
    return found


def deviations(records: Iterable[Record]) -> list[dict[str, str]]:
    """Every departure from the paper that the records name, once."""
    found = {
        tuple(one.values()): one
        for record in records
        for one in record["deviations"]
    }
    return list(found.values())


def _order(line: Line) -> tuple[Any, ...]:
    """By network, then as the paper lists its rows, then by tail."""
    known = ROW_ORDER
    place = known.index(line.row) if line.row in known else len(known)
    return line.depth, line.convs, line.width, place, line.tail


def _rows(table: int) -> list[str]:
    """List a table's rows, its searched row written out."""
    return [
        row
        for result in paper.results(table)
        for row in paper.SEARCHED.get(result.row, [result.row])
    ]


# Table 2 first: its first row is Table 1's too.
ROW_ORDER = list(
    dict.fromkeys([*_rows(2), "no-relu-after-addition", *_rows(1)])
)
