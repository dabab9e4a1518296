"""`preact report`: what was measured, beside what the paper says."""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from preact.cli import counted
from preact.figures import errors_table, tables
from preact.plan.data_sets import WIDTHS
from preact.records import Record
from preact.records.compare import (
    Line,
    Pair,
    compared,
    load_runs,
    odd_warmup,
    subtracted,
)
from preact.records.files import PUBLISHED
from preact.records.record import setting
from preact.strings import Strings
from preact.typed import has_changed, shortened

if TYPE_CHECKING:
    from preact.experiment import Experiment

MOST = 3  # folders of runs that are named
LONGEST = 24  # of a word that is not broken
FOLDERS = (Path("runs"), PUBLISHED)
"""Where records are looked for, in this order."""


class Remark(NamedTuple):
    """A line below a table; a deviation names the recipe's field it is of."""

    kind: Literal["", "note", "deviation"]
    text: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.kind else self.text


def run(options: argparse.Namespace) -> int:
    """Print one experiment, or say which there are.

    Refuse a comparison without an experiment, or with a row it has not.
    """
    if options.experiment is None:
        if options.against:
            raise ValueError("--against needs the name of an experiment")
        counts = {n: c for n, (_, c) in known(options.results).items()}
        told = [
            f"{name}: {counted(n, 'record')}" for name, n in counts.items()
        ]
        print(json.dumps(counts) if options.json else "\n".join(told))
        return 0
    name, folder = find_records(options.experiment, options.results)
    asked = None if options.json else asked_for(options.experiment)
    runs = load_runs(name, folder)
    pairs = ordered([record for _, record in runs], asked)
    if options.against:
        pairs = subtracted(pairs, options.against)
    lines = [line for line, _ in pairs]
    if options.json:
        print(json.dumps([as_json(*pair) for pair in pairs]))
        return 0
    words = Strings(options.language)
    table = errors_table(lines, words)
    if options.markdown:
        print(table.markdown())
        for remark in remarks(runs, asked):
            print(f"- {tables.as_text(remark)}")
        return 0
    console = Console(highlight=False, markup=False)
    console.print(table.caption)
    parts: dict[tuple[str, ...], list[Line]] = {}
    for line in lines:
        data = tables.data_name(line.data_label, words).strip()
        key = network_of(line), data, str(line.convs)
        parts.setdefault(key, []).append(line)
    several = len({data for _, data, _ in parts}) > 1
    for (network, data, _), part in parts.items():
        title = f"{network}, {data}" if several else network
        printed = errors_table(part, words)
        console.print(as_rich(printed, title, console.width))
    for remark in remarks(runs, asked):
        console.print(remark, soft_wrap=True)
    return 0


def remarks(
    runs: list[tuple[Path, Record]], asked: "Experiment | None"
) -> Iterator[str]:
    """Say what a reader of the table must know, and of which runs it is."""
    told: dict[Remark, list[Path]] = {}
    for path, record in runs:
        for remark in _remarks(record):
            told.setdefault(remark, []).append(path)
    every = [path for path, _ in runs]
    recipes = [record.config["recipe"] for _, record in runs]
    for remark in sorted(told, key=lambda one: one.kind != ""):
        which = of_which(told[remark], every)
        # of a recipe, early records do not list their deviations
        values = {str(recipe.get(remark.field)) for recipe in recipes}
        if remark.field and len(values) == 1:
            which = ""
        yield f"{remark}{which}"
    yield from changed_units(runs, asked)
    if missing := missing_runs(len(runs), asked):
        yield missing


def _remarks(record: Record) -> Iterator[Remark]:
    """What must be known of one run."""
    recipe = record.config["recipe"]
    yield Remark("", f"{recipe['iterations']} steps of {recipe['batch']}")
    if odd := odd_warmup(recipe):
        yield Remark("note", odd)
    if record.git.dirty:
        yield Remark("note", "code that was changed since its commit")
    for one in record.deviations:
        text = f"{one.from_} -> {one.to} ({one.why})"
        of = (n for n, value in recipe.items() if one.to == setting(n, value))
        yield Remark("deviation", text, next(of, ""))


def missing_runs(there: int, asked: "Experiment | None") -> str:
    """Say how many runs of an experiment are recorded, if not all are."""
    if not asked:
        return ""
    from preact.experiment.matrix import count_runs  # loads torch

    wanted = count_runs(asked)
    return f"{there} of {wanted} runs are recorded" * (there < wanted)


def changed_units(
    runs: list[tuple[Path, Record]], asked: "Experiment | None"
) -> Iterator[str]:
    """Name rows whose records are of other code than their file has now."""
    for name, unit in (asked.rows if asked else {}).items():
        if make := getattr(unit, "make", ""):
            code = unit.find()  # type: ignore[union-attr]
            configs = [record.config for _, record in runs]
            if old := sum(
                has_changed(code, config)
                for config in configs
                if config["row"] == name
            ):
                yield (
                    f"note: of {name}, {counted(old, 'record')} with other "
                    f"code than the file of {make} has now"
                )


