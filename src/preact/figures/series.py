"""The numbers behind a picture, which the page offers as CSV."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from preact.figures.lines import on_one_line

COLUMNS = ("panel", "series", "number", "x", "y", "low", "high")

Values = Sequence[float | str]


class Series(NamedTuple):
    """One line, set of points, band or row of bars of a panel.

    `x` and `y` are numbers, or what stands at the axis in their place, "" for
    none; `low` and `high` the ends around each point; `labels` those of the
    axes. The panel is called by its title or its vertical axis.
    """

    panel: str
    name: str
    x: Values
    y: Values
    low: Values = ()
    high: Values = ()
    labels: tuple[str, str] = ("", "")


def table(series: Sequence[Series], words: dict[str, str]) -> str:
    """Write series of one picture as CSV of full precision, a line a point.

    `words` names each of `COLUMNS`; an axis that all share has its own name.
    """
    ranges = any(len(one.low) for one in series)
    used = COLUMNS if ranges else COLUMNS[:-2]
    head = {name: words[name] for name in used}
    for place, axis in enumerate("xy"):
        labels = {one.labels[place] for one in series}
        if len(labels) == 1:
            head[axis] = on_one_line(labels.pop()) or words[axis]
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(head.values())
    seen: Counter[tuple[str, str]] = Counter()
    for one in series:
        seen[one.panel, one.name] += 1
        said = on_one_line(one.panel), on_one_line(one.name)
        first = [*said, seen[one.panel, one.name]]
        empty = [""] * len(one.x)
        columns: list[Values] = [one.x, one.y]
        if ranges:
            columns += [one.low or empty, one.high or empty]
        for values in zip(*columns, strict=True):
            write([*first, *map(_text, values)])
    return text.getvalue()


def _text(value: float | str) -> str:
    """Write a number so that reading it gives the same one."""
    if isinstance(value, str):
        return on_one_line(value)
    value = float(value)
    if np.isnan(value):
        return ""
    whole = abs(value) < 1e15 and value == int(value)
    return str(int(value)) if whole else repr(value)
