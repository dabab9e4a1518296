"""Progress of a run: a bar where it can move, plain lines where it cannot.

Chapter `08-training`.
"""

from types import TracebackType
from typing import Self

import torch
from rich import progress as bars
from rich.console import Console

from preact.train import Run


class Progress:
    """Shows each point of the curve; call it with the point.

    A bar on a terminal and in a notebook, a line a point in a log.
    """

    def __init__(self, console: Console, run: Run, name: str) -> None:
        self.console, self.run, self.name = console, run, name
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
            name, total=run.protocol.iterations, said=""
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

    def __call__(self, point: dict[str, float]) -> None:
        """Show one point of the curve."""
        said = _said(point)
        if self.moves:
            self.bar.update(self.task, completed=point["iteration"], said=said)
            return
        protocol = self.run.protocol
        left = (protocol.iterations - point["iteration"]) * protocol.batch
        self.console.print(
            f"{point['iteration']:>7.0f}/{protocol.iterations}  {said}  "
            f"{left / point['images_per_s'] / 60:.1f} min left",
            soft_wrap=True,
        )


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
