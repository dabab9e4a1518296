"""Runs of one's own: errors, learning curves and gradients, as a file.

Chapter `08-training`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from preact.figures.style import MM, RC
from preact.figures.svg import INK
from preact.figures.variants import color_of, marker_of

PANELS = ("errors", "curves", "gradients")
"""What `recorded` draws, from left to right."""
# Quantiles of Student's t, 97.5 %, by degrees of freedom from 1.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


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
        Of each seed: "iteration" and "test_error_pct", sequences of float.
    gradients : sequence of (L + 1,) sequences
        Of each seed: |dE/dx_l| at the last iteration that was watched.
    """

    name: str
    row: str
    errors_pct: Sequence[float]
    curves: Sequence[Mapping[str, Sequence[float]]] = field(default=())
    gradients: Sequence[Sequence[float]] = field(default=())


def half_interval(values: Sequence[float]) -> float | None:
    """Half of the 95 % interval of a mean, by Student's t.

    Returns
    -------
    float or None
        None for a single value; beyond eleven values the normal quantile is
        near enough, and wider by the usual correction.

    Examples
    --------
    >>> from preact.figures.recorded import half_interval
    >>> round(half_interval([4.2, 4.4, 4.9, 5.0, 5.6]), 2)
    0.68
    """
    n = len(values)
    if n < 2:
        return None
    freedom = n - 1
    t = T[freedom - 1] if freedom <= len(T) else 1.96 + 2.4 / freedom
    return float(t * np.std(values, ddof=1) / np.sqrt(n))


def recorded(
    runs: Sequence[Runs], panels: Sequence[str] = PANELS, title: str = ""
) -> Figure:
    """Draw recorded runs beside each other.

    "errors": a dot for each seed, a bar at the median, and the 95 % interval
    of the mean. "curves": the test error by iteration, the median and, shaded,
    least and greatest. "gradients": |dE/dx_l| by unit at the last watched
    iteration, likewise.

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
        figure.legend(loc="outside lower center", ncols=2, fontsize=8)
        if title:
            figure.suptitle(title, fontsize=10)
    return figure


def _styles(runs: Sequence[Runs]) -> list[dict[str, Any]]:
    """A color and marker for each: the book's own for the paper's rows."""
    styles: list[dict[str, Any]] = []
    taken: set[str] = set()
    spare = (f"C{i}" for i in range(10_000))
    for one in runs:
        color = color_of(one.row)
        if color in taken:
            color = next(spare)
        taken.add(color)
        styles.append({"color": color, "marker": marker_of(one.row)})
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
        at: dict[float, list[float]] = {}
        for curve in one.curves:
            for x, y in zip(*_points(curve), strict=True):
                at.setdefault(x, []).append(y)
        _band(ax, at, style)
    ax.set(xlabel="iteration", ylabel="test error, %", ylim=(0, None))


def _points(
    curve: Mapping[str, Sequence[float]],
) -> tuple[list[float], list[float]]:
    """Iterations at which the test error was measured, and the errors."""
    pairs = zip(curve["iteration"], curve["test_error_pct"], strict=True)
    known = [(x, y) for x, y in pairs if np.isfinite(y)]
    return [x for x, _ in known], [y for _, y in known]


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
    ax.plot(x, mid, color=style["color"])
    ax.fill_between(x, low, high, color=style["color"], alpha=0.2, lw=0)


DRAWN = {"errors": _errors, "curves": _curves, "gradients": _gradients}
