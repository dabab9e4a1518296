"""`preact train`: one run, from the command line to its record."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from preact.cli import complain
from preact.cli.parser import ROW
from preact.cli.progress import make_console, progress, summary, warn
from preact.data import load
from preact.experiment import (
    Deviation,
    PlannedRun,
    execute,
    find_device,
    load_data,
    planned_runs,
    read_experiment,
)
from preact.experiment.described import recipe_deviations
from preact.experiment.matrix import held_out
from preact.plan import fitting_convs
from preact.plan.depth import imagenet_counts
from preact.train import Execution, Run, find_recipe, recipes

CHANGES = ("iterations", "batch", "lr")  # of the recipe
EXECUTION = ("precision", "channels_last", "memory", "fast")
NETWORK = ("depth", "convs", "row", "width", "init", "seed")
RUN = (*NETWORK, "data", "hold_out", "recipe", *CHANGES, *EXECUTION)


def run(options: argparse.Namespace) -> int:
    """Make the run that is asked for, unless it is recorded."""
    planned, deviations = _planned(options)
    console = make_console()
    warn(console, [planned.run])
    with progress(console, planned.run, planned.run.row) as report:
        record, new = execute(
            planned,
            options.out,
            device=options.device or find_device(),
            report=report,
            deviations=deviations,
        )
    said = summary(str(options.out / planned.path), record)
    before = "" if new else "already recorded, "
    console.print(before + said, soft_wrap=True)
    weights = (options.out / planned.path).with_suffix(".safetensors")
    if weights.exists():
        console.print(f"weights: {weights}", soft_wrap=True)
    if record.outcome == "diverged":
        complain("the loss was not finite: try a smaller --lr")
        return 1
    return 0


def _planned(
    options: argparse.Namespace,
) -> tuple[PlannedRun, Sequence[Deviation]]:
    """Return the run, of a file or of options, and what it departs in."""
    values = {name: getattr(options, name) for name in RUN}
    given = {k: value for k, value in values.items() if value is not None}
    if options.file is None:
        return _run(given, options)
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
    given: dict[str, Any], options: argparse.Namespace
) -> tuple[PlannedRun, list[Deviation]]:
    """Turn the options that were given into a run."""
    data = given.get("data", "digits")
    own = data if data in tuple(recipes()) else "paper"
    recipe = find_recipe(given.get("recipe", own))
    changes = {name: given[name] for name in CHANGES if name in given}
    if changes.get("batch", 0) > 0:
        # BN cannot take its statistics over more than the batch.
        changes["ghost_batch"] = min(recipe.ghost_batch, changes["batch"])
    changed = replace(recipe, **changes)
    deviations = recipe_deviations(
        recipe, changed, changes, "asked for on the command line"
    )
    depth, convs = given.get("depth", 110), given.get("convs")
    if data == "imagenet":
        convs, _ = imagenet_counts(depth, convs, None)
    elif convs is None:
        convs = fitting_convs(depth)
    run = Run(
        row=given.get("row", ROW),
        init=given.get("init"),
        depth=depth,
        convs=convs,
        recipe=changed,
        data=held_out(load(data, options.folder), given.get("hold_out", 0)),
        seed=given.get("seed", 1),
        width=given.get("width", 16),
        execution=Execution(
            **{name: given[name] for name in EXECUTION if name in given}
        ),
    )
    return PlannedRun("train", run), deviations
