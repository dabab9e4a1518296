"""Runs of one's own: errors, learning curves and gradients, as a file."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from preact.figures.style import MM, RC, quiet
from preact.figures.svg import INK
from preact.figures.variants import COLORS, MARKERS
from preact.records.compare import half_interval

# In turn for what has no color of the book's; no two of 42 look alike.
SPARE = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#7f7f7f")
FACES = "*>p<hXd"  # markers that can be hollow
WIDTH = 183 * MM  # a page of two columns
NAME = 26  # letters in a line of a name
BELOW = 0.36  # a row from the dots, which would hide an interval
WHOLE = partial(MaxNLocator, "auto", steps=[1, 2, 5, 10], integer=True)
LOOK: Any = (
    RC
    | {name: "black" for name, color in RC.items() if color == INK}
    | {
        "axes.linewidth": 0.6,
        "axes.titlesize": 8,
        "figure.facecolor": "white",
        "font.size": 7,
        "lines.linewidth": 0.8,
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
    name, row : str
        As the picture has it; its color and marker, where it is the paper's.
    errors_pct, diverged : sequence of float and of bool
        Test error of each seed, in percent, and whether its run diverged.
    curves : sequence of mapping
        Of each seed: "iteration" and "test_error_pct", sequences of float,
        empty where none was kept.
    gradients : sequence of (L + 1,) sequences
        |dE/dx_l| at the last iteration, of seeds whose runs finished.
    dashed : bool
        Whether it is drawn dashed and with hollow markers, as the second
        line of its row.
    """

    name: str
    row: str
    errors_pct: Sequence[float]
    diverged: Sequence[bool]
    curves: Sequence[Mapping[str, Sequence[float]]] = field(default=())
    gradients: Sequence[Sequence[float]] = field(default=())
    dashed: bool = False


@quiet()
def recorded(facets: Mapping[str, Sequence[Runs]]) -> Figure:
    """Draw recorded runs, a row of panels for each facet.

    Errors: a dot for each seed, a bar at the median, its value at the right,
    and below, from three seeds on, the mean and its 95 % interval. The test
    error by iteration, and |dE/dx_l| by unit: a line for each seed. A cross
    is a run that diverged.

    Parameters
    ----------
    facets : mapping of str to sequence of Runs
        By what stands above their panels.

    Returns
    -------
    Figure
        matplotlib's; `figure.savefig("own.svg")` writes it.

    Examples
    --------
    >>> from preact.figures.recorded import Runs, recorded
    >>> errors, none = [4.2, 4.9, 5.6], [False] * 3
    >>> runs = [Runs(name="a", row="a", errors_pct=errors, diverged=none)]
    >>> len(recorded({"ResNet-20": runs}).axes)
    3
    """
    every = [one for runs in facets.values() for one in runs]
    looks = _looks(every)
    heights = [
        MM * max(48, 15 + sum(5 + 3 * _named(one).count("\n") for one in runs))
        for runs in facets.values()
    ]
    with mpl.rc_context(LOOK):
        figure = Figure(
            figsize=(WIDTH, sum(heights)), layout="constrained", dpi=200
        )
        axes = figure.subplots(
            len(facets), 3, squeeze=False, height_ratios=heights
        )
        for (facet, runs), row in zip(facets.items(), axes, strict=True):
            styles = [
                looks[one.row]
                | {
                    "ls": "--" if one.dashed else "-",
                    "mfc": "white" if one.dashed else looks[one.row]["color"],
                }
                for one in runs
            ]
            row[0].set_title(facet, loc="left")
            _scale(row[0], every)
            for ax, draw in zip(
                row, (_errors, _curves, _gradients), strict=True
            ):
                draw(ax, runs, styles)
    return figure


def _looks(runs: Sequence[Runs]) -> dict[str, dict[str, Any]]:
    """Color and marker of each row: the book's for the paper's."""
    spare = zip(cycle(SPARE), cycle(FACES), strict=False)
    looks = {}
    for row in dict.fromkeys(one.row for one in runs):
        known = row in COLORS and row in MARKERS
        look = (COLORS[row], MARKERS[row]) if known else next(spare)
        looks[row] = dict(zip(("color", "marker"), look, strict=True))
    return looks


