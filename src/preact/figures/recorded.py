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
from matplotlib.transforms import ScaledTranslation

from preact.figures.style import MM, RC, quiet
from preact.figures.svg import INK
from preact.figures.variants import COLORS, MARKERS
from preact.records.compare import half_interval

PANELS = ("errors", "curves", "gradients")
"""What `recorded` draws, from left to right."""
# In turn for what has no color of the book's; no two of 42 look alike.
SPARE = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#7f7f7f")
FACES = "*>p<hXd"  # markers that can be hollow
WIDTH = 7.2  # inches: a page of two columns; one of them has about 3.3
PANEL = 60 * MM  # the least width of one
TALLEST = 230 * MM  # what a page has room for
LINE = 19  # characters of a caption in an inch
LABEL, FACET = 26, 32  # of the name of a line, of a panel
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
    name, note : str
        As the picture has it, and what stands in a line below it.
    row : str
        Its color and marker, where it is one of the paper's.
    errors_pct : sequence of float
        Test error of each seed, in percent.
    diverged : sequence of bool
        Whether the run of each seed did; () is none.
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
    note: str = ""
    row: str
    errors_pct: Sequence[float]
    diverged: Sequence[bool] = ()
    curves: Sequence[Mapping[str, Sequence[float]]] = field(default=())
    gradients: Sequence[Sequence[float]] = field(default=())
    dashed: bool = False


