"""`preact ablate`: every run of an experiment file that has no record yet."""

import argparse
import os
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from preact.cli import complain, counted
from preact.cli.progress import (
    in_minutes,
    make_console,
    progress,
    resumes,
    summary,
    warn,
)
from preact.data import Data, stand_in
from preact.experiment import Experiment, execute, read_experiment
from preact.experiment.matrix import PlannedRun, load_data, planned_runs
from preact.experiment.schedule import (
    FAILED,
    Job,
    by_network,
    costs,
    is_recorded,
    time_limit,
    work_through,
)
from preact.train.device import check_device, find_device

REFUSED = "refused for the record that is there"


def run(options: argparse.Namespace) -> int:
    """Show the plan, run it, and say what became of the runs."""
    console = make_console()
    left_s = time_limit(options.minutes)
    options.device = options.device or find_device()
    check_device(options.device)
    ended: Counter[str] = Counter()
    jobs = [
        job
        for file in options.files
        for job in _jobs(console, file, options, ended)
    ]
    costs_s = [job.cost_s for job in jobs]
    to_make = sum(not (options.out / j.planned.path).exists() for j in jobs)
    begun: dict[str, float] = {}  # costs of runs that are made
    took: dict[str, float] = {}  # seconds of those that have ended

    def make(job: Job) -> str:
        """Make one run, or not; say in a word what became of it."""
        planned = job.planned
        name = str(planned.path.with_suffix(""))
        if not is_recorded(planned, options.out):
            to_go_s = sum(costs_s) - sum(begun.values())
            if took:  # what was estimated, corrected by what was seen
                asked_s = sum(begun[one] for one in took)
                to_go_s *= sum(took.values()) / (asked_s or 1)
            # a run that another process was at comes a second time
            begun[name] = job.cost_s
            number = [*begun].index(name) + 1
            left = f", {in_minutes(to_go_s)} left" if any(costs_s) else ""
            left += resumes(options.out / planned.path)
            console.print(
                f"{name}: run {number} of {to_make}{left}", soft_wrap=True
            )
        with progress(console, planned.run, name) as report:
            record, new = execute(
                planned,
                options.out,
                device=options.device,
                report=report,
                deviations=job.experiment.deviations,
                left_s=left_s,
                save=options.save,
            )
        if not new:
            return "recorded before"
        took[name] = record.wall_s
        console.print(summary(name, record), soft_wrap=True)
        return str(record.outcome)

    if not options.dry_run:
        try:
            work_through(
                jobs, make, left_s=left_s, complain=complain, ended=ended
            )
        finally:
            told = (f"{n} {what}" for what, n in ended.items())
            console.print(", ".join(told))
    return 2 if ended[FAILED] or ended[REFUSED] else 0


def _jobs(
    console: Console,
    file: Path,
    options: argparse.Namespace,
    ended: Counter[str],
) -> list[Job]:
    """Show the plan of a file; return what can be run, or has been."""
    experiment = read_experiment(file)
    data: Data | None
    try:
        data, is_here = load_data(experiment, options.folder), True
    except FileNotFoundError as error:
        data, is_here = stand_in(experiment.data), False
        if not options.dry_run or data is None:
            raise
        complain(f"{error}; the cost is that of random images")
    plan = list(planned_runs(experiment, data))
    recorded: list[PlannedRun] = []
    missing: list[PlannedRun] = []
    refused: dict[str, list[Path]] = {}
    for planned in plan:
        path = options.out / planned.path
        try:
            there = is_here and is_recorded(planned, options.out)
        except (ValueError, OSError) as error:
            why = str(error).removeprefix(str(path))
            refused.setdefault(why, []).append(path)
            ended[REFUSED] += 1
            continue
        (recorded if there else missing).append(planned)
    for why, paths in refused.items():
        more = f"; {counted(len(paths) - 1, 'record')} more like it"
        complain(f"{paths[0]}{why}{more * (len(paths) > 1)}")
    warn(console, (planned.run for planned in missing))
    if options.save:
        check_saved(recorded, options.out)
    # Under torchrun no process could take a whole batch, and all must make
    # the runs in the same order.
    alone = os.environ.get("WORLD_SIZE", "1") == "1"
    each: dict[str, float] = {}
    try:
        each = costs(missing, options.device) if alone else {}
    except ValueError as error:
        if not options.dry_run:
            raise
        complain(f"{error}; so there is no cost")
    show_plan(console, experiment, plan, recorded, missing, each)
    return [Job(experiment, planned, 0.0) for planned in recorded] + [
        Job(experiment, planned, each.get(planned.network, 0.0))
        for planned in missing
    ]


def check_saved(recorded: list[PlannedRun], out: Path) -> None:
    """Refuse to keep weights of runs that were recorded without them."""
    paths = [(out / one.path).with_suffix(".safetensors") for one in recorded]
    if without := [path for path in paths if not path.exists()]:
        raise ValueError(
            f"{counted(len(without), 'record')} without weights, such as "
            f"{without[0].with_suffix('.json')}: delete them or choose "
            "another --out, and --save keeps weights"
        )


def show_plan(
    console: Console,
    experiment: Experiment,
    plan: list[PlannedRun],
    recorded: list[PlannedRun],
    missing: list[PlannedRun],
    each: dict[str, float],
) -> None:
    """Print what will run and how long it will take on this machine."""
    title = dict.fromkeys((experiment.name, experiment.title))
    table = Table(title=Text(": ".join(title)))
    refused = len(plan) - len(recorded) - len(missing)
    counts = ["recorded", *["refused"] * bool(refused)]
    for column in ("network", "runs", *counts, "s a run", "min"):
        table.add_column(column, justify="right")
    there, left = by_network(recorded), by_network(missing)
    total = 0.0
    for network, group in by_network(plan).items():
        n, known = (len(one.get(network, [])) for one in (left, there))
        cost_s = each.get(network, 0.0)
        total += cost_s * n
        table.add_row(
            network,
            str(len(group)),
            str(known),
            *[str(len(group) - n - known)] * bool(refused),
            f"{cost_s:.1f}" if network in each else "",
            f"{cost_s * n / 60:.1f}" if network in each or not n else "",
        )
    console.print(table)
    rows = dict.fromkeys(planned.run.row for planned in plan)
    rates = dict.fromkeys(f"{one.lr:g}" for one in experiment.recipes)
    at = f"; at learning rates of {', '.join(rates)}" * (len(rates) > 1)
    console.print(f"rows: {', '.join(rows)}{at}", soft_wrap=True)
    here = (
        f", {in_minutes(total)} if this machine stays as busy as it is; "
        "corrected when runs end"
    )
    console.print(
        f"{counted(len(missing), 'run')} to go{here * bool(each)}",
        soft_wrap=True,
    )
    for one in experiment.deviations:
        console.print(
            f"deviation: {one.from_} -> {one.to} ({one.why})", soft_wrap=True
        )
