"""`preact report`: what was measured, beside what the paper says."""

import argparse
import json
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from preact.figures import errors_table, tables
from preact.records.compare import (
    PUBLISHED,
    Line,
    compare,
    deviations,
    load_records,
)
from preact.strings import Strings
from preact.typed import shortened

FOLDERS = (Path("runs"), PUBLISHED)
"""Where records are looked for, in this order."""


def run(options: argparse.Namespace) -> int:
    """Print one experiment, or say which there are.

    Raises
    ------
    ValueError
        If there are no records.
    """
    if options.experiment is None:
        counts: dict[str, int] = {}
        for folder in [options.results] if options.results else FOLDERS:
            if options.results or folder.is_dir():
                counts = experiments(folder) | counts
        if not counts:
            raise ValueError(f"{options.results} must hold records; got none")
        if options.json:
            print(json.dumps(counts))
        else:
            for name, n in counts.items():
                print(f"{name}: {n} record{'s' * (n != 1)}")
        return 0
    folder = find_folder(options.experiment, options.results)
    records = load_records(options.experiment, folder)
    lines = compare(records)
    if options.json:
        print(json.dumps([as_json(line) for line in lines]))
        return 0
    table = errors_table(lines, Strings(options.language))
    if options.markdown:
        print(table.markdown(), end="")
        return 0
    console = Console(highlight=False, markup=False)
    console.print(as_rich(table))
    for one in deviations(records):
        console.print(
            f"deviation: {one.from_} -> {one.to} ({one.why})", soft_wrap=True
        )
    asked = runs_asked_for(options.experiment)
    if len(records) < asked:
        console.print(f"{len(records)} of {asked} runs are recorded")
    changed = sum(record.git.dirty is True for record in records)
    if changed:
        console.print(f"{changed} of {len(records)} runs had changed code")
    return 0


def find_folder(experiment: str, asked: Path | None) -> Path:
    """Return where an experiment's records lie: in `runs`, or ours.

    Raises
    ------
    FileNotFoundError
        If there are none, but of others of nearly that name.
    """
    folders = [asked] if asked else [f for f in FOLDERS if f.is_dir()]
    for folder in folders:
        if (folder / experiment).is_dir():
            return folder
    known = {n for f in folders if f.is_dir() for n in experiments(f)}
    if near := get_close_matches(experiment[:60], sorted(known), cutoff=0.5):
        raise FileNotFoundError(
            f"no records of {shortened(experiment)}; near it: "
            f"{', '.join(near)}; `preact report` lists what there is"
        )
    return folders[-1]


def runs_asked_for(experiment: str) -> int:
    """How many runs the file of this name asks for; 0 if there is none."""
    from preact.experiment import count_runs, read_experiment  # loads torch

    try:
        return count_runs(read_experiment(f"{experiment}.toml"))
    except (FileNotFoundError, ValueError):
        return 0


def as_json(line: Line) -> dict[str, Any]:
    """One line for programs: errors in percent."""
    return asdict(line) | {
        "median": line.median,
        "mean": line.mean,
        "std": line.std,
        "half_interval": line.half_interval,
        "fails": line.fails,
    }


def as_rich(table: tables.Table) -> Table:
    """A table for the terminal: its words are wrapped, and never markup."""
    shown = Table(title=Text(table.caption))
    for name in table.head:
        shown.add_column(Text(name), overflow="fold")
    for line in table.body:
        shown.add_row(*map(Text, line))
    return shown


def experiments(folder: Path) -> dict[str, int]:
    """Experiments with records below a folder, and how many.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    """
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder} must be a folder of records; there is none"
        )
    names = sorted(p.name for p in folder.iterdir() if p.is_dir())
    counts = {
        name: len(list((folder / name).rglob("seed-*.json"))) for name in names
    }
    return {name: n for name, n in counts.items() if n}
