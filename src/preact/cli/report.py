"""`preact report`: what was measured, beside what the paper says."""

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from preact.figures import measured, tables
from preact.records.compare import (
    PUBLISHED,
    compare,
    deviations,
    load_records,
)
from preact.strings import LANGUAGES, Strings


def add_command(commands: Any) -> None:
    """Describe `preact report`."""
    parser = commands.add_parser(
        "report",
        help="print our errors beside the paper's",
        description="Print the recorded errors of an experiment, all seeds "
        "of a row in one line (median, mean and deviation, number of runs), "
        "beside the paper's.",
    )
    parser.add_argument(
        "experiment", nargs="?", help="for example digits_table_2"
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=PUBLISHED,
        help="folder of records (default: those of the package)",
    )
    parser.add_argument("--language", default="en", choices=LANGUAGES)
    parser.add_argument(
        "--markdown", action="store_true", help="as a README has it"
    )
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    """Print one experiment, or say which there are."""
    if options.experiment is None:
        for name, n in experiments(options.results).items():
            print(f"{name}: {n} records")
        return 0
    records = load_records(options.experiment, options.results)
    table = measured(compare(records), Strings(options.language))
    if options.markdown:
        print(table.markdown(), end="")
        return 0
    console = Console(highlight=False)
    console.print(as_rich(table))
    for one in deviations(records):
        console.print(
            f"deviation: {one['from']} -> {one['to']} ({one['why']})",
            soft_wrap=True,
        )
    dirty = sum(record["git"]["dirty"] for record in records)
    if dirty:
        console.print(f"{dirty} of {len(records)} runs had changed code")
    return 0


def as_rich(table: tables.Table) -> Table:
    """A table for the terminal."""
    shown = Table(title=table.caption)
    for name in table.head:
        shown.add_column(name)
    for line in table.body:
        shown.add_row(*line)
    return shown


def experiments(folder: Path) -> dict[str, int]:
    """Experiments with records below a folder, and how many."""
    names = sorted(p.name for p in folder.iterdir() if p.is_dir())
    counts = {
        name: len(list((folder / name).rglob("seed-*.json"))) for name in names
    }
    return {name: n for name, n in counts.items() if n}
