"""Records of many seeds as one line each, beside the paper's numbers."""

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from preact import paper
from preact.paper import FAIL_ERROR_PCT
from preact.plan.data_sets import DATA_SETS
from preact.records.files import PUBLISHED, read_record
from preact.records.record import Deviation, Record, sha256_of
from preact.spec import find_row
from preact.typed import shortened

__all__ = ["compare", "load_records"]

T = TypeVar("T")
# Quantiles of Student's t, 97.5 %, by degrees of freedom from 2.
QUANTILES = (4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
PROTOCOL = paper.read("protocols")["cifar"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of a table: all seeds of one network, and the paper's error.

    Parameters
    ----------
    row, spec, tail, depth, convs, width, data_label, parameters : str, int
        As of `preact.records.Record`.
    errors_pct : tuple of float
        Test errors of the last iteration, by seed.
    against : str
        Row whose errors with the same seeds are subtracted from them; "" is
        none.
    paper_data : str
        The paper's data set that ours stands beside; "" is none.
    paper_has, paper_pct : bool and float or None
        Whether the paper has an error of this row and network, with this
        tail and learning rate; that error, None where it prints "fail".
    settings : tuple of str
        What tells it from other lines of the same row and network, for
        example "execution.precision bf16".
    cut_short : bool
        Whether it ended before the paper's last iteration, on CIFAR, or was
        asked for fewer iterations than its recipe has.
    diverged : int
        How many runs ended early, since their loss was not finite.
    lr : float or None
        The recipe's learning rate, where one is known.

    Examples
    --------
    >>> from preact.records.compare import compare, load_records
    >>> lines = compare(load_records("digits_table_2"))
    >>> line = lines[0]
    >>> line.row, line.n, round(line.median, 2), round(line.std, 2)
    ('original', 5, 69.72, 5.82)
    >>> line.fails, line.paper_data, line.paper_pct
    (True, 'CIFAR-10', 6.61)
    """

    row: str
    spec: str
    tail: str
    depth: int
    convs: int
    width: int
    data_label: str
    parameters: int
    errors_pct: tuple[float, ...]
    paper_data: str
    paper_has: bool
    paper_pct: float | None
    settings: tuple[str, ...] = ()
    cut_short: bool = False
    diverged: int = 0
    lr: float | None = None
    against: str = ""

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
    def half_interval(self) -> float | None:
        """Half of the 95 % interval of the mean; None of one or two runs."""
        return half_interval(self.errors_pct)

    @property
    def fails(self) -> bool:
        """Whether the paper would have printed "fail".

        It says so of whole runs; one of a few epochs has no time to succeed.
        """
        whole = not (self.cut_short or self.against)
        return whole and self.median > FAIL_ERROR_PCT


Pair = tuple[Line, list[Record]]


def half_interval(values: Sequence[float]) -> float | None:
    """Half of the 95 % interval of a mean, by Student's t.

    None for one or two values, of which it is wider than anything that is
    compared; beyond eleven by the normal quantile and two corrections.
    """
    freedom = len(values) - 1
    if freedom < 2:
        return None
    t = (
        QUANTILES[freedom - 2]
        if freedom < len(QUANTILES) + 2
        else 1.96 + 2.37 / freedom + 2.82 / freedom**2
    )
    return t * statistics.stdev(values) / math.sqrt(len(values))


def load_records(
    experiment: str | None = None, folder: Path | str = PUBLISHED
) -> list[Record]:
    """Read the records at any depth below a folder.

    Of one experiment, by its name, or of all; the default folder is the
    package's own: what we have published.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are none; if a file is damaged, two are of one run, or
        `experiment` is no name.

    Examples
    --------
    >>> from preact.records.compare import load_records
    >>> records = load_records("digits_table_2")
    >>> len(records), len({record.row for record in records})
    (60, 6)
    """
    return [record for _, record in load_runs(experiment, folder)]


def load_runs(
    experiment: str | None = None, folder: Path | str = PUBLISHED
) -> list[tuple[Path, Record]]:
    """Read records with their paths. Raises what `load_records` does."""
    if experiment and not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", experiment):
        raise ValueError(
            "experiment must be the name of a folder of records; "
            f"got {shortened(experiment)}"
        )
    root, published = Path(folder, experiment or ""), folder == PUBLISHED
    runs: dict[tuple[str, str], Path] = {}
    records: list[tuple[Path, Record]] = []
    for path in sorted(root.rglob("seed-*.json")):
        record = (_read_once if published else read_record)(path)
        other = runs.setdefault(
            (record.experiment, record.config_sha256), path
        )
        if other != path:
            raise ValueError(
                f"{path} must be of another run than {other}; both have "
                f"seed {record.seed} of one configuration"
            )
        records.append((path, record))
    if not records:
        raise FileNotFoundError(
            f"no records below {root}: it must hold seed-<k>.json; "
            "`preact report` lists what there is"
        )
    return records


_read_once = cache(read_record)  # what ships with the package stays as it is


def compare(records: Iterable[Record]) -> list[Line]:
    """Gather seeds, in the order of the paper's tables, then of our own.

    The records of one line have one configuration but for the seed. The
    paper's error is joined on (table, data, depth, convs, row), to rows with
    the width and the tail that the paper draws.

    Examples
    --------
    >>> from preact.records.compare import compare, load_records
    >>> original = compare(load_records("digits_table_2"))[0]
    >>> original.row, original.n, original.paper_pct
    ('original', 5, 6.61)
    """
    return [line for line, _ in compared(records)]


def compared(
    records: Iterable[Record],
    rows: Sequence[str] = (),
    rates: Sequence[float] = (),
) -> list[Pair]:
    """Gather as `compare`, each line with its records.

    Parameters
    ----------
    rows, rates : sequence of str and of float
        Their order, if it is not that of the paper's tables, and of numbers.
    """
    alike: dict[tuple[Any, ...], list[list[Record]]] = {}
    for group in grouped(records):
        shown = tuple(getattr(group[0], name) for name in SHOWN)
        alike.setdefault(shown, []).append(group)
    # Table 2 first: its first row is Table 1's too.
    ours = [*printed_rows(2), "no-relu-after-addition", *printed_rows(1)]
    order = [*dict.fromkeys([*rows, *ours])]
    return sorted(
        (
            pair
            for same in alike.values()
            for pair in zip(_distinguish(same), same, strict=True)
        ),
        key=lambda pair: _order(pair[0], order, rates),
    )


def subtracted(pairs: Sequence[Pair], row: str) -> list[Pair]:
    """Subtract a row's errors from those of all others, seed by seed.

    Of runs that differ in nothing else than their units and what these ask
    for before the classifier, whose BN decides where the row has several;
    a line without a seed in common is left out.

    Raises
    ------
    ValueError
        If there are no records of the row, or none of its seeds in common.
    """
    rows = list(dict.fromkeys(line.row for line, _ in pairs))
    if row not in rows:
        raise ValueError(
            f"--against must be a row that has records: {', '.join(rows)}; "
            f"got {shortened(row)}"
        )
    found = []
    for line, group in pairs:
        if line.row == row:
            continue
        alike = [
            (other.tail, records)
            for other, records in pairs
            if other.row == row and _around(records) == _around(group)
        ]
        alike.sort(key=lambda one: ("BN" in one[0]) != ("BN" in line.tail))
        theirs = {
            record.seed: record.test_error_pct
            for _, records in alike[:1]
            for record in records
        }
        if both := [record for record in group if record.seed in theirs]:
            differences = tuple(
                record.test_error_pct - theirs[record.seed] for record in both
            )
            less = replace(
                line,
                errors_pct=differences,
                against=row,
                paper_has=False,
                paper_pct=None,
            )
            found.append((less, both))
    if not found:
        raise ValueError(
            f"--against {row}: no other run has network, learning rate and "
            "seed of one of it"
        )
    return found


def _around(group: Sequence[Record]) -> dict[str, Any]:
    """What runs with another unit share: experiment, network and recipe."""
    config = group[0].settings | {"experiment": group[0].experiment}
    return {k: v for k, v in config.items() if k not in OF_A_UNIT}


def grouped(records: Iterable[Record]) -> list[list[Record]]:
    """Gather runs that differ in nothing but their seed, by seed."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        key = (record.experiment, sha256_of(record.settings))
        groups.setdefault(key, []).append(record)
    return [
        sorted(group, key=lambda record: record.seed)
        for group in groups.values()
    ]


def _line(group: Sequence[Record]) -> Line:
    """One line of runs that differ in their seed alone."""
    first = group[0]
    known = DATA_SETS.get(first.data)
    data = known.paper if known else ""
    key = (data, first.depth, first.convs, first.row)
    theirs = paper_errors()
    joined = (
        known is not None
        and key in theirs
        and first.width == known.width
        and first.tail == " ".join(find_row(first.row).pre)
        and first.config["recipe"]["lr"] == PROTOCOL["learning_rate"]
    )
    return Line(
        **{name: getattr(first, name) for name in SHOWN},
        spec=first.spec,
        width=first.width,
        parameters=first.parameters,
        errors_pct=tuple(record.test_error_pct for record in group),
        paper_data=data,
        paper_has=joined,
        paper_pct=theirs[key] if joined else None,
        cut_short=any(map(_cuts, first.deviations))
        or (
            known is not None
            and known.is_cifar
            and first.config["recipe"]["iterations"] < PROTOCOL["iterations"]
        ),
        diverged=sum(record.outcome == "diverged" for record in group),
        lr=first.config["recipe"]["lr"],
    )


def _cuts(one: Deviation) -> bool:
    """Whether a departure, as `setting` writes it, is fewer iterations."""
    counts = [
        re.fullmatch(r"iterations (\d{1,10})", said)
        for said in (one.from_, one.to)
    ]
    asked, taken = (int(found[1]) if found else 0 for found in counts)
    return 0 < taken < asked


def odd_warmup(recipe: Mapping[str, Any]) -> str:
    """Say that a warm-up outlasts its run or starts too high, else ""."""
    warm_up, iterations = recipe["warmup_iterations"], recipe["iterations"]
    start, rate = recipe["warmup_lr"], recipe["lr"]
    if not warm_up or start == rate:
        return ""
    if warm_up >= iterations:
        return (
            f"the warm-up of {warm_up} iterations is longer than the run of "
            f"{iterations}: the learning rate {rate:g} is never used"
        )
    if start > rate:
        return (
            f"the warm-up begins at {start:g}, above the learning rate "
            f"{rate:g}: set warmup_lr"
        )
    return ""


def _distinguish(same: list[list[Record]]) -> list[Line]:
    """Lines that would look alike, each with the settings that differ."""
    every = [
        flat(group[0].settings) | {"experiment": group[0].experiment}
        for group in same
    ]
    names = dict.fromkeys(name for settings in every for name in settings)
    differ = [
        name
        for name in names
        if len({str(settings.get(name)) for settings in every}) > 1
    ]
    return [
        replace(
            _line(group),
            settings=tuple(
                f"{name} {_brief(name, settings[name])}"
                for name in differ
                if name in settings
            ),
        )
        for group, settings in zip(same, every, strict=True)
    ]


def _brief(name: str, value: object) -> str:
    """Write a value; of a checksum what tells it from others."""
    text = str(value)[: 8 if name.endswith("sha256") else None]
    return shortened(text).strip(QUOTES)


def flat(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Settings, or a configuration, by dotted names."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found


SHOWN = ("row", "tail", "depth", "convs", "data_label")
OF_A_UNIT = ("row", "spec", "unit", "tail")
QUOTES = "'\""


def paper_errors() -> dict[tuple[str, int, int, str], float | None]:
    """The paper's errors in percent by data, depth, convs and row.

    None is "fail". CIFAR's are of Tables 1 to 3, ImageNet's of Table 5
    (top-1, trained with scale augmentation, tested at 320x320: the setting in
    which it gives all its networks).
    """
    errors: dict[tuple[str, int, int, str], float | None] = {}
    for table in (1, 2, 3):
        for result in paper.results(table):
            for row in result.rows:
                key = (result.data, result.depth, result.convs, row)
                errors[key] = result.error_pct
    units = {"original": "original", "pre-activation": "full-preactivation"}
    for line in paper.read("table_5")["row"]:
        network, _, unit = line["method"].partition(", ")
        if (line["augmentation"], line["test_crop"]) != ("scale", 320):
            continue
        depth = int(network.removeprefix("ResNet-"))
        errors["ImageNet", depth, 3, units[unit]] = line["top1_pct"]
    return errors


def deviations(records: Iterable[Record]) -> list[Deviation]:
    """Every departure from the paper that the records name, once."""
    return list(
        dict.fromkeys(one for record in records for one in record.deviations)
    )


def _order(
    line: Line, rows: Sequence[str], rates: Sequence[float]
) -> tuple[Any, ...]:
    """By network, then as rows are listed, those with a final BN last."""
    network = (line.depth, line.convs, line.width)
    tail = "BN" in line.tail, line.tail
    rate = place(line.lr or 0.0, rates)
    return *network, *place(line.row, rows), *tail, *rate, line.settings


def place(one: T, listed: Sequence[T]) -> tuple[int, T]:
    """Sort what is listed as it is, what is not behind it."""
    return listed.index(one) if one in listed else len(listed), one


def printed_rows(table: int) -> list[str]:
    """List a table's rows, each once, its searched row written out."""
    rows = (row for result in paper.results(table) for row in result.rows)
    return [*dict.fromkeys(rows)]
