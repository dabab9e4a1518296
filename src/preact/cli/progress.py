"""What a run says on the way: a line that changes, in a log one a point."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from rich.console import Console

from preact.records import Record
from preact.records.compare import odd_warmup
from preact.train import Recipe, Run
from preact.train.own_code import OwnCode


@contextmanager
def progress(
    console: Console, run: Run, name: str
) -> Iterator[Callable[[dict[str, float]], None]]:
    """Give a function that shows a point of the curve."""
    moves = console.is_terminal or console.is_jupyter
    with console.status(name) as status:

        def show(point: dict[str, float]) -> None:
            line = in_words(point, run.recipe)
            if moves:
                status.update(f"{name}\n{line}")
            else:
                console.print(line, soft_wrap=True)

        yield show


def make_console() -> Console:
    """Where a run reports: one of the processes of torchrun does."""
    # PyTorch's on 1x1 kernels, which have strides of their own
    warnings.filterwarnings("ignore", message="Grad strides do not match")
    quiet = os.environ.get("RANK", "0") != "0"
    return Console(highlight=False, markup=False, quiet=quiet)


def warn(console: Console, runs: Iterable[Run]) -> None:
    """Say once what will surprise in some runs, before they are made."""
    said: dict[str, None] = {}
    for run in runs:
        if rate := odd_warmup(run.config["recipe"]):
            said[rate] = None
        make = run.unit.make if isinstance(run.unit, OwnCode) else ""
        if make and not any(
            p.requires_grad for p in run.make_network().units.parameters()
        ):
            said[f"units by {make} have no parameters to train"] = None
    for sentence in said:
        console.print(f"note: {sentence}", soft_wrap=True)


def resumes(record: Path) -> str:
    """Say that a run has a checkpoint, if it has."""
    there = any(record.with_suffix(".checkpoints").glob("checkpoint*"))
    return ", begun before" if there else ""


def in_words(point: dict[str, float], recipe: Recipe) -> str:
    """One point of the curve in words."""
    words = (
        f"{point['iteration']:>7.0f}/{recipe.iterations}  "
        f"lr {point['lr']:<7.4g} loss {point['loss']:.4f}  "
        f"train error {point['train_error_pct']:5.2f} %  "
    )
    if "test_error_pct" in point:
        words += f"test {point['test_error_pct']:5.2f} %  "
    speed = point["images_per_s"]
    words += f"{speed:,.0f} images/s"
    if torch.cuda.is_available():
        words += f"  {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB"
    if speed:
        left = (recipe.iterations - point["iteration"]) * recipe.batch
        words += f"  {left / speed / 60:.1f} min left"
    return words


def summary(name: str, record: Record) -> str:
    """Say how a run ended."""
    return (
        f"{name}: {record.outcome} after {record.iterations} "
        f"iterations, test error {record.test_error_pct:.2f} % on "
        f"{record.data_label}, {record.wall_s:.0f} s"
    )