@quiet()
def recorded(
    facets: Mapping[str, Sequence[Runs]],
    panels: Sequence[str] = PANELS,
    title: str = "",
    caption: str = "",
    width: float = WIDTH,
) -> Figure:
    """Draw recorded runs, the panels of a facet beside each other.

    "errors": a dot for each seed, a bar at the median, its value at the
    right, and below, from three seeds on, the mean and its 95 % interval.
    "curves": the test error by iteration, the median and, shaded, least and
    greatest; a run that diverged keeps its recorded error. "gradients":
    |dE/dx_l| by unit at the last watched iteration, likewise. A cross is a
    run that diverged.

    Parameters
    ----------
    facets : mapping of str to sequence of Runs
        By what stands above their panels.
    panels : sequence of str
        Some of `PANELS`.
    title, caption : str
        Above and below all panels.
    width : float
        In inches. Where three panels do not fit side by side they stand
        one below the other; letters keep their size.

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
    every = [one for runs in facets.values() for one in runs]
    cells = [(facet, panel) for facet in facets for panel in panels]
    abreast, many = int(width / PANEL) or 1, len(panels)
    across = many * (abreast // many) or 1
    across = min(across, len(cells))
    most = max(_label(one).count("\n") for one in every) + 1
    high = max(map(len, facets.values())) * (3.5 + 2.5 * most)
    high = max(48, 15 + high) * MM
    heights = [
        high if "errors" in {p for _, p in cells[i : i + across]} else 48 * MM
        for i in range(0, len(cells), across)
    ]
    letters = int(LINE * width)
    title = textwrap.fill(title, letters * 7 // 10)  # larger, bold
    caption = textwrap.fill(caption, letters)
    lines = (title and title.count("\n") + 1) or 0
    lines += (caption and caption.count("\n") + 1) or 0
    with mpl.rc_context(LOOK):
        size = (width, sum(heights) + 4 * lines * MM)
        figure = Figure(figsize=size, layout="constrained", dpi=200)
        axes = figure.subplots(
            len(heights), across, squeeze=False, height_ratios=heights
        )
        drawn: dict[str, list[Axes]] = {panel: [] for panel in panels}
        for ax in axes.flat[len(cells) :]:
            ax.set_axis_off()
        looks = _looks(every)
        for (facet, panel), ax in zip(cells, axes.flat, strict=False):
            if panel == "errors":
                _scale(ax, every)
            styles = [_style(one, *looks[one.row]) for one in facets[facet]]
            DRAWN[panel](ax, facets[facet], styles)
            drawn[panel].append(ax)
            if panel == panels[0]:
                room = FACET if many == 1 else letters
                ax.set_title(textwrap.fill(facet, room), loc="left")
        if [*panels] == ["errors"]:
            names = [[one.name for one in runs] for runs in facets.values()]
            for i in range(1, len(names)):
                if i % across and names[i] == names[i - 1]:
                    drawn["errors"][i].tick_params(left=False, labelleft=False)
        for panel in {*panels} - {"errors"}:
            _same_limits(drawn[panel])
        if "errors" not in panels:  # which names its lines
            handles, labels = axes[0, 0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside right center")
        figure.suptitle(title, x=0.01, ha="left", fontsize=9, weight="bold")
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=7)
    return figure


def _same_limits(axes: Sequence[Axes]) -> None:
    """Let facets be compared: one scale for all."""
    axes = [ax for ax in axes if ax.axison]
    limits = [ax.get_ylim() for ax in axes] or [(0.1, 1.0)]
    low, high = min(ends[0] for ends in limits), max(e[1] for e in limits)
    for ax in axes:
        ax.set_ylim(low, high)


def _looks(runs: Sequence[Runs]) -> dict[str, tuple[str, str]]:
    """Color and marker of each row: the book's for the paper's."""
    spare = zip(cycle(SPARE), cycle(FACES), strict=False)
    return {
        row: (COLORS[row], MARKERS[row])
        if row in COLORS and row in MARKERS
        else next(spare)
        for row in dict.fromkeys(one.row for one in runs)
    }


def _style(one: Runs, color: str, marker: str) -> dict[str, Any]:
    return {
        "color": color,
        "marker": marker,
        "ls": "--" if one.dashed else "-",
        "mfc": "white" if one.dashed else color,
    }


def _scale(ax: Axes, runs: Sequence[Runs]) -> None:
    """Set an axis of errors: one for all facets, so that they compare.

    It holds the intervals, as far as there are such errors.
    """
    errors = [error for one in runs for error in one.errors_pct]
    least, most = min(errors), max(errors)
    ends = [end for one in runs for end in _interval(one)]
    low, high = min([least, *ends]), max([most, *ends])
    if 0 < 5 * least < most:
        ax.set_xscale("log")
        ax.set_xticks([1, 2, 5, 10, 20, 50, 100], minor=False)
        ax.set_xticks([], minor=True)
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlim(max(low, least / 2) / 1.2, min(high * 1.2, 110))
    else:
        ax.set_xlim(0, min(high * 1.05, 102) or 1)


def _interval(one: Runs) -> tuple[float, ...]:
    """The 95 % interval of the mean, if the seeds suffice."""
    half = half_interval(one.errors_pct)
    mean = float(np.mean(one.errors_pct))
    return () if half is None else (mean - half, mean + half)


def _errors(
    ax: Axes, runs: Sequence[Runs], styles: Sequence[Mapping[str, Any]]
) -> None:
    low, high = ax.get_xlim()
    within = ax.transScale + ax.transLimits
    for i, (one, style) in enumerate(zip(runs, styles, strict=True)):
        color = style["color"]
        if ends := _interval(one):
            below = -i - BELOW
            ax.plot(np.clip(ends, low, high), [below] * 2, color=color, lw=0.8)
            arrow = {"color": color, "ms": 3, "clip_on": False}
            if ends[0] < low:  # it goes on beyond the frame
                ax.plot(low, below, "<", **arrow)
            if ends[1] > high:
                ax.plot(high, below, ">", **arrow)
            ax.plot(float(np.mean(ends)), below, "|", color=color, ms=4)
        places = [within.transform((x, 0.0))[0] for x in one.errors_pct]
        for x, up, cross in zip(
            one.errors_pct,
            _apart(places),
            one.diverged or [False] * len(places),
            strict=True,
        ):
            move = ScaledTranslation(0, up / 72, ax.figure.dpi_scale_trans)
            dot = CROSS if cross else {"alpha": 0.8}
            place = {"ls": "", "transform": ax.transData + move}
            ax.plot(x, -i, **{**style, **dot, **place})
        median = float(np.median(one.errors_pct))
        ax.plot(median, -i, "|", color=color, ms=13, mew=1.2)
        side: Any = {"transform": ax.get_yaxis_transform(), "va": "center"}
        ax.text(1.02, -i, f"{median:.1f}", color=color, **side)
    names = [_label(one) for one in runs]
    ax.set_yticks([-i for i in range(len(runs))], names, linespacing=1.1)
    for label, style in zip(ax.get_yticklabels(), styles, strict=True):
        label.set_color(style["color"])
    scale = ", logarithmic" if ax.get_xscale() == "log" else ""
    ax.set(xlabel=f"test error, %{scale}", ylim=(0.45 - len(runs), 0.6))


def _label(one: Runs) -> str:
    """Name runs, in lines that are short."""
    return "\n".join(
        textwrap.wrap(one.name, LABEL) + [one.note] * bool(one.note)
    )


def _apart(places: Sequence[float]) -> list[float]:
    """Offsets in points for dots that would hide each other.

    `places` are shares of the axis.
    """
    offsets = [0.0] * len(places)
    near: dict[int, list[int]] = {}
    for i, place in enumerate(places):
        near.setdefault(round(place * 30), []).append(i)
    for dots in near.values():
        step = min(3.5, 12 / max(len(dots) - 1, 1))  # a row has 17 points
        for k, i in enumerate(dots):
            offsets[i] = step * (k - (len(dots) - 1) / 2)
    return offsets


def _curves(
    ax: Axes, runs: Sequence[Runs], styles: Sequence[Mapping[str, Any]]
) -> None:
    last = max(
        (x for one in runs for c in one.curves for x in c["iteration"]),
        default=0,
    )
    for one, style in zip(runs, styles, strict=True):
        _band(ax, _errors_at(one, last), style, _label(one))
        ends = zip(one.curves, one.errors_pct, one.diverged, strict=False)
        for curve, error, cross in ends:
            if cross and curve["iteration"]:
                ax.plot(curve["iteration"][-1], error, **{**style, **CROSS})
    ax.set(xlabel="iteration", ylabel="test error, %", ylim=(0, None))
    ax.xaxis.set_major_locator(WHOLE())


def _errors_at(one: Runs, last: float) -> dict[float, list[float]]:
    """Test errors of all seeds by iteration.

    A run that diverged goes on to the `last` one, or the median would be
    that of the survivors.
    """
    measured = [
        (
            {
                x: y
                for x, y in zip(
                    curve["iteration"], curve["test_error_pct"], strict=True
                )
                if np.isfinite(y)
            },
            end,
        )
        for curve, end in zip(one.curves, one.errors_pct, strict=False)
        if curve["iteration"]
    ]
    at: dict[float, list[float]] = {}
    for x in {x for points, _ in measured for x in (*points, last)}:
        for points, end in measured:
            if x in points:
                at.setdefault(x, []).append(points[x])
            elif x > max(points, default=0):
                at.setdefault(x, []).append(end)
    return at


def _gradients(
    ax: Axes, runs: Sequence[Runs], styles: Sequence[Mapping[str, Any]]
) -> None:
    medians, ends = [], []
    for one, style in zip(runs, styles, strict=True):
        at: dict[float, list[float]] = {}
        for gradient in one.gradients:
            for unit, value in enumerate(gradient):
                if np.isfinite(value) and value > 0:
                    at.setdefault(unit, []).append(value)
        _band(ax, at, style, _label(one))
        medians += [float(np.median(values)) for values in at.values()]
        ends += [end for v in at.values() for end in (min(v), max(v))]
    ax.set(yscale="log", xlabel="unit $l$")
    ax.xaxis.set_major_locator(WHOLE())
    ax.set_ylabel(r"$|\partial E/\partial x_l|$")
    if medians:  # a run that diverged would leave the others no room
        low = max(min(medians) / 10, min(ends) / 1.5)
        high = min(max(medians) * 10, max(ends) * 1.5)
        if high < 100 * low:  # two powers of ten tell the scale
            low = 10 ** np.floor(np.log10(low))
            high = 10 ** np.ceil(np.log10(high))
        ax.set_ylim(low, high)
        ax.yaxis.set_minor_formatter(NullFormatter())
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


BELOW = 0.36  # a row from the dots, which would hide an interval
WHOLE = partial(MaxNLocator, "auto", steps=[1, 2, 5, 10], integer=True)
CROSS = {"marker": "x", "ls": "", "mew": 1.2}  # a run that diverged
DRAWN = {"errors": _errors, "curves": _curves, "gradients": _gradients}
