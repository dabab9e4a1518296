"""The matrix: kind x position x mode x row x writing, what a probe catches.

`PYTHONPATH=tests python -m conformance.matrix` probes every kind at every
position in every mode once, rows and writings taking turns, and writes
`matrix.toml` for chapter 12: counts, and which cells got no *no*. Tests probe
cells of it again.
"""

import json
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import torch

from conformance.mistakes import EVALUATION, KINDS, TRAINING
from conformance.parts import IMAGE, ORIGINAL, PRE, WRITINGS, Parts
from conformance.variations import VARIATIONS
from preact.book import bugs
from preact.conformance import probe

WAYS = [(row, writing) for row in (PRE, ORIGINAL) for writing in WRITINGS]
HERE = Path(bugs.__file__).with_name("matrix.toml")
MISSED = ()
"""What the probe should see, and does not yet."""
LAST = 9  # the last unit, behind which nothing parts any more
HEADS = ("softmax(logits)", "relu(logits)")
BEHIND_STEM = ("-x", "x.flip(1)", "x.roll(1, 0)", "x - x.mean()")
"""What cannot be told from a stem of another kind."""
HARMLESS = ("same", "gradient")
SILENT = ("eps", "head", "pooled", "pool")
UNSURE = ("kernel", "stem", "parted")
"""Reasons: nothing follows, the paper is silent, the probe could not tell."""


class Cell(NamedTuple):
    """One network with one mistake, or with one that is none."""

    place: str
    name: str
    position: int
    mode: str
    row: str
    writing: str

    def network(self):
        """Make it, with the same weights every time."""
        torch.manual_seed(0)
        parts = Parts(self.row)
        KINDS[self.place, self.name].change(parts, self.position, self.mode)
        return WRITINGS[self.writing](parts)

    def is_caught(self):
        """Whether an answer is no; whoever wrote it has said which row."""
        torch.set_num_threads(1)
        random.seed(0)
        try:
            return bool(probe(self.network(), IMAGE, row=self.row).faults)
        except ValueError:  # refused: neither a no nor a yes
            return False

    @property
    def hidden(self):
        """Why no answer finds the mistake, in a word; "" if one must."""
        name, position = self.name, self.position
        is_late = self.mode == EVALUATION
        is_early = self.mode == TRAINING and "randn" in name
        reasons = {
            "same": name == "x.float()",
            "gradient": name == "x.detach()" and is_late,
            "eps": "eps" in name,
            "head": name in HEADS,
            "kernel": name == "conv2 = Conv2d(c, c, 5) for unit in units",
            "pool": position == 0 and name == "max_pool2d(x, 3, 1, 1)",
            "stem": position == 0 and (name in BEHIND_STEM or is_early),
            "parted": "[:1]" in name and position < LAST,
            "pooled": "avg_pool2d" in name,
            "missed": self[:5] in MISSED,
        }
        return next((why for why, holds in reasons.items() if holds), "")

    def __str__(self):
        return " | ".join(map(str, self))


def cells(turn=5):
    """Every kind at every position; modes, rows and writings take turns.

    `turn` says with which mode, row and writing the first begins.
    """
    count = 0
    for (place, name), kind in KINDS.items():
        ways, modes = [way for way in WAYS if way[0] in kind.rows], kind.modes
        for position in kind.positions:
            if len(kind.positions) < len(WRITINGS):
                chosen = [(modes[0], *way) for way in ways[turn % 2 :: 2]]
            else:
                mode = modes[(count // 2 + turn) % len(modes)]
                chosen = [(mode, *ways[(count + turn) % len(ways)])]
            for one in chosen:
                yield Cell(place, name, position, *one)
            count += 1


def counts():
    """What the page says of the matrix."""
    why = Counter(cell.hidden for cell in cells())
    asked = why[""] + why["missed"]
    return {
        "kinds": len(KINDS),
        "right": len(VARIATIONS),
        "asked": asked,
        "missed": why["missed"],
        "hidden": why.total() - asked,
        "harmless": sum(why[reason] for reason in HARMLESS),
        "silent": sum(why[reason] for reason in SILENT),
        "unsure": sum(why[reason] for reason in UNSURE),
    }


def main():
    """Write `matrix.toml`."""
    every = [*cells()]
    with ProcessPoolExecutor() as pool:
        caught = [*pool.map(Cell.is_caught, every, chunksize=20)]
    passed = [str(c) for c, yes in zip(every, caught, strict=True) if not yes]
    lines = [
        "# Written by `PYTHONPATH=tests python -m conformance.matrix`.",
        "passed = [",
        *(f"  {json.dumps(line)}," for line in passed),
        "]",
        "[counts]",
        *(f"{word} = {count}" for word, count in counts().items()),
        "",
    ]
    HERE.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main()
