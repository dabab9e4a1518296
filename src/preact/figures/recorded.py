"""Runs of one's own: errors, learning curves and gradients, as a file."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from preact.figures.style import MM, RC, quiet
from preact.figures.svg import INK
from preact.figures.variants import COLORS, MARKERS
from preact.records.compare import half_interval

PANELS = ("errors", "curves", "gradients")
"""What `recorded` draws, from left to right."""
# In turn for what has no color of the book's; no two of 42 look alike.
SPARE = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#7f7f7f")
FACES = "d<>p*hX"  # markers that can be hollow
WIDTH, ACROSS = 183, 3  # mm of a page of two columns; panels side by side
TALLEST = 2  # times as high as wide
LINE = 125  # characters of a caption
LABEL = 26  # of the name of a line
LOOK: Any = (
    RC
    | {name: "black" for name, color in RC.items() if color == INK}
    | {
        "axes.linewidth": 0.6,
        "axes.titlesize": 8,
        "figure.facecolor": "white",
        "font.size": 7,
        "lines.linewidth": 1.2,
        "lines.markersize": 4,
        "pdf.fonttype": 42,  # text that can be edited
        "savefig.transparent": False,
    }
)


@dataclass(frozen=True, kw_only=True)
class Runs:
    """Runs that differ in nothing but their seeds.

    Parameters
    ----------
    name : str
        As the picture has it.
    row : str
        Its color and marker, where it is one of the paper's.
    errors_pct : sequence of float
        Test error of each seed, in percent.
    curves : sequence of mapping
        Of each seed: "iteration" and "test_error_pct", sequences of float,
        empty where none was kept.
    gradients : sequence of (L + 1,) sequences
        Of each seed: |dE/dx_l| at the last iteration that was watched.
    dashed : bool
        Whether it is drawn dashed and with hollow markers, as the second
        line of its row.
    """

    name: str
    row: str
    errors_pct: Sequence[float]
    curves: Sequence[Mapping[str, Sequence[float]]] = field(default=())
    gradients: Sequence[Sequence[float]] = field(default=())
    dashed: bool = False


@quiet()
def recorded(
    facets: Mapping[str, Sequence[Runs]],
    panels: Sequence[str] = PANELS,
    title: str = "",
    caption: str = "",
) -> Figure:
    """Draw recorded runs, the panels of a facet beside each other.

    "errors": a dot for each seed, a bar at the median, its value at the
    right, and from three seeds on the 95 % interval of the mean. "curves":
    the test error by iteration, the median and, shaded, least and greatest;
    a run that ended early keeps its recorded error. "gradients": |dE/dx_l| by
    unit at the last watched iteration, likewise.

    Parameters
    ----------
    facets : mapping of str to sequence of Runs
        By what stands above their panels.
    panels : sequence of str
        Some of `PANELS`.
    title, caption : str
        Above and below all panels.

    Returns
    -------
    Figure
        matplotlib's; `figure.savefig("own.svg")` writes it.

    Examples
    --------
    >>> from preact.figures.recorded import Runs, recorded
    >>> runs = [Runs(name="mine", row="mine", errors_pct=[4.2, 4.9, 5.6])]
    >>> len(recorded({"ResNet-20": runs}, ["errors"]).axes)
    1
    """
    lines = max(map(len, facets.values()))
    abreast, height = (1 if len(panels) > 1 else ACROSS), math.inf
    wide = 0  # pages side by side, so that it is no tall strip
    while height > TALLEST * wide * WIDTH:
        wide += 1
        strips = math.ceil(len(facets) / (wide * abreast))
        height = strips * max(48, 15 + 6 * lines) + 8
        height += 4 * len(caption) / (LINE * wide)
    across = min(wide * abreast, len(facets)) * len(panels)
    with mpl.rc_context(LOOK):
        size = (wide * WIDTH * MM, height * MM)
        figure = Figure(figsize=size, layout="constrained", dpi=200)
        axes = figure.subplots(strips, across, squeeze=False)
        drawn: dict[str, list[Axes]] = {panel: [] for panel in panels}
        cells = [(facet, panel) for facet in facets for panel in panels]
        for ax in axes.flat[len(cells) :]:
            ax.set_axis_off()
        every = [
            error
            for runs in facets.values()
            for one in runs
            for error in one.errors_pct
        ]
        for (facet, panel), ax in zip(cells, axes.flat, strict=False):
            if panel == "errors":
                _scale(ax, every)
            DRAWN[panel](ax, facets[facet])
            drawn[panel].append(ax)
            if panel == panels[0]:
                room = LINE if len(panels) > 1 else LABEL
                ax.set_title(textwrap.fill(facet, room), loc="left")
        if [*panels] == ["errors"]:
            names = [[one.name for one in runs] for runs in facets.values()]
            for i in range(1, len(names)):
                if i % across and names[i] == names[i - 1]:
                    drawn["errors"][i].tick_params(labelleft=False)
        for panel in {*panels} - {"errors"}:
            _same_limits(drawn[panel])
        if "errors" not in panels:  # which names its lines
            handles, labels = axes[0, 0].get_legend_handles_labels()
            labels = [textwrap.fill(label, LABEL) for label in labels]
            figure.legend(handles, labels, loc="outside right center")
        title = textwrap.fill(title, LINE * wide * 7 // 10)  # larger, bold
        figure.suptitle(title, x=0.01, ha="left", fontsize=9, weight="bold")
        words = textwrap.fill(caption, LINE * wide)
        figure.supxlabel(words, x=0.01, ha="left", fontsize=7)
    return figure


def _same_limits(axes: Sequence[Axes]) -> None:
    """Let facets be compared: one scale for all."""
    axes = [ax for ax in axes if ax.axison]
    limits = [ax.get_ylim() for ax in axes] or [(0.1, 1.0)]
    low, high = min(ends[0] for ends in limits), max(e[1] for e in limits)
    for ax in axes:
        ax.set_ylim(low, high)


def _styles(runs: Sequence[Runs]) -> list[dict[str, Any]]:
    """Color, marker and stroke for each: the book's for the paper's rows."""
    spare = zip(cycle(SPARE), cycle(FACES), strict=False)
    by_row: dict[str, tuple[str, str]] = {}
    for one in runs:
        if one.row in COLORS and one.row in MARKERS:
            by_row[one.row] = COLORS[one.row], MARKERS[one.row]
        elif one.row not in by_row:
            by_row[one.row] = next(spare)
    return [
        {
            "color": by_row[one.row][0],
            "marker": by_row[one.row][1],
            "ls": "--" if one.dashed else "-",
            "mfc": "white" if one.dashed else by_row[one.row][0],
        }
        for one in runs
    ]


def _scale(ax: Axes, errors_pct: Sequence[float]) -> None:
    """Set an axis of errors: one for all facets, so that they compare."""
    least, most = min(errors_pct), max(errors_pct)
    if 0 < 5 * least < most:
        ax.set_xscale("log")
        ax.set_xlim(least / 1.5, min(most * 1.3, 110))
        ax.set_xticks([1, 2, 5, 10, 20, 50, 100], minor=False)
        ax.set_xticks([], minor=True)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlim(least / 1.5, min(most * 1.3, 110))
    else:
        ax.set_xlim(0, min(most * 1.1, 105) or 1)


def _errors(ax: Axes, runs: Sequence[Runs]) -> None:
    low, high = ax.get_xlim()
    for i, (one, style) in enumerate(zip(runs, _styles(runs), strict=True)):
        color, values = style["color"], np.array(one.errors_pct)
        if (half := half_interval(one.errors_pct)) is not None:
            mean = values.mean()
            ends = [max(mean - half, low), min(mean + half, high)]
            ax.plot(ends, [-i] * 2, color=color, lw=0.8, zorder=1)
            arrow = {"color": color, "ms": 3, "clip_on": False}
            if mean - half < low:  # it goes on beyond the frame
                ax.plot(low, -i, "<", **arrow)
            if mean + half > high:
                ax.plot(high, -i, ">", **arrow)
        dots = style | {"ls": "", "alpha": 0.8}
        ax.plot(values, np.full(len(values), -i), **dots)
        median = float(np.median(values))
        ax.plot([median] * 2, [-i - 0.35, -i + 0.35], color=color)
        side = ax.get_yaxis_transform()
        ax.text(1.04, -i, f"{median:.1f}", transform=side, va="center")
    names = [textwrap.fill(one.name, LABEL) for one in runs]
    ax.set_yticks([-i for i in range(len(runs))], names)
    for label, style in zip(ax.get_yticklabels(), _styles(runs), strict=True):
        label.set_color(style["color"])
    scale = ", logarithmic" if ax.get_xscale() == "log" else ""
    ax.set(xlabel=f"test error, %{scale}", ylim=(0.6 - len(runs), 0.6))


def _curves(ax: Axes, runs: Sequence[Runs]) -> None:
    for one, style in zip(runs, _styles(runs), strict=True):
        _band(ax, _errors_at(one), style, one.name)
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
    medians = []
    for one, style in zip(runs, _styles(runs), strict=True):
        at: dict[float, list[float]] = {}
        for gradient in one.gradients:
            for unit, value in enumerate(gradient):
                if np.isfinite(value) and value > 0:
                    at.setdefault(unit, []).append(value)
        _band(ax, at, style, one.name)
        medians += [float(np.median(values)) for values in at.values()]
    ax.set(yscale="log", xlabel="unit $l$")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylabel(r"$|\partial E/\partial x_l|$")
    if medians:  # a run that diverged would leave the others no room
        ax.set_ylim(min(medians) / 10, max(medians) * 10)
    else:
        ax.set_axis_off()


def _band(
    ax: Axes,
    at: Mapping[float, Sequence[float]],
    style: Mapping[str, Any],
    name: str,
) -> None:
    """Draw the median, and what lies between least and greatest."""
    x = sorted(at)
    low, mid, high = (
        [float(find(at[value])) for value in x]
        for find in (min, np.median, max)
    )
    often = max(len(x) // 8, 1)
    ax.plot(x, mid, markevery=often, ms=3, label=name, **style)
    ax.fill_between(x, low, high, color=style["color"], alpha=0.12, lw=0)


DRAWN = {"errors": _errors, "curves": _curves, "gradients": _gradients}