def of_which(paths: Sequence[Path], every: Sequence[Path]) -> str:
    """Name runs by their folders and seeds; "" is all there are."""
    if len(paths) == len(every):
        return ""
    root = os.path.commonpath([path.parent for path in every])
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder = path.parent.relative_to(root).as_posix().strip(".")
        folders.setdefault(folder, []).append(path.stem.partition("-")[2])
    named = [
        f"{folder} seed{'s' * (len(seeds) > 1)} {', '.join(seeds)}".strip()
        for folder, seeds in folders.items()
    ]
    more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
    few = "; ".join(named[:MOST])
    return f": {len(paths)} of {len(every)} runs, {few}{more}"


def network_of(line: Line) -> str:
    """Name a network, and its width where that is not the paper's."""
    wide = "" if line.width in WIDTHS else f" of width {line.width}"
    return f"ResNet-{line.depth}{wide}"


def find_records(asked: str, results: Path | None) -> tuple[str, Path]:
    """Return an experiment's name, and where its records lie.

    FileNotFoundError if it has not been run, or is not known.
    """
    name, there = Path(asked).name.removesuffix(".toml"), known(results)
    if name in there:
        return name, there[name][0]
    if not results and asked_for(asked):
        raise FileNotFoundError(
            f"{name} has not been run; `preact ablate {asked}` makes its runs"
        )
    if results:
        return name, results
    if asked.endswith(".toml"):
        from preact.experiment import read_experiment  # loads torch

        read_experiment(asked)  # says what is wrong with the file
    near = get_close_matches(name[:60], there, cutoff=0.5)
    raise FileNotFoundError(
        f"no records of an experiment {shortened(name)}"
        + (f"; near it: {', '.join(near)}" if near else "")
        + "; choose one that `preact report` lists"
    )


def known(results: Path | None) -> dict[str, tuple[Path, int]]:
    """Experiments: where their records lie, and how many.

    FileNotFoundError if the folder that was given does not exist.
    """
    found: dict[str, tuple[Path, int]] = {}
    for folder in [results] if results else filter(Path.is_dir, FOLDERS):
        if not folder.is_dir():
            raise FileNotFoundError(
                f"{folder} must be a folder of records; there is none"
            )
        for path in sorted(folder.iterdir()):
            if n := len(list(path.rglob("seed-*.json"))):
                found.setdefault(path.name, (folder, n))
    if results and not found:
        raise ValueError(f"no records below {results}: it must hold some")
    return found


def asked_for(experiment: str) -> "Experiment | None":
    """Read the file of an experiment, if there is one. Refuse a wrong one."""
    from preact.experiment import read_experiment  # loads torch

    if Path(experiment).is_dir():  # one that happens to have its name
        experiment = f"{Path(experiment)}.toml"
    try:
        return read_experiment(experiment)
    except FileNotFoundError:
        return None


def ordered(
    records: Sequence[Record], asked: "Experiment | None"
) -> list[Pair]:
    """Gather seeds, rows and rates in the order of an experiment's file."""
    rows = list(asked.rows) if asked else []
    return compared(records, rows, rates_of(asked))


def rates_of(asked: "Experiment | None") -> list[float]:
    """Learning rates in the order of an experiment's file."""
    return [recipe.lr for recipe in asked.recipes] if asked else []


def as_json(line: Line, group: Sequence[Record]) -> dict[str, Any]:
    """One line for programs: errors in percent, and the seeds they are of.

    Differences are called so.
    """
    told = asdict(line)
    if line.against:
        told["differences_pct"] = told.pop("errors_pct")
    return told | {
        "seeds": [record.seed for record in group],
        "median": line.median,
        "mean": line.mean,
        "std": line.std,
        "half_interval": line.half_interval,
        "fails": line.fails,
    }


def as_rich(table: tables.Table, title: str, width: int) -> Table:
    """A table for a terminal; what is narrowed breaks no usual word."""
    shown = Table(
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    columns = [*zip(table.head, *table.body, strict=True)]
    widths = [max(map(cell_len, column)) for column in columns]
    inside = [max(map(cell_len, column[1:]), default=0) for column in columns]
    slack = [
        have - min(have, LONGEST, max(map(cell_len, " ".join(words).split())))
        for have, words in zip(widths, columns, strict=True)
    ]
    while sum(widths) + 2 * len(widths) - 2 > width and any(slack):
        _, _, i = max(
            (wide > inside[i], wide, -i)  # heads first
            for i, wide in enumerate(widths)
            if slack[i]
        )
        widths[-i], slack[-i] = widths[-i] - 1, slack[-i] - 1
    for (head, *body), wide in zip(columns, widths, strict=True):
        side = tables.of_numbers(body)
        shown.add_column(
            Text(head), width=wide, justify="right" if side else "left"
        )
    for line in table.body:
        shown.add_row(*map(Text, line))
    return shown
