"""`preact ablate`: every run of an experiment file that has no record yet."""

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from preact.cli.progress import Progress
from preact.data import load
from preact.experiment import (
    Busy,
    Cell,
    Experiment,
    cells,
    cost,
    execute,
    find_device,
    read_experiment,
)


def add_command(commands: Any) -> None:
    """Describe `preact ablate`."""
    parser = commands.add_parser(
        "ablate",
        help="run what an experiment file asks for and is not recorded",
        description="Show the runs of an experiment file and what they will "
        "cost here, then run those without a record. Stop it at any time; "
        "the same command goes on. Several at once share the work.",
    )
    parser.add_argument("file", type=Path, help="experiments/<name>.toml")
    add_places(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="show plan and cost only"
    )
    parser.set_defaults(run=_ablate)


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where things are and where it runs."""
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("data"),
        help="where CIFAR or ImageNet lies (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs"),
        help="records and checkpoints (default: %(default)s)",
    )
    parser.add_argument(
        "--device", default=find_device(), help="default: %(default)s"
    )


def _ablate(options: argparse.Namespace) -> int:
    """Show the plan, then run it."""
    experiment = read_experiment(options.file)
    data = load(experiment.data, options.folder)
    plan = list(cells(experiment, data))
    missing = [c for c in plan if not (options.out / c.path).exists()]
    console = Console(highlight=False)
    show_plan(console, experiment, plan, missing, options.device)
    if options.dry_run:
        return 0
    ended: Counter[str] = Counter()
    for cell in plan:
        name = str(cell.path.with_suffix(""))
        try:
            with Progress(console, cell.run, name) as progress:
                record, new = execute(
                    cell,
                    options.out,
                    device=options.device,
                    report=progress,
                    deviations=experiment.deviations,
                )
        except Busy:
            ended["trained by another process"] += 1
            continue
        ended[record["outcome"] if new else "recorded before"] += 1
        if new:
            console.print(summary(name, record), soft_wrap=True)
    console.print(", ".join(f"{n} {what}" for what, n in ended.items()))
    return 0


def show_plan(
    console: Console,
    experiment: Experiment,
    plan: list[Cell],
    missing: list[Cell],
    device: str,
) -> None:
    """Print what will run and how long it will take on this machine."""
    table = Table(title=f"{experiment.name}: {experiment.title}")
    for column in ("network", "rows", "runs", "recorded", "s a run", "min"):
        table.add_column(
            column, justify="left" if column[0] in "n" else "right"
        )
    total = 0.0
    for network, group in groups(plan).items():
        left = [cell for cell in group if cell in missing]
        each = cost(group[0].run, device) if left else 0.0
        total += each * len(left)
        table.add_row(
            network,
            str(len({cell.path.parent for cell in group})),
            str(len(group)),
            str(len(group) - len(left)),
            f"{each:.1f}" if left else "",
            f"{each * len(left) / 60:.1f}",
        )
    console.print(table)
    console.print(
        f"{len(missing)} runs to go, about {total / 60:.0f} min on this "
        "device, by the time of a few steps",
        soft_wrap=True,
    )
    for one in experiment.deviations:
        console.print(
            f"deviation: {one.from_} -> {one.to} ({one.why})", soft_wrap=True
        )


def groups(plan: list[Cell]) -> dict[str, list[Cell]]:
    """Cells by network."""
    found: dict[str, list[Cell]] = {}
    for cell in plan:
        found.setdefault(cell.path.parts[2], []).append(cell)
    return found


def summary(name: str, record: dict[str, Any]) -> str:
    """Say how a run ended."""
    return (
        f"{name}: {record['outcome']} after {record['iterations']} "
        f"iterations, test error {record['test_error_pct']:.2f} % on "
        f"{record['data_label']}, {record['wall_s']:.0f} s"
    )
