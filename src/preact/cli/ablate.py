"""`preact ablate`: every run of an experiment file that has no record yet."""

import argparse
import math
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from preact.cli.progress import Progress
from preact.data import load
from preact.experiment import (
    Busy,
    Experiment,
    PlannedRun,
    cost,
    execute,
    find_device,
    planned_runs,
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
    parser.add_argument(
        "files", type=Path, nargs="+", help="experiments/<name>.toml"
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
    parser.add_argument(
        "--tensorboard",
        type=Path,
        metavar="FOLDER",
        help="write the curves for TensorBoard too (extra `tensorboard`)",
    )


def _ablate(options: argparse.Namespace) -> int:
    """Show the plan, then run it."""
    console = Console(highlight=False)
    todo: list[tuple[Experiment, PlannedRun, float]] = []
    for file in options.files:
        experiment = read_experiment(file)
        data = load(experiment.data, options.folder)
        plan = list(planned_runs(experiment, data))
        missing = [c for c in plan if not (options.out / c.path).exists()]
        each = costs(plan, missing, options.device)
        show_plan(console, experiment, plan, missing, each)
        todo += [
            (experiment, planned, each[_network(planned)]) for planned in plan
        ]
    if options.dry_run:
        return 0
    # Stopped anywhere, every file has its cheap rows and its first seeds.
    todo.sort(key=lambda one: (one[1].run.seed, one[2]))
    ended: Counter[str] = Counter()
    with time_limit(options.minutes) as left_s:
        try:
            later = []
            for experiment, planned, cost_s in todo:
                known = (options.out / planned.path).exists()
                if known or cost_s <= left_s():
                    ended[_run(console, experiment, planned, options)] += 1
                else:
                    later.append((experiment, planned))
            for experiment, planned in later:
                if left_s() <= 0:
                    ended["not begun"] += 1
                else:
                    ended[_run(console, experiment, planned, options)] += 1
        except KeyboardInterrupt:
            if left_s() > 0:
                raise
            ended["stopped by the limit"] += 1
        finally:
            said = ", ".join(f"{n} {what}" for what, n in ended.items())
            console.print(said)
    return 0


def _run(
    console: Console,
    experiment: Experiment,
    planned: PlannedRun,
    options: argparse.Namespace,
) -> str:
    """Make one run, or not; say in a word what became of it."""
    name = str(planned.path.with_suffix(""))
    board = options.tensorboard and options.tensorboard / name
    try:
        with Progress(console, planned.run, name, board) as progress:
            record, new = execute(
                planned,
                options.out,
                device=options.device,
                report=progress,
                deviations=experiment.deviations,
            )
    except Busy:
        return "trained by another process"
    if not new:
        return "recorded before"
    console.print(summary(name, record), soft_wrap=True)
    return str(record["outcome"])


@contextmanager
def time_limit(minutes: float | None) -> Iterator[Callable[[], float]]:
    """Press Ctrl-C when the time is over; give a clock of what is left."""
    if minutes is None:
        yield lambda: math.inf
        return
    end = time.monotonic() + 60 * minutes
    timer = threading.Timer(
        60 * minutes, os.kill, (os.getpid(), signal.SIGINT)
    )
    timer.daemon = True
    timer.start()
    try:
        yield lambda: end - time.monotonic()
    finally:
        timer.cancel()


def costs(
    plan: list[PlannedRun], missing: list[PlannedRun], device: str
) -> dict[str, float]:
    """Seconds of one run for each network of a plan that has runs to go."""
    left = groups(missing)
    return {
        network: cost(left[network][0].run, device) if network in left else 0.0
        for network in groups(plan)
    }


def show_plan(
    console: Console,
    experiment: Experiment,
    plan: list[PlannedRun],
    missing: list[PlannedRun],
    each: dict[str, float],
) -> None:
    """Print what will run and how long it will take on this machine."""
    table = Table(title=f"{experiment.name}: {experiment.title}")
    for column in ("network", "rows", "runs", "recorded", "s a run", "min"):
        table.add_column(column, justify="right")
    left = groups(missing)
    total = 0.0
    for network, group in groups(plan).items():
        n = len(left.get(network, []))
        total += each[network] * n
        table.add_row(
            network,
            str(len({planned.path.parent for planned in group})),
            str(len(group)),
            str(len(group) - n),
            f"{each[network]:.1f}" if n else "",
            f"{each[network] * n / 60:.1f}",
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


def groups(plan: list[PlannedRun]) -> dict[str, list[PlannedRun]]:
    """Cells by network."""
    found: dict[str, list[PlannedRun]] = {}
    for planned in plan:
        found.setdefault(_network(planned), []).append(planned)
    return found


def _network(planned: PlannedRun) -> str:
    """Name the network of a run as its path does."""
    return planned.path.parts[2]


def summary(name: str, record: dict[str, Any]) -> str:
    """Say how a run ended."""
    return (
        f"{name}: {record['outcome']} after {record['iterations']} "
        f"iterations, test error {record['test_error_pct']:.2f} % on "
        f"{record['data_label']}, {record['wall_s']:.0f} s"
    )
