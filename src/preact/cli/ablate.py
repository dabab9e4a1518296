"""`preact ablate`: every run of an experiment file that has no record yet."""

import argparse
import errno
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from preact.cli import complain, counted
from preact.cli.progress import (
    make_console,
    progress,
    resumes,
    summary,
    warn,
)
from preact.experiment import Experiment, execute, read_experiment
from preact.experiment.execute import Busy, known_record
from preact.experiment.matrix import PlannedRun, load_data, planned_runs
from preact.train.device import check_device, find_device

REFUSED = "refused for the record that is there"
ELSEWHERE, FAILED = "trained by another process", "failed"


class Job(NamedTuple):
    """A run that an experiment asks for."""

    experiment: Experiment
    planned: PlannedRun


def run(options: argparse.Namespace) -> int:
    """Show the plan, run it, and say what became of the runs."""
    console = make_console()
    options.device = options.device or find_device()
    check_device(options.device)
    ended: Counter[str] = Counter()
    jobs = [
        job
        for file in options.files
        for job in _jobs(console, file, options, ended)
    ]
    to_make = [
        job.planned.path
        for job in jobs
        if not (options.out / job.planned.path).exists()
    ]

    def make(job: Job) -> str:
        """Make one run, or not; say in a word what became of it."""
        planned = job.planned
        name = str(planned.path.with_suffix(""))
        if not is_recorded(planned, options.out):
            number = to_make.index(planned.path) + 1
            going_on = resumes(options.out / planned.path)
            console.print(
                f"{name}: run {number} of {len(to_make)}{going_on}",
                soft_wrap=True,
            )
        with progress(console, planned.run, name) as report:
            record, new = execute(
                planned,
                options.out,
                device=options.device,
                report=report,
                deviations=job.experiment.deviations,
                save=options.save,
            )
        if not new:
            return "recorded before"
        console.print(summary(name, record), soft_wrap=True)
        return str(record.outcome)

    if not options.dry_run:
        try:
            work_through(jobs, make, ended)
        finally:
            told = (f"{n} {what}" for what, n in ended.items())
            console.print(", ".join(told))
    return 2 if ended[FAILED] or ended[REFUSED] else 0


def work_through(
    jobs: Iterable[Job], make: Callable[[Job], str], ended: Counter[str]
) -> None:
    """Make every run, the first seeds of all files before the second ones.

    `ended` counts what became of them. One that cannot be made is complained
    of and does not keep the others, but that a full disk ends all; one that
    another process was at is looked at again.
    """
    elsewhere: list[Job] = []

    def attempt(job: Job) -> None:
        try:
            word = make(job)
        except Busy:
            elsewhere.append(job)
            return
        except Exception as error:  # own code may raise anything
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
            complain(error)
            word = FAILED
        ended[word] += 1

    for job in sorted(jobs, key=lambda job: job.planned.run.seed):
        attempt(job)
    again, elsewhere = elsewhere, []
    for job in again:
        attempt(job)
    if elsewhere:
        ended[ELSEWHERE] += len(elsewhere)


def is_recorded(planned: PlannedRun, out: Path) -> bool:
    """Whether a run has its record, read and found to be of this run."""
    path = out / planned.path
    if path.exists():
        known_record(path, planned.run)
    return path.exists()


def _jobs(
    console: Console,
    file: Path,
    options: argparse.Namespace,
    ended: Counter[str],
) -> list[Job]:
    """Show the plan of a file; return what can be run, or has been."""
    experiment = read_experiment(file)
    plan = list(
        planned_runs(experiment, load_data(experiment, options.folder))
    )
    recorded: list[PlannedRun] = []
    missing: list[PlannedRun] = []
    refused: dict[str, list[Path]] = {}
    for planned in plan:
        path = options.out / planned.path
        try:
            there = is_recorded(planned, options.out)
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
    show_plan(console, experiment, plan, recorded, missing)
    return [Job(experiment, planned) for planned in (*recorded, *missing)]


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
) -> None:
    """Print what will run: networks, rows, rates and deviations."""
    refused = len(plan) - len(recorded) - len(missing)
    rates = [f"{one.lr:g}" for one in experiment.recipes]
    lines = [
        ": ".join(dict.fromkeys((experiment.name, experiment.title))),
        *(
            f"{network}: {counted(n, 'run')}"
            for network, n in Counter(one.network for one in plan).items()
        ),
        f"rows: {', '.join(dict.fromkeys(one.run.row for one in plan))}"
        + f"; at learning rates of {', '.join(rates)}" * (len(rates) > 1),
        f"{counted(len(missing), 'run')} to go, {len(recorded)} recorded"
        + f", {refused} refused" * bool(refused),
        *(
            f"deviation: {one.from_} -> {one.to} ({one.why})"
            for one in experiment.deviations
        ),
    ]
    for line in lines:
        console.print(line, soft_wrap=True)
