"""Progress of a run: a bar where it can move, plain lines where it cannot.

Chapter `08-training`.
"""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import torch
from rich import progress as bars
from rich.console import Console

from preact.train import Run


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
        self.bar = bars.Progress(
            bars.TextColumn("{task.description}"),
            bars.BarColumn(bar_width=24),
            bars.MofNCompleteColumn(),
            bars.TimeRemainingColumn(),
            bars.TextColumn("{task.fields[said]}"),
            console=console,
            transient=True,
            disable=not self.moves,
        )
        self.task = self.bar.add_task(
            name, total=run.recipe.iterations, said=""
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
        said = _said(point)
        if self.moves:
            self.bar.update(self.task, completed=point["iteration"], said=said)
            return
        recipe = self.run.recipe
        left = (recipe.iterations - point["iteration"]) * recipe.batch
        self.console.print(
            f"{point['iteration']:>7.0f}/{recipe.iterations}  {said}  "
            f"{left / point['images_per_s'] / 60:.1f} min left",
            soft_wrap=True,
        )


def _board(folder: Path) -> Any:
    """Open a folder for TensorBoard."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise ValueError(
            "--tensorboard needs the package tensorboard; install it with "
            '`pip install "preact[tensorboard]"`'
        ) from error
    return SummaryWriter(folder)


def _said(point: dict[str, float]) -> str:
    """One point in words."""
    said = (
        f"lr {point['lr']:<7.4g} loss {point['loss']:.4f}  "
        f"train error {point['train_error_pct']:5.2f} %  "
    )
    if "test_error_pct" in point:
        said += f"test {point['test_error_pct']:5.2f} %  "
    said += f"{point['images_per_s']:,.0f} images/s"
    if torch.cuda.is_available():
        said += f"  {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB"
    return said
