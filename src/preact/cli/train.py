"""`preact train`: one run, from the command line to its record."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from rich.console import Console

from preact.cli.ablate import add_places, complain, summary
from preact.cli.plan import add_network
from preact.cli.progress import Progress, open_console
from preact.data import NAMES, load
from preact.experiment import (
    Busy,
    Deviation,
    PlannedRun,
    execute,
    find_checkpoint,
    load_data,
    planned_runs,
    read_experiment,
)
from preact.experiment.execute import record_path
from preact.experiment.matrix import held_out
from preact.fast.memory import Memory
from preact.plan import fitting_convs
from preact.plan.depth import imagenet_counts
from preact.train import Execution, OwnCode, Run, find_recipe, recipes
from preact.train.device import check_device
from preact.train.precision import Precision
from preact.train.stop import Stopped, stopping_at_once

ROW = "full-preactivation"
CHANGES = {"iterations": int, "batch": int, "lr": float}  # of the recipe
EXECUTION = ("precision", "channels_last", "memory", "fast")


def add_command(commands: Any) -> None:
    """Describe `preact train`."""
    parser = commands.add_parser(
        "train",
        help="train one network; the same command again resumes",
        description="Train one network and write its record: the error of "
        "the last iteration, the curve, the whole configuration; beside it "
        "the weights, for `preact eval` and preact.load. The same command "
        "again goes on where it stopped; a finished run is not repeated. "
        "Under torchrun the processes share every batch.",
    )
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        help="an experiment of one run: a file, or a name such as smoke",
    )
    first = len(parser._actions)
    add_network(parser)
    _add_training(parser)
    for action in parser._actions[first:]:
        # What was not given is not there: beside a file it has no effect.
        default = str(action.default)
        action.help = (action.help or "").replace("%(default)s", default)
        action.default = argparse.SUPPRESS
    parser.set_defaults(
        run=_train, network_options=[a.dest for a in parser._actions[first:]]
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="insist on a checkpoint: refuse to start from the beginning",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where the weights go (default: beside the record)",
    )
    add_places(parser)


def _add_training(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how a network is trained."""
    parser.add_argument(
        "--data",
        help=f"{', '.join(NAMES)}, or package.module:name of a function that "
        "returns an ImageSet (default: digits)",
    )
    parser.add_argument(
        "--hold-out",
        type=int,
        metavar="N",
        help="test on N training images, not on the test images",
    )
    parser.add_argument(
        "--init",
        type=Path,
        metavar="FILE",
        help="weights to start from; with other classes the classifier is new",
    )
    parser.add_argument(
        "--make",
        metavar="package.module:name",
        help="what makes the units: name(c_in, c_out, stride) to a module; "
        "--row then says whose stem and tail the network has",
    )
    parser.add_argument(
        "--recipe",
        choices=sorted(recipes()),
        help="default: the data's own for digits and imagenet, else paper",
    )
    parser.add_argument("--seed", type=int, help="default: 1")
    parser.add_argument(
        "--width", type=int, help="channels of the first stage (default: 16)"
    )
    parser.add_argument(
        "--classes",
        type=int,
        help="outputs of the classifier (default: the data's classes)",
    )
    for name, kind in CHANGES.items():
        parser.add_argument(
            f"--{name}",
            type=kind,
            help="in place of the recipe's; recorded as a deviation",
        )
    parser.add_argument(
        "--precision", choices=get_args(Precision), help="default: fp32"
    )
    parser.add_argument(
        "--channels-last",
        action="store_true",
        help="channels side by side in memory: faster on most devices, but "
        "other last bits than those of the records, so not the default",
    )
    parser.add_argument(
        "--fast",
        action="store_true",
        help="fused units on a CPU, in float32 with --channels-last, where "
        "they were measured to pay; see `preact bench`",
    )
    parser.add_argument(
        "--memory",
        choices=get_args(Memory),
        help="what is kept for the backward pass (default: keep)",
    )


def _train(options: argparse.Namespace) -> int:
    """Train, report, record; stop when asked to."""
    try:
        with stopping_at_once():
            return _make(options, open_console())
    except Stopped as stopped:
        complain(str(stopped))
        return stopped.exit_code
    except Busy:
        if os.environ.get("RANK", "0") != "0":
            return 2  # the process that leads has said it
        raise


def _make(options: argparse.Namespace, console: Console) -> int:
    """Make the run that is asked for, unless it is recorded."""
    check_device(options.device)
    planned, deviations = _planned(options)
    path = record_path(options.out, planned)
    if options.resume and not (path.exists() or find_checkpoint(path)):
        raise ValueError(
            f"--resume needs a checkpoint of this run in {path.parent}; "
            "there is none: leave --resume out to start"
        )
    with Progress(
        console, planned.run, planned.run.row, options.tensorboard
    ) as progress:
        record, new = execute(
            planned,
            options.out,
            device=options.device,
            report=progress,
            deviations=deviations,
            save=options.save or True,
        )
    before = "" if new else "already recorded, "
    console.print(before + summary(str(path), record), soft_wrap=True)
    return 0


def _planned(
    options: argparse.Namespace,
) -> tuple[PlannedRun, Sequence[Deviation]]:
    """Return the run, of a file or of options, and what it departs in."""
    given = {
        name: getattr(options, name)
        for name in options.network_options
        if hasattr(options, name)
    }
    if options.file is None:
        return _run(given, options.folder)
    if given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ValueError(
            f"{names} must not stand beside a file, which says what is "
            f"trained; got {options.file}"
        )
    experiment = read_experiment(options.file)
    data = load_data(experiment, options.folder)
    plan = list(planned_runs(experiment, data))
    if len(plan) != 1:
        raise ValueError(
            f"{options.file} must ask for one run; got {len(plan)}: "
            f"use `preact ablate {options.file}`"
        )
    return plan[0], experiment.deviations


def _run(
    given: dict[str, Any], folder: Path
) -> tuple[PlannedRun, list[Deviation]]:
    """Turn the options that were given into a run."""
    data = given.get("data", "digits")
    own = data if data in tuple(recipes()) else "paper"
    recipe = find_recipe(given.get("recipe", own))
    changes = {name: given[name] for name in CHANGES if name in given}
    if changes.get("batch", 0) > 0:
        # BN cannot take its statistics over more than the batch.
        changes["ghost_batch"] = min(recipe.ghost_batch, changes["batch"])
    deviations = [
        Deviation(
            from_=f"{name} {getattr(recipe, name)}",
            to=f"{name} {value}",
            why="asked for on the command line",
        )
        for name, value in changes.items()
        if value != getattr(recipe, name)
    ]
    depth = given.get("depth", 110)
    execution = Execution(
        **{name: given[name] for name in EXECUTION if name in given}
    )
    if data == "imagenet":
        convs, _ = imagenet_counts(depth, given.get("convs"), None)
    else:
        convs = given["convs"] if "convs" in given else fitting_convs(depth)
    row, unit = given.get("row", ROW), None
    if "make" in given:
        unit = OwnCode(make=given["make"], like=row)
        row = given["make"].rpartition(":")[2]
    run = Run(
        row=row,
        unit=unit,
        init=given.get("init"),
        depth=depth,
        convs=convs,
        recipe=replace(recipe, **changes),
        data=held_out(load(data, folder), given.get("hold_out", 0)),
        seed=given.get("seed", 1),
        width=given.get("width", 16),
        classes=given.get("classes"),
        execution=execution,
    )
    return PlannedRun("train", run), deviations
