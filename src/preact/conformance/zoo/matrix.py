"""The matrix: kind x position x mode x row x writing, what a probe catches.

`python -m preact.conformance.zoo.matrix` probes every kind at every position
in every mode once, rows and writings taking turns, and writes `matrix.toml`:
which cells got no *no*. Chapter 11 prints it, tests probe cells of it again.
"""

import json
import random
import sys
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from preact.conformance import Report, probe
from preact.conformance.zoo.mistakes import KINDS
from preact.conformance.zoo.parts import IMAGE, ORIGINAL, PRE, Parts
from preact.conformance.zoo.placed import EVALUATION, TRAINING
from preact.conformance.zoo.writings import WRITINGS

WAYS = [(row, writing) for row in (PRE, ORIGINAL) for writing in WRITINGS]
HERE = files("preact.conformance.zoo").joinpath("matrix.toml")


MISSED = {
    ("conv2.groups = 2", 2): {"always": "missed"},
    ("instance_norm(x)", 9): {EVALUATION: "missed"},
}
"""What the probe should see, and does not yet."""
LAST_TWO = 8  # the last units, between which nothing parts any more
HEADS = ("softmax(logits)", "relu(logits)")
BEHIND_STEM = (
    *("-x", "x.half().float()", "max_pool2d(x, 3, 1, 1)"),
    *("x.flip(1)", "x.roll(1, 0)", "x - x.mean()"),
)
"""What cannot be told from a stem of another kind."""


class Cell(NamedTuple):
    """One network with one mistake, or with one that is none.

    Examples
    --------
    >>> from preact.conformance.zoo.matrix import Cell
    >>> cell = Cell(
    ...     place="shortcut", name="0.9 * x", position=4, mode="evaluation",
    ...     row="full-preactivation", writing="functional",
    ... )
    >>> cell.is_caught()
    True
    """

    place: str
    name: str
    position: int
    mode: str
    row: str
    writing: str

    def network(self) -> nn.Module:
        """Make it, with the same weights every time."""
        torch.manual_seed(0)
        parts = Parts(self.row)
        KINDS[self.place, self.name].change(parts, self.position, self.mode)
        return WRITINGS[self.writing](parts)

    def report(self) -> Report:
        """Probe it; whoever wrote it has said which row was meant."""
        random.seed(0)
        return probe(self.network(), IMAGE, row=self.row)

    def is_caught(self) -> bool:
        """Whether an answer is no."""
        try:
            return bool(self.report().faults)
        except ValueError:  # refused: neither a no nor a yes
            return False

    @property
    def hidden(self) -> str:
        """Why no answer finds the mistake, in a word; "" if one must."""
        is_late = self.mode == EVALUATION
        is_after = self.row == ORIGINAL and self.place in ("stream", "inside")
        if self.name == "x.float()":
            return "same"
        if self.name == "x.detach()" and is_late:
            return "gradient"
        if self.name == "relu(x)" and is_late and is_after:
            return "relu"
        if "eps" in self.name:
            return "eps"
        if self.name in HEADS:
            return "head"
        if self.name == "conv1 = Conv2d(c, c, 5) for unit in units":
            return "kernel"
        if self.position == 0 and (
            self.name in BEHIND_STEM
            or ("randn" in self.name and self.mode == TRAINING)
        ):
            return "stem"
        if "[:1]" in self.name and self.position < LAST_TWO:
            return "parted"
        if "avg_pool2d" in self.name:
            return "pooled"
        is_missed = (self.name, self.position) in MISSED
        if self.row == PRE and self.place != "shortcut" and is_missed:
            return MISSED[self.name, self.position].get(self.mode, "")
        return ""

    def __str__(self) -> str:
        return " | ".join(map(str, self))


def cells(turn: int | None = 0) -> Iterator[Cell]:
    """Every kind at every position; modes, rows and writings take turns.

    Parameters
    ----------
    turn : int, optional
        With which mode, row and writing the first begins. None: every kind
        at every position in every mode, row and writing, the full matrix.

    Examples
    --------
    >>> from preact.conformance.zoo.matrix import cells
    >>> print(next(cells()))
    shortcut | dropout(x, 0.2) | 1 | always | full-preactivation | ModuleList
    >>> 10 * len([*cells()]) < len([*cells(None)])
    True
    """
    count = 0
    for (place, name), kind in KINDS.items():
        ways = [way for way in WAYS if way[0] in kind.rows]
        modes = kind.modes
        is_rare = len(kind.positions) < len(WRITINGS)
        for position in kind.positions:
            if turn is None:
                chosen = [(mode, *way) for mode in modes for way in ways]
            elif is_rare:
                chosen = [(modes[0], *way) for way in ways[turn % 2 :: 2]]
            else:
                way = ways[(count + turn) % len(ways)]
                mode = modes[(count // 2 + turn) % len(modes)]
                chosen = [(mode, *way)]
            for one in chosen:
                yield Cell(place, name, position, *one)
            count += 1


@cache
def recorded() -> dict[str, Any]:
    """Return what was caught when the matrix was last probed."""
    return tomllib.loads(HERE.read_text("utf-8"))


def missed(cell: Cell) -> str:
    """The line of a cell that gets no *no*; "" of one that gets one."""
    torch.set_num_threads(1)
    return "" if cell.is_caught() else str(cell)


def record(lines: Iterable[str]) -> str:
    """Write the cells that got no *no*, one a line."""
    every = [*lines]
    names = [line for line in every if line]
    return "\n".join(
        [
            "# Written by `python -m preact.conformance.zoo.matrix`.",
            f"cells = {len(every)}",
            "passed = [",
            *(f"  {json.dumps(name)}," for name in names),
            "]\n",
        ]
    )


def main() -> int:
    """Write `matrix.toml` beside this file."""
    with ProcessPoolExecutor() as pool:
        text = record(pool.map(missed, cells(), chunksize=20))
    Path(str(HERE)).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
