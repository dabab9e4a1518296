"""Runs of one's own: errors, learning curves and gradients, as a file.

Chapter `09-training`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from preact.figures.style import MM, RC, quiet
from preact.figures.svg import INK
from preact.figures.variants import COLORS, MARKERS
from preact.records.line import half_interval

PANELS = ("errors", "curves", "gradients")
"""What `recorded` draws, from left to right."""
# In turn for what has no color of the book's; no two look alike to anybody.
SPARE = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#7f7f7f")


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Runs that differ in nothing but their seeds.

    Parameters
    ----------
    name : str
        As the legend has it.
    row : str
        Its color and marker, where it is one of the paper's.
    errors_pct : sequence of float
        Test error of each seed, in percent.
    curves : sequence of mapping
        Of each seed: "iteration" and "test_error_pct", sequences of float,
        empty where none was kept.
    gradients : sequence of (L + 1,) sequences
        Of each seed: |dE/dx_l| at the last iteration that was watched.
    """

    name: str
    row: str
    errors_pct: Sequence[float]
    curves: Sequence[Mapping[str, Sequence[float]]] = field(default=())
    gradients: Sequence[Sequence[float]] = field(default=())


@quiet()
def recorded(
    runs: Sequence[Runs], panels: Sequence[str] = PANELS, title: str = ""
) -> Figure:
    """Draw recorded runs beside each other.

    "errors": a dot for each seed, a bar at the median, and from three seeds
    on the 95 % interval of the mean. "curves": the test error by iteration,
    the median and, shaded, least and greatest; a run that ended early keeps
    its recorded error. "gradients": |dE/dx_l| by unit
    at the last watched iteration, likewise.

    Parameters
    ----------
    runs : sequence of Runs
    panels : sequence of str
        Some of `PANELS`.
    title : str
        Above all panels.

    Returns
    -------
    Figure
        matplotlib's; `figure.savefig("own.svg")` writes it.

    Examples
    --------
    >>> from preact.figures.recorded import Runs, recorded
    >>> runs = [Runs(name="mine", row="mine", errors_pct=[4.2, 4.9, 5.6])]
    >>> len(recorded(runs, ["errors"]).axes)
    1
    """
    look = RC | {k: "black" for k, v in RC.items() if v == INK}
    look |= {"figure.facecolor": "white", "savefig.transparent": False}
    with mpl.rc_context(look):
        size = (90 * len(panels) * MM, (60 + 6 * len(runs)) * MM)
        figure = Figure(figsize=size, layout="constrained")
        places = figure.subplots(1, len(panels), squeeze=False)[0]
        for panel, ax in zip(panels, places, strict=True):
            DRAWN[panel](ax, runs)
        for one, style in zip(runs, _styles(runs), strict=True):
            places[0].plot([], [], label=one.name, **style)
        if [*panels] != ["errors"]:  # which names its lines
            figure.legend(loc="outside lower center", ncols=2, fontsize=8)
        if title:
            figure.suptitle(title, fontsize=10)
    return figure


def _styles(runs: Sequence[Runs]) -> list[dict[str, Any]]:
    """A color and marker for each: the book's own for the paper's rows."""
    colors, markers = cycle(SPARE), cycle(MARKERS.values())
    styles: list[dict[str, Any]] = []
    for one in runs:
        color, marker = COLORS.get(one.row), MARKERS.get(one.row)
        if color is None or any(color == s["color"] for s in styles):
            color = next(colors)
        while marker is None or any(
            marker == s["marker"] for s in styles[-len(MARKERS) + 1 :]
        ):
            marker = next(markers)
        styles.append({"color": color, "marker": marker})
    return styles


def _errors(ax: Axes, runs: Sequence[Runs]) -> None:
    for i, (one, style) in enumerate(zip(runs, _styles(runs), strict=True)):
        values = np.array(one.errors_pct)
        ax.plot(values, np.full(len(values), -i), ls="", alpha=0.8, **style)
        median = np.median(values)
        ax.plot([median] * 2, [-i - 0.3, -i + 0.3], color=style["color"])
        if (half := half_interval(one.errors_pct)) is not None:
            mean = values.mean()
            ends = [max(mean - half, 0.0), min(mean + half, 100.0)]
            ax.plot(ends, [-i - 0.3] * 2, color=style["color"], lw=1)
    ax.set_yticks([-i for i in range(len(runs))], [one.name for one in runs])
    ax.set(xlabel="test error, %", xlim=(0, None))


def _curves(ax: Axes, runs: Sequence[Runs]) -> None:
    for one, style in zip(runs, _styles(runs), strict=True):
        _band(ax, _errors_at(one), style)
    ax.set(xlabel="iteration", ylabel="test error, %", ylim=(0, None))


def _errors_at(one: Runs) -> dict[float, list[float]]:
    """Test errors of all seeds by iteration.

    Without those that diverged the median would be that of the survivors.
    """
    if not one.curves:
        return {}
    measured = [
        {
            x: y
            for x, y in zip(
                curve["iteration"], curve["test_error_pct"], strict=True
            )
            if np.isfinite(y)
        }
        for curve in one.curves
    ]
    at: dict[float, list[float]] = {}
    for x in {x for points in measured for x in points}:
        for curve, points, end in zip(
            one.curves, measured, one.errors_pct, strict=True
        ):
            if x in points:
                at.setdefault(x, []).append(points[x])
            elif curve["iteration"] and x > max(points, default=0):
                at.setdefault(x, []).append(end)
    return at


def _gradients(ax: Axes, runs: Sequence[Runs]) -> None:
    for one, style in zip(runs, _styles(runs), strict=True):
        at: dict[float, list[float]] = {}
        for gradient in one.gradients:
            for unit, value in enumerate(gradient):
                if np.isfinite(value) and value > 0:
                    at.setdefault(unit, []).append(value)
        _band(ax, at, style)
    ax.set(yscale="log", xlabel="unit l", ylabel="|dE/dx_l|")


def _band(
    ax: Axes, at: Mapping[float, Sequence[float]], style: Mapping[str, Any]
) -> None:
    """Draw the median, and what lies between least and greatest."""
    x = sorted(at)
    low, mid, high = (
        [float(find(at[value])) for value in x]
        for find in (min, np.median, max)
    )
    ax.plot(x, mid, markevery=max(len(x) // 10, 1), ms=4, **style)
    ax.fill_between(x, low, high, color=style["color"], alpha=0.2, lw=0)


DRAWN = {"errors": _errors, "curves": _curves, "gradients": _gradients}
