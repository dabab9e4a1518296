"""`preact train`: one run, from the command line to its record."""

import argparse
from dataclasses import replace

from preact.cli import complain
from preact.cli.progress import (
    make_console,
    progress,
    resumes,
    summary,
    warn,
)
from preact.data import Data, load
from preact.experiment import execute
from preact.experiment.config import recipe_deviations
from preact.experiment.matrix import PlannedRun, held_out
from preact.plan.depth import fitting_convs, imagenet_counts
from preact.train import Execution, Recipe, Run, find_recipe
from preact.train.device import find_device
from preact.train.recipe import recipes


def run(options: argparse.Namespace) -> int:
    """Make the run that is asked for, unless it is recorded.

    Refuse a batch of more images than there are.
    """
    data = options.data or ("folders" if options.folder else "digits")
    own = data if data in tuple(recipes()) else "paper"
    recipe = find_recipe(options.recipe or own)
    changed = _changed(recipe, options)
    images = held_out(load(data, options.folder or "data"), options.hold_out)
    count, _ = images.counts
    if options.batch and options.batch > count:
        raise ValueError(
            f"--batch must be at most the {count:,} training images of "
            f"{images.label}; got {options.batch:,}"
        )
    planned = PlannedRun("train", _run(options, changed, images))
    console = make_console()
    going_on = resumes(options.out / planned.path)
    console.print(announced(planned.run) + going_on, soft_wrap=True)
    warn(console, [planned.run])
    with progress(console, planned.run, planned.run.row) as report:
        record, new = execute(
            planned,
            options.out,
            device=options.device or find_device(),
            report=report,
            deviations=recipe_deviations(
                recipe, changed, "asked for on the command line"
            ),
        )
    said = summary(str(options.out / planned.path), record)
    before = "" if new else "already recorded, "
    console.print(before + said, soft_wrap=True)
    if record.outcome == "diverged":
        complain("the loss was not finite: try a smaller --lr")
        return 1
    weights = (options.out / planned.path).with_suffix(".safetensors")
    if weights.exists():
        console.print(f"weights: {weights}", soft_wrap=True)
    return 0


def announced(run: Run) -> str:
    """Say what will be trained, before anything takes its time."""
    recipe = run.recipe
    start = f", from {run.init}" if run.init else ""
    return (
        f"ResNet-{run.depth}, {run.row}{start}, on {run.data.label}: "
        f"{recipe.iterations:,} iterations of {recipe.batch} images"
    )


def _changed(recipe: Recipe, options: argparse.Namespace) -> Recipe:
    """The recipe with what is asked for in its place."""
    asked = {name: getattr(options, name) for name in ("iterations", "lr")}
    if options.batch is not None:
        asked["batch"] = options.batch
        if options.batch % recipe.ghost_batch:  # BN over equal parts, or all
            asked["ghost_batch"] = options.batch
    given = {name: value for name, value in asked.items() if value is not None}
    return replace(recipe, **given)


def _run(options: argparse.Namespace, recipe: Recipe, data: Data) -> Run:
    """Turn the options into a run."""
    depth, convs = options.depth, options.convs
    if data.name == "imagenet":
        convs, _ = imagenet_counts(depth, convs, None)
    elif convs is None:
        convs = fitting_convs(depth)
    return Run(
        row=options.row,
        init=options.init,
        depth=depth,
        convs=convs,
        recipe=recipe,
        data=data,
        seed=options.seed,
        width=options.width,
        execution=Execution(
            precision=options.precision,
            channels_last=options.channels_last,
            memory=options.memory,
        ),
    )
