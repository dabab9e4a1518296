"""Progress of a run: a bar where it can move, plain lines where it cannot.

Chapter `08-training`.
"""

import logging
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import torch
from rich import progress as bars
from rich.console import Console, RenderableType
from rich.text import Text

from preact.train import Run

log = logging.getLogger(__name__)


class LastingStream:
    """A stream whose loss ends nothing: a full disk, a reader who left.

    Says so once, and writes nowhere from then on.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.is_lost = stream, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        if not self.is_lost:
            try:
                self.stream.write(text)
            except (OSError, ValueError) as error:  # ValueError: closed
                self.lose(error)
        return len(text)

    def flush(self) -> None:
        if not self.is_lost:
            try:
                self.stream.flush()
            except (OSError, ValueError) as error:
                self.lose(error)

    def lose(self, error: Exception) -> None:
        """Write nowhere; Python's last flush must not fail either."""
        self.is_lost = True
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.stream.fileno())
        log.warning(
            "nothing can be printed any more (%s); work goes on", error
        )


def open_console() -> Console:
    """Return a console on standard output, the loss of which ends nothing."""
    stream: Any = LastingStream(sys.stdout)
    return Console(file=stream, highlight=False, markup=False)


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

    A bar on a terminal and in a notebook, a line a point in a log; for
    TensorBoard too, if there is a folder for it.

    Raises
    ------
    ValueError
        If TensorBoard is wanted and not installed.
    """

    def __init__(
        self, console: Console, run: Run, name: str, board: Path | None = None
    ) -> None:
        self.console, self.run = console, run
        self.board = _board(board) if board else None
        self.bar = Bars(
            bars.BarColumn(bar_width=40),
            bars.MofNCompleteColumn(),
            bars.TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not self.moves,
        )
        self.task = self.bar.add_task(
            name, total=run.recipe.iterations, numbers=""
        )

    @property
    def moves(self) -> bool:
        """Whether the console can draw over what it has drawn."""
        return self.console.is_terminal or self.console.is_jupyter

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
        if self.board:
            self.board.close()

    def __call__(self, point: dict[str, float]) -> None:
        """Show one point of the curve."""
        if self.board:
            for what, value in point.items():
                self.board.add_scalar(what, value, int(point["iteration"]))
        numbers = in_words(point)
        if self.moves:
            self.bar.update(
                self.task, completed=point["iteration"], numbers=numbers
            )
            return
        recipe = self.run.recipe
        left = (recipe.iterations - point["iteration"]) * recipe.batch
        speed = point["images_per_s"]
        minutes = f"{left / speed / 60:.1f} min left" if speed else ""
        self.console.print(
            f"{point['iteration']:>7.0f}/{recipe.iterations}  {numbers}  "
            f"{minutes}",
            soft_wrap=True,
            markup=False,
        )


def _board(folder: Path) -> Any:
    """Open a folder for TensorBoard."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise ValueError(
            "--tensorboard needs the package tensorboard; install it with "
            "`pip install tensorboard`"
        ) from error
    return SummaryWriter(folder)


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
