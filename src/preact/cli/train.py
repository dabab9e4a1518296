"""`preact train`: one run, from the command line to its record."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from rich.console import Console

from preact.cli.ablate import add_places, summary
from preact.cli.plan import add_network, fitting_convs
from preact.cli.progress import Progress
from preact.data import NAMES, load
from preact.experiment import (
    PlannedRun,
    execute,
    find_checkpoint,
    planned_runs,
    read_experiment,
)
from preact.fast.memory import Memory
from preact.train import Execution, Run, find_recipe, recipes
from preact.train.precision import Precision


def add_command(commands: Any) -> None:
    """Describe `preact train`."""
    parser = commands.add_parser(
        "train",
        help="train one network; the same command again resumes",
        description="Train one network and write its record: the error of "
        "the last iteration, the curve, the whole configuration. The same "
        "command again goes on where it stopped; a finished run is not "
        "repeated. Under torchrun the processes share every batch.",
    )
    parser.add_argument(
        "file", type=Path, nargs="?", help="an experiment file of one run"
    )
    add_network(parser)
    parser.add_argument("--data", default="digits", choices=NAMES)
    parser.add_argument(
        "--recipe",
        choices=sorted(recipes()),
        help="default: digits for digits, else paper",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--iterations", type=int, help="stop earlier than the recipe"
    )
    parser.add_argument(
        "--precision", default="fp32", choices=get_args(Precision)
    )
    parser.add_argument(
        "--channels-last",
        action="store_true",
        help="channels side by side in memory: faster on most devices",
    )
    parser.add_argument(
        "--fast",
        action="store_true",
        help="fused units, on a GPU the step as one CUDA graph (with "
        "--channels-last)",
    )
    parser.add_argument(
        "--memory",
        default="keep",
        choices=get_args(Memory),
        help="what is kept for the backward pass (default: %(default)s)",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="insist on a checkpoint: refuse to start from the beginning",
    )
    add_places(parser)
    parser.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    """Train, report, record."""
    console = Console(highlight=False)
    if options.file:
        experiment = read_experiment(options.file)
        found = list(
            planned_runs(experiment, load(experiment.data, options.folder))
        )
        if len(found) != 1:
            raise ValueError(
                f"{options.file} must ask for one run; got {len(found)}: "
                f"use `preact ablate {options.file}`"
            )
        planned, deviations = found[0], experiment.deviations
    else:
        planned, deviations = PlannedRun("train", _run(options)), ()
    path = options.out / planned.path
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
        )
    known = "" if new else "already recorded, "
    console.print(known + summary(str(path), record), soft_wrap=True)
    return 0


def _run(options: argparse.Namespace) -> Run:
    """Turn the options into a run."""
    name = options.recipe or (
        "digits" if options.data == "digits" else "paper"
    )
    recipe = find_recipe(name)
    if options.iterations is not None:
        recipe = replace(recipe, iterations=options.iterations)
    depth = options.depth or 110
    return Run(
        row=options.row,
        depth=depth,
        convs=options.convs or fitting_convs(depth),
        recipe=recipe,
        data=load(options.data, options.folder),
        seed=options.seed,
        execution=Execution(
            precision=options.precision,
            channels_last=options.channels_last,
            memory=options.memory,
            fast=options.fast,
        ),
    )
