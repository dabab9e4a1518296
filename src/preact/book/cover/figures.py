"""The cover: a network by depth and by time, in one picture.

Its panels are drawn by hand: thousands of cells share a few dozen paths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from preact.book.panels import text
from preact.figures import svg
from preact.figures.chart import Array
from preact.figures.series import Series
from preact.figures.style import Picture
from preact.figures.variants import row_name
from preact.strings import Strings

Levels = np.ndarray[Any, np.dtype[np.int_]]

LOUD, QUIET = "#cf3f4f", "#4a6fd0"  # of operations, not of variants
FULL = 7  # powers of ten at which a color is at its strongest
LEVELS = 14  # steps of opacity
# What is smaller is hatched, so that gray paper tells it from what is larger.
HATCH = (
    '<pattern id="smaller" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><path d="M3 0v6" stroke="currentColor" '
    'stroke-opacity=".5"/></pattern>'
)
WIDTH, LEFT, PLOT, TOP, GAP = 336, 34, 298, 58, 30
INK_STRENGTH = 0.75  # of all paths open
TALL, LOW = 20, 13  # height of one moment's band in both maps


class Course(NamedTuple):
    """One network in training: a line for each moment, an entry for each x_l.

    Its gradients |dE/dx_l| / |dE/dx_L|, the shares of coordinates whose
    shortcut no ReLU has closed, and its test error at the end in percent.
    """

    gradient: Array
    open_share: Array
    error_pct: float


def depth_and_time(
    courses: Mapping[str, Course],
    moments: Sequence[int],
    stages: Sequence[int],
    strings: Strings,
) -> Picture:
    """Draw gradient and open share by unit and iteration, row by row.

    The moments are the iterations of a course's lines; a new stage begins with
    each unit of `stages`.
    """
    parts = Picture(())
    for row, course in courses.items():
        name = row_name(row, strings)
        error = strings("cover.error", value=f"{course.error_pct:.0f}")
        drawing = _panel(course, moments, stages, (name, error), strings)
        alt = strings(
            "cover.alt",
            name=name,
            error=error,
            moments=strings.join([str(i) for i in moments]),
            gradient=strings.join(
                [strings.two_digits(v) for v in course.gradient[:, 0]]
            ),
            open=strings.join([f"{v:.2f}" for v in course.open_share[:, -1]]),
        )
        series = _numbers(name, course, moments, strings)
        parts += replace(Picture.of(svg.slim(drawing), alt), series=series)
    return parts + Picture.of(svg.slim(_legend(strings)), strings("cover.key"))


def _numbers(
    name: str, course: Course, moments: Sequence[int], strings: Strings
) -> tuple[Series, ...]:
    """Return both maps: a series for each moment, over the units."""
    maps = {"gradient": course.gradient, "open": course.open_share}
    units = list(range(course.gradient.shape[1]))
    return tuple(
        Series(
            f"{name}: {strings(f'cover.{what}')}",
            strings("drawn.iteration", moment=moment),
            units,
            line.tolist(),
            labels=(strings("drawn.depth"), ""),
        )
        for what, lines in maps.items()
        for moment, line in zip(moments, lines, strict=True)
    )


def _panel(
    course: Course,
    moments: Sequence[int],
    stages: Sequence[int],
    titles: tuple[str, str],
    strings: Strings,
) -> str:
    """Draw one network: its gradient above, its open paths below."""
    name, error = titles
    units = course.gradient.shape[1] - 1
    logs = np.log10(np.maximum(course.gradient, 1e-300)) / FULL
    opened = _levels(course.open_share)
    below = TOP + TALL * len(moments) + GAP
    foot = below + LOW * len(moments)
    parts = [
        text(0, 14, name, "font-weight:600;font-size:14px"),
        text(0, 32, error),
        text(LEFT, TOP - 6, strings("cover.gradient")),
        _powers(logs, TOP, TALL),
        text(LEFT, below - 6, strings("cover.open")),
        _map(opened, below, LOW, "currentColor", INK_STRENGTH),
    ]
    for top, high in (TOP, TALL), (below, LOW):
        for i, moment in enumerate(moments):
            y = top + high * (i + 0.5) + 4
            parts.append(text(LEFT - 6, y, str(moment), anchor="end"))
        box = f"M{LEFT} {top}h{PLOT}v{high * len(moments)}h{-PLOT}z"
        lines = "".join(
            f"M{LEFT + PLOT * unit / units:.1f} {top}v{high * len(moments)}"
            for unit in stages
        )
        parts.append(_lines(box + lines))
    for unit in (0, *stages, units):
        anchor = {0: "start", units: "end"}.get(unit, "middle")
        x = LEFT + PLOT * unit / units
        parts.append(text(x, foot + 15, str(unit), anchor=anchor))
    parts.append(
        text(LEFT + PLOT / 2, foot + 32, strings("cover.axis"), "", "middle")
    )
    return _svg(parts, foot + 38)


def _powers(logs: Array, top: float, high: float) -> str:
    """Draw what is larger than 1 in one color, what is smaller hatched."""
    larger, smaller = (_levels(np.maximum(v, 0)) for v in (logs, -logs))
    hatched = _boxes(np.minimum(smaller, 1), top, high).get(1, "")
    return (
        HATCH
        + _map(larger, top, high, LOUD)
        + _map(smaller, top, high, QUIET)
        + f'<path d="{hatched}" fill="url(#smaller)"/>'
    )


def _levels(shares: Array) -> Levels:
    return np.rint(np.clip(shares, 0, 1) * LEVELS).astype(int)


def _map(
    levels: Levels, top: float, high: float, color: str, strength: float = 1
) -> str:
    """Draw levels as opacity; a cell's edges meet the next one's."""
    return "".join(
        f'<path d="{cells}" fill="{color}" '
        f'fill-opacity="{strength * level / LEVELS:.2f}" '
        'shape-rendering="crispEdges"/>'
        for level, cells in sorted(_boxes(levels, top, high).items())
        if level
    )


def _boxes(levels: Levels, top: float, high: float) -> dict[int, str]:
    """Return the cells of each level, equal neighbors as one, as a path."""
    cell = PLOT / levels.shape[1]
    paths: dict[int, str] = {}
    for i, line in enumerate(levels):
        edges = [0, *(np.flatnonzero(np.diff(line)) + 1), len(line)]
        for start, end in pairwise(edges):
            left, right = LEFT + cell * start, LEFT + cell * end
            level, y = int(line[start]), top + high * i
            paths[level] = paths.get(level, "") + (
                f"M{left:.1f} {y:g}H{right:.1f}v{high}H{left:.1f}z"
            )
    return paths


def _legend(strings: Strings) -> str:
    """Explain the colors: from quiet to loud, and from shut to open."""
    signed = np.arange(-LEVELS, LEVELS + 1) / LEVELS
    opened = np.arange(LEVELS + 1)
    right, middle = LEFT + PLOT, LEFT + PLOT / 2
    frame = f"M{LEFT} {{}}h{PLOT}v12h{-PLOT}z"
    parts = [
        _powers(signed[None], 20, 12),
        _map(opened[None], 70, 12, "currentColor", INK_STRENGTH),
        _lines(frame.format(20) + frame.format(70)),
        text(LEFT, 14, strings("cover.quiet")),
        text(right, 14, strings("cover.loud"), anchor="end"),
        text(LEFT, 46, "10⁻⁷"),
        text(middle, 46, "1", anchor="middle"),
        text(right, 46, "10⁷", anchor="end"),
        text(LEFT, 64, strings("cover.shut")),
        text(right, 64, strings("cover.opened"), anchor="end"),
        text(LEFT, 96, "0"),
        text(right, 96, "1", anchor="end"),
    ]
    return _svg(parts, 102)


def _lines(path: str) -> str:
    """Draw frames and the ends of stages."""
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" '
        'stroke-opacity=".45"/>'
    )


def _svg(parts: list[str], height: float) -> str:
    return (
        f'<svg xmlns="{svg.SVG}" viewBox="0 0 {WIDTH} {height:g}" '
        f'style="width:{WIDTH}px;font-size:12px">{"".join(parts)}</svg>'
    )