def _named(one: Runs) -> str:
    """Name runs, in lines that are short."""
    return textwrap.fill(one.name, NAME)


def _scale(ax: Axes, runs: Sequence[Runs]) -> None:
    """Set an axis of errors: one for all facets, so that they compare."""
    errors = [error for one in runs for error in one.errors_pct]
    least, most = min(errors), max(errors)
    if 0 < 5 * least < most:
        ax.set_xscale("log")
        ax.set_xticks([1, 2, 5, 10, 20, 50, 100], minor=False)
        ax.set_xticks([], minor=True)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlim(least / 1.5, min(most * 1.5, 110))
    else:
        ax.set_xlim(0, min(most * 1.2, 102) or 1)


def _errors(
    ax: Axes, runs: Sequence[Runs], styles: Sequence[Mapping[str, Any]]
) -> None:
    for i, (one, style) in enumerate(zip(runs, styles, strict=True)):
        color, n = style["color"], len(one.errors_pct)
        mean, median = np.mean(one.errors_pct), np.median(one.errors_pct)
        half = half_interval(one.errors_pct)
        if half is not None:
            ends = [mean - half, mean + half]
            ax.plot(ends, [-i - BELOW] * 2, color=color)
            ax.plot(mean, -i - BELOW, "|", color=color)
        step = min(0.1, 0.5 / n)  # or equal seeds would hide each other
        for k, (x, cross) in enumerate(
            zip(one.errors_pct, one.diverged, strict=True)
        ):
            dot = {"ls": "", "alpha": 0.8} | ({"marker": "x"} if cross else {})
            ax.plot(x, step * (k - (n - 1) / 2) - i, **{**style, **dot})
        ax.plot(median, -i, "|", color=color, ms=13, mew=1.2)
        side: Any = {"transform": ax.get_yaxis_transform(), "va": "center"}
        ax.text(1.02, -i, f"{median:.1f}", color=color, **side)
    ax.set_yticks([-i for i in range(len(runs))], [*map(_named, runs)])
    for label, style in zip(ax.get_yticklabels(), styles, strict=True):
        label.set_color(style["color"])
    scale = ", logarithmic" if ax.get_xscale() == "log" else ""
    ax.set(xlabel=f"test error, %{scale}", ylim=(0.45 - len(runs), 0.6))


def _curves(
    ax: Axes, runs: Sequence[Runs], styles: Sequence[Mapping[str, Any]]
) -> None:
    for one, style in zip(runs, styles, strict=True):
        for curve, cross in zip(one.curves, one.diverged, strict=False):
            points = [
                (x, y)
                for x, y in zip(
                    curve["iteration"], curve["test_error_pct"], strict=True
                )
                if np.isfinite(y)
            ]
            if points:
                ax.plot(*zip(*points, strict=True), ms=2.5, **style)
            if points and cross:
                ax.plot(*points[-1], "x", color=style["color"])
    ax.set(xlabel="iteration", ylabel="test error, %", ylim=(0, None))
    ax.xaxis.set_major_locator(WHOLE())


def _gradients(
    ax: Axes, runs: Sequence[Runs], styles: Sequence[Mapping[str, Any]]
) -> None:
    for one, style in zip(runs, styles, strict=True):
        for norms in one.gradients:
            often = len(norms) // 8 + 1
            ax.plot(norms, ms=2.5, markevery=often, **style)
    ax.set(yscale="log", xlabel="unit $l$")
    ax.set_ylabel(r"$|\partial E/\partial x_l|$")
    low, high = ax.get_ylim()
    if high < 100 * low:  # two powers of ten tell the scale
        ends = np.floor(np.log10(low)), np.ceil(np.log10(high))
        ax.set_ylim(*np.power(10.0, ends))
    ax.xaxis.set_major_locator(WHOLE())
    ax.yaxis.set_minor_formatter(NullFormatter())
    if not any(one.gradients for one in runs):
        ax.set_axis_off()
