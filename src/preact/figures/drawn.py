"""The numbers behind a picture, read from what was drawn.

A line gives its points, a bar its length, a band or an error bar the ends of
its range. An artist's label names it; one that begins with an underscore is
in no legend, and names it all the same. `AID` is the label of what is drawn
to guide the eye and has no numbers of its own.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from preact.figures.lines import on_one_line

AID = "_aid"
UNNAMED = ("_child", "_nolegend_", "_container")
COLUMNS = ("panel", "series", "number", "x", "y", "low", "high")

NUMBER = re.compile(r"[−-]?[\d.]*")

Values = Sequence[float | str]


class Series(NamedTuple):
    """One line, set of points, band or row of bars of a panel.

    Parameters
    ----------
    panel, name : str
        As the reader knows them; the panel by its title or vertical axis.
    x, y : sequence of n
        Numbers, or what stands at the axis in their place; "" is none.
    low, high : sequence of n, or empty
        Ends of the range around each point.
    labels : (str, str)
        Of both axes.
    """

    panel: str
    name: str
    x: Values
    y: Values
    low: Values = ()
    high: Values = ()
    labels: tuple[str, str] = ("", "")


def table(series: Sequence[Series], words: dict[str, str]) -> str:
    """Write series as CSV of full precision, a line for each point.

    Parameters
    ----------
    series : sequence of Series
        Of one picture.
    words : dict
        A name for each of `COLUMNS`; an axis that all share has its own.
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
        first = [one.panel, one.name, seen[one.panel, one.name]]
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
    return (
        str(int(value))
        if abs(value) < 1e15 and value == int(value)
        else (repr(value))
    )


def drawn(figure: Figure) -> tuple[Series, ...]:
    """Return what the panels of a figure show, as it was drawn."""
    return tuple(one for ax in figure.axes for one in _panel(ax))


def _panel(ax: Axes) -> Iterator[Series]:
    """Return the series of a panel: bars, curves, areas, spans."""
    supx = getattr(ax.figure, "_supxlabel", None)
    labels = (
        ax.get_xlabel() or (supx.get_text() if supx else ""),
        ax.get_ylabel() or ax.get_title() or ax.get_title("left"),
    )
    panel = ax.get_title() or ax.get_title("left") or labels[1]
    for one in (*_rows_of_bars(ax), *_curves(ax), *_spans(ax)):
        x, y = _named(ax.xaxis, one.x), _named(ax.yaxis, one.y)
        ends = tuple(one.low), tuple(one.high)
        yield Series(panel, one.name, x, y, *ends, labels)


class _Shape(NamedTuple):
    """What one artist shows, numbers as they were drawn."""

    name: str
    x: Any
    y: Any
    low: Any = ()
    high: Any = ()


def _rows_of_bars(ax: Axes) -> Iterator[_Shape]:
    for held in ax.containers:
        if isinstance(held, BarContainer):
            yield _Shape(_label(held), *_bars(held))


def _curves(ax: Axes) -> Iterator[_Shape]:
    """Yield lines with the ranges around them, then areas without a line."""
    errors: dict[Line2D, tuple[list[float], list[float]]] = {}
    caps: set[Line2D] = set()
    for held in ax.containers:
        if isinstance(held, ErrorbarContainer):
            held[0].set_label(held.get_label())
            errors[held[0]] = _error(held)
            caps.update(held[1])
    bands = [_band(c) for c in ax.collections if isinstance(c, PolyCollection)]
    names: dict[str, str] = {}
    for line in ax.lines:
        x, y = (np.asarray(v, dtype=float) for v in line.get_data())
        if not len(x) or line in caps or line.get_label() == AID:
            continue
        color = to_hex(line.get_color())
        name = names[color] = _label(line) or names.get(color, "")
        if not line.get_transform().contains_branch(ax.transData):
            if _label(line):  # one number, across the panel
                yield _Shape(name, [""], y[:1])
            continue
        around = [
            b for b in bands if b.color == color and np.array_equal(b.x, x)
        ]
        low, high = errors.get(line, ((), ()))
        if around:
            bands.remove(around[0])
            low, high = around[0].low, around[0].high
        yield _Shape(name, x, y, low, high)
    for band in bands:
        yield _Shape(band.name, band.x, band.high, band.low, band.high)


def _spans(ax: Axes) -> Iterator[_Shape]:
    """Yield the named stretches of the horizontal axis."""
    for patch in ax.patches:
        if patch.get_label() and _label(patch):
            transform = patch.get_patch_transform()
            ends = patch.get_path().get_extents(transform).get_points()
            yield _Shape(_label(patch), ends[:, 0], ["", ""])


def _label(artist: Any) -> str:
    """Return what names an artist, or "" if nothing does."""
    label = str(artist.get_label())
    return "" if label.startswith(UNNAMED) else label.removeprefix("_")


def _named(axis: Any, values: Any) -> tuple[float | str, ...]:
    """Put names of an axis in the place of the numbers they stand at."""
    values = [v if isinstance(v, str) else float(v) for v in values]
    locator, form = axis.get_major_locator(), axis.get_major_formatter()
    named = isinstance(locator, FixedLocator)
    named = named and isinstance(form, FuncFormatter)
    ticks = np.asarray(locator() if named else [], dtype=float)
    if not len(ticks) or axis.get_scale() != "linear":
        return tuple(values)
    names = [form(tick, i) for i, tick in enumerate(ticks)]
    told = any(n != f"{t:g}" for t, n in zip(ticks, names, strict=True))
    steps = [abs(b - a) for a, b in pairwise(ticks)]
    listed = told and (len(ticks) == 1 or set(steps) == {1.0})
    out: list[float | str] = []
    for value in values:
        if isinstance(value, str):
            out.append(value)
            continue
        near = int(np.abs(ticks - value).argmin())
        here = abs(ticks[near] - value) <= (0.5 if listed else 1)
        word = (
            names[near]
            and here
            and (listed or not NUMBER.fullmatch(names[near]))
        )
        out.append(names[near] if word else value)
    return tuple(out)


def _bars(bars: BarContainer) -> tuple[list[float], list[float]]:
    """Return places and lengths of bars that lie or stand."""
    boxes = list(bars.patches)
    if bars.orientation == "horizontal":
        middle = [box.get_y() + box.get_height() / 2 for box in boxes]
        return [box.get_width() for box in boxes], middle
    middle = [box.get_x() + box.get_width() / 2 for box in boxes]
    return middle, [box.get_height() for box in boxes]


def _error(held: ErrorbarContainer) -> tuple[list[float], list[float]]:
    """Return the ends of error bars along their direction."""
    along = 0 if held.has_xerr else 1
    ends = [
        sorted(float(point[along]) for point in segment)
        for segment in held[2][0].get_segments()
    ]
    return [low for low, _ in ends], [high for _, high in ends]


class _Band(NamedTuple):
    color: str
    name: str
    x: Any
    low: Any
    high: Any


def _band(area: PolyCollection) -> _Band:
    """Read an area between two curves from its outline."""
    outline = np.asarray(area.get_paths()[0].vertices)
    n = (len(outline) - 3) // 2
    one, other = outline[1 : n + 1], outline[n + 2 : 2 * n + 2][::-1]
    face: Any = area.get_facecolor()
    ends = np.sort([one[:, 1], other[:, 1]], axis=0)
    return _Band(to_hex(face[0]), _label(area), one[:, 0], *ends)
