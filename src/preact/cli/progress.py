"""Progress of a run: a bar where it can move, plain lines where it cannot.

Chapter `09-training`.
"""

import os
import warnings
from collections.abc import Iterable
from types import TracebackType
from typing import Self

import torch
from rich import progress as bars
from rich.console import Console, RenderableType
from rich.text import Text

from preact.records import Record
from preact.records.compare import unused_rate
from preact.train import OwnCode, Run


class Bars(bars.Progress):
    """Two lines: whose progress and what was seen, then the bar."""

    def get_renderables(self) -> Iterable[RenderableType]:
        """Lines that fit into 80 columns."""
        for task in self.tasks:
            yield Text(
                f"{task.description}  {task.fields['numbers']}",
                overflow="fold",
            )
        yield self.make_tasks_table(self.tasks)


class Progress:
    """Shows each point of the curve; call it with the point.

    A bar on a terminal and in a notebook, a line a point in a log.
    """

    def __init__(self, console: Console, run: Run, name: str) -> None:
        self.console, self.recipe = console, run.recipe
        self.moves = console.is_terminal or console.is_jupyter
        self.bar = Bars(
            bars.BarColumn(bar_width=40),
            bars.MofNCompleteColumn(),
            bars.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not self.moves,
        )
        self.task = self.bar.add_task(
            name, total=self.recipe.iterations, numbers=""
        )

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def __call__(self, point: dict[str, float]) -> None:
        """Show one point of the curve."""
        iteration, numbers = point["iteration"], in_words(point)
        if self.moves:
            self.bar.update(self.task, completed=iteration, numbers=numbers)
            return
        left = (self.recipe.iterations - iteration) * self.recipe.batch
        speed = point["images_per_s"]
        minutes = f"{left / speed / 60:.1f} min left" if speed else ""
        self.console.print(
            f"{iteration:>7.0f}/{self.recipe.iterations}  {numbers}  "
            f"{minutes}",
            soft_wrap=True,
        )


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
        if rate := unused_rate(run.config["recipe"]):
            said[rate] = None
        make = run.unit.make if isinstance(run.unit, OwnCode) else ""
        if make and not any(
            p.requires_grad for p in run.make_network().units.parameters()
        ):
            said[f"units by {make} have no parameters to train"] = None
    for sentence in said:
        console.print(f"note: {sentence}")


def in_minutes(seconds: float) -> str:
    """Say about how long something will take."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 120:
        return f"about {minutes} min"
    hours = round(minutes / 60)
    return f"about {hours} h" if hours < 72 else f"about {hours // 24} days"


def in_words(point: dict[str, float]) -> str:
    """One point of the curve in words."""
    words = (
        f"lr {point['lr']:<7.4g} loss {point['loss']:.4f}  "
        f"train error {point['train_error_pct']:5.2f} %  "
    )
    if "test_error_pct" in point:
        words += f"test {point['test_error_pct']:5.2f} %  "
    words += f"{point['images_per_s']:,.0f} images/s"
    if torch.cuda.is_available():
        words += f"  {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB"
    return words


def summary(name: str, record: Record) -> str:
    """Say how a run ended."""
    return (
        f"{name}: {record.outcome} after {record.iterations} "
        f"iterations, test error {record.test_error_pct:.2f} % on "
        f"{record.data_label}, {record.wall_s:.0f} s"
    )
