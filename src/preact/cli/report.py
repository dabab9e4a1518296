"""`preact report`: what was measured, beside what the paper says."""

import argparse
import json
from dataclasses import asdict
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from preact.cli import counted
from preact.figures import errors_table, tables
from preact.records import Record
from preact.records.compare import (
    PUBLISHED,
    Line,
    compared,
    deviations,
    load_records,
    odd_warmup,
)
from preact.spec import ROWS
from preact.strings import Strings
from preact.typed import shortened

if TYPE_CHECKING:
    from preact.experiment import Experiment

LONGEST = 24  # of a word that is not broken
FOLDERS = (Path("runs"), PUBLISHED)
"""Where records are looked for, in this order."""


def run(options: argparse.Namespace) -> int:
    """Print one experiment, or say which there are."""
    if options.experiment is None:
        counts = {n: c for n, (_, c) in known(options.results).items()}
        told = [
            f"{name}: {counted(n, 'record')}" for name, n in counts.items()
        ]
        print(json.dumps(counts) if options.json else "\n".join(told))
        return 0
    name, folder = find_records(options.experiment, options.results)
    asked = None if options.json else asked_for(options.experiment)
    records = load_records(name, folder)
    lines = [line for line, _ in compared(records, rows_of(asked))]
    if options.json:
        print(json.dumps([as_json(line) for line in lines]))
        return 0
    words = Strings(options.language)
    table = errors_table(lines, words)
    if options.markdown:
        print(table.markdown(), end="")
        return 0
    console = Console(highlight=False, markup=False)
    console.print(table.caption)
    networks = groupby(lines, lambda line: (line.depth, line.convs))
    parts = [(key, [*group]) for key, group in networks]
    for (depth, _), part in parts:
        title = f"ResNet-{depth}" if len(parts) > 1 else ""
        printed = errors_table(part, words)
        console.print(as_rich(printed, title, console.width))
    _show_remarks(console, records, asked)
    return 0


def _show_remarks(
    console: Console, records: list[Record], asked: "Experiment | None"
) -> None:
    """Print what a reader of the table must know."""
    recipes = [record.config["recipe"] for record in records]
    steps = [f"{r['iterations']} steps of {r['batch']}" for r in recipes]
    console.print(", ".join(dict.fromkeys(steps)), soft_wrap=True)
    for said in dict.fromkeys(map(size_of, records)):
        if said:
            console.print(said, soft_wrap=True)
    for said in filter(None, dict.fromkeys(map(odd_warmup, recipes))):
        console.print(f"note: {said}")
    for one in deviations(records):
        console.print(
            f"deviation: {one.from_} -> {one.to} ({one.why})", soft_wrap=True
        )
    if asked:
        from preact.experiment.matrix import count_runs  # loads torch

        if len(records) < (runs := count_runs(asked)):
            console.print(f"{len(records)} of {runs} runs are recorded")
    changed = sum(record.git.dirty is True for record in records)
    if changed:
        console.print(f"{changed} of {len(records)} runs had changed code")


def size_of(record: Record) -> str:
    """Say how large a network with a unit of one's own is."""
    if record.row in ROWS:
        return ""
    network = f"{record.row}, ResNet-{record.depth}"
    return f"{network}: {record.parameters:,} parameters"


def find_records(asked: str, results: Path | None) -> tuple[str, Path]:
    """Return an experiment's name, and where its records lie.

    Refuse one that has not been run, or whose name is nearly another's.
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
    """Experiments: where their records lie, and how many. Refuse no folder."""
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
    """Read the file of an experiment, if there is one."""
    from preact.experiment import read_experiment  # loads torch

    try:
        return read_experiment(experiment)
    except (FileNotFoundError, ValueError):
        return None


def rows_of(asked: "Experiment | None") -> list[str]:
    """Rows in the order of an experiment's file."""
    return list(asked.rows) if asked else []


def as_json(line: Line) -> dict[str, Any]:
    """One line for programs: errors in percent."""
    return asdict(line) | {
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
    for head, wide in zip(table.head, widths, strict=True):
        shown.add_column(Text(head), width=wide)
    for line in table.body:
        shown.add_row(*map(Text, line))
    return shown
