"""The matrix: kind x position x mode x row x writing, what a probe catches.

`PYTHONPATH=tests python -m conformance.matrix` probes every kind at every
position in every mode once, rows and writings taking turns, and writes
`matrix.toml` for chapter 11: counts, and which cells got no *no*. Tests probe
cells of it again.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from conformance.mistakes import KINDS
from conformance.parts import IMAGE, ORIGINAL, PRE, Parts
from conformance.placed import EVALUATION, TRAINING
from conformance.variations import VARIATIONS
from conformance.writings import WRITINGS
from preact.book import bugs
from preact.conformance import Report, probe

WAYS = [(row, writing) for row in (PRE, ORIGINAL) for writing in WRITINGS]
HERE = Path(bugs.__file__).with_name("matrix.toml")


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
    >>> from conformance.matrix import Cell
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
    >>> from conformance.matrix import cells
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


def missed(cell: Cell) -> str:
    """The line of a cell that gets no *no*; "" of one that gets one."""
    torch.set_num_threads(1)
    return "" if cell.is_caught() else str(cell)


def counts() -> dict[str, int]:
    """What the page says of the matrix."""
    why = Counter(cell.hidden for cell in cells())
    asked = why[""] + why["missed"]
    return {
        "kinds": len(KINDS),
        "right": len(VARIATIONS),
        "asked": asked,
        "missed": why["missed"],
        "hidden": why.total() - asked,
    }


def record(lines: Iterable[str]) -> str:
    """Write the cells that got no *no*, one a line."""
    return "\n".join(
        [
            "# Written by `PYTHONPATH=tests python -m conformance.matrix`.",
            "passed = [",
            *(f"  {json.dumps(line)}," for line in lines if line),
            "]",
            "[counts]",
            *(f"{word} = {count}" for word, count in counts().items()),
            "",
        ]
    )


def main() -> int:
    """Write `matrix.toml` beside this file."""
    with ProcessPoolExecutor() as pool:
        text = record(pool.map(missed, cells(), chunksize=20))
    HERE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
