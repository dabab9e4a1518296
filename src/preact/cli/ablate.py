"""`preact ablate`: every run of an experiment file that has no record yet."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from preact.cli import one_line, reason
from preact.cli.progress import Progress, open_console
from preact.data import stand_in
from preact.experiment import (
    Experiment,
    PlannedRun,
    execute,
    find_device,
    load_data,
    planned_runs,
    read_experiment,
    shipped,
)
from preact.experiment.schedule import (
    FAILED,
    Job,
    by_network,
    costs,
    is_recorded,
    network_name,
    time_limit,
    work_through,
)
from preact.records import Record
from preact.train.device import check_device
from preact.train.stop import Stopped, stopping_at_once


def add_command(commands: Any) -> None:
    """Describe `preact ablate`."""
    parser = commands.add_parser(
        "ablate",
        help="run what an experiment file asks for and is not recorded",
        description="Show the runs of an experiment file and what they will "
        "cost here, then run those without a record. Stop it at any time; "
        "the same command goes on. Several at once share the work.",
    )
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="experiment",
        help="a file, or the name of one of the package's: "
        + ", ".join(shipped()),
    )
    add_places(parser)
    parser.add_argument(
        "--minutes",
        type=float,
        help="first what fits into this time, then begin what does not; stop "
        "when it is over, and resume next time",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show plan and cost only"
    )
    parser.add_argument(
        "--save",
        action="store_true",
        help="keep the weights of each run beside its record (default: none)",
    )
    parser.set_defaults(run=_ablate)


def add_places(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where things are and where it runs."""
    add_folder(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs"),
        help="records and checkpoints (default: %(default)s)",
    )
    add_device(parser)
    parser.add_argument(
        "--tensorboard",
        type=Path,
        metavar="FOLDER",
        help="write the curves for TensorBoard too (extra `tensorboard`)",
    )


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the option that says where images lie."""
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("data"),
        help="where CIFAR or ImageNet lies (default: %(default)s)",
    )


def add_device(parser: argparse.ArgumentParser) -> None:
    """Add the option that says where it runs."""
    parser.add_argument(
        "--device", default=find_device(), help="default: %(default)s"
    )


def complain(sentence: str) -> None:
    """Say on stderr, in one line, what went wrong."""
    print(f"preact: {one_line(sentence)}", file=sys.stderr)


def _ablate(options: argparse.Namespace) -> int:
    """Show the plan, then run it."""
    try:
        with stopping_at_once():
            return _work(options, open_console())
    except Stopped as stopped:
        complain(str(stopped))
        return stopped.exit_code


def _work(options: argparse.Namespace, console: Console) -> int:
    """Show the plan, run it, and say what became of the runs."""
    left_s = time_limit(options.minutes)
    check_device(options.device)
    ended: Counter[str] = Counter()
    jobs = [
        job
        for file in options.files
        for job in _jobs(console, file, options, ended)
    ]
    to_go = [job.cost_s for job in jobs if job.cost_s]
    options.begun = Begun(len(to_go), sum(to_go))
    if not options.dry_run:
        try:
            work_through(
                jobs,
                partial(_make, console, options, left_s),
                left_s=left_s,
                complain=lambda error: complain(reason(error)),
                ended=ended,
            )
        finally:
            console.print(
                ", ".join(f"{n} {what}" for what, n in ended.items())
            )
    return 2 if ended[FAILED] else 0


@dataclass
class Begun:
    """Which of the runs is at work, and how long they take from here on."""

    runs: int
    left_s: float
    number: int = 0

    def __str__(self) -> str:
        return (
            f"run {self.number} of {self.runs}, about {self.left_s / 60:.0f} "
            "min left"
        )


def _jobs(
    console: Console,
    file: Path,
    options: argparse.Namespace,
    ended: Counter[str],
) -> list[Job]:
    """Show the plan of a file; return what can be run, or has been."""
    experiment = read_experiment(file)
    try:
        data, is_here = load_data(experiment, options.folder), True
    except FileNotFoundError as error:
        if not options.dry_run:
            raise
        data, is_here = stand_in(experiment.data), False
        complain(f"{reason(error)}; the cost is that of random images")
    plan = list(planned_runs(experiment, data))
    usable, missing = [], []
    for planned in plan:
        try:
            recorded = is_here and is_recorded(planned, options.out)
        except (ValueError, OSError) as error:
            complain(reason(error))
            ended[FAILED] += 1
            continue
        usable.append(planned)
        if not recorded:
            missing.append(planned)
    each = costs(missing, options.device)
    show_plan(console, experiment, plan, missing, each)
    to_go = set(id(planned) for planned in missing)
    return [
        Job(
            experiment,
            planned,
            each[network_name(planned)] if id(planned) in to_go else 0.0,
        )
        for planned in usable
    ]


def _make(
    console: Console,
    options: argparse.Namespace,
    left_s: Callable[[], float],
    job: Job,
) -> str:
    """Make one run, or not; say in a word what became of it."""
    planned = job.planned
    name = str(planned.path.with_suffix(""))
    board = options.tensorboard and options.tensorboard / name
    begun = options.begun
    if not is_recorded(planned, options.out):
        begun.number += 1
        console.print(f"{name}: {begun}", soft_wrap=True)
        begun.left_s -= job.cost_s
    with Progress(console, planned.run, name, board) as progress:
        record, new = execute(
            planned,
            options.out,
            device=options.device,
            report=progress,
            deviations=job.experiment.deviations,
            left_s=left_s,
            save=options.save,
        )
    if not new:
        return "recorded before"
    console.print(summary(name, record), soft_wrap=True)
    return str(record.outcome)


def show_plan(
    console: Console,
    experiment: Experiment,
    plan: list[PlannedRun],
    missing: list[PlannedRun],
    each: dict[str, float],
) -> None:
    """Print what will run and how long it will take on this machine."""
    table = Table(title=Text(f"{experiment.name}: {experiment.title}"))
    for column in ("network", "rows", "runs", "recorded", "s a run", "min"):
        table.add_column(column, justify="right")
    left = by_network(missing)
    total = 0.0
    for network, group in by_network(plan).items():
        n = len(left.get(network, []))
        cost_s = each.get(network, 0.0)
        total += cost_s * n
        table.add_row(
            network,
            str(len({planned.path.parent for planned in group})),
            str(len(group)),
            str(len(group) - n),
            f"{cost_s:.1f}" if n else "",
            f"{cost_s * n / 60:.1f}",
        )
    console.print(table)
    runs = "run" if len(missing) == 1 else "runs"
    console.print(
        f"{len(missing)} {runs} to go, about {total / 60:.0f} min on this "
        "device, by the time of a few steps",
        soft_wrap=True,
    )
    for one in experiment.deviations:
        console.print(
            f"deviation: {one.from_} -> {one.to} ({one.why})", soft_wrap=True
        )


def summary(name: str, record: Record) -> str:
    """Say how a run ended."""
    return (
        f"{name}: {record.outcome} after {record.iterations} "
        f"iterations, test error {record.test_error_pct:.2f} % on "
        f"{record.data_label}, {record.wall_s:.0f} s"
    )
