"""The direct term by depth, and six arms over the iterations."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from preact.book.panels import Across, Quantity, line, markers, noted, panel
from preact.figures.chart import Array, Chart, draw
from preact.figures.style import PAPER_GREY, Picture
from preact.figures.svg import INK
from preact.figures.variants import (
    arm_name,
    color_of,
    marked,
    marker_of,
    row_name,
)
from preact.strings import Strings

OVER_TIME = (
    Quantity("first", (-4, -2, 0, 2, 4), True),
    Quantity("last", (-4, -2, 0, 2, 4), True),
    Quantity("open_last", (0, 0.5, 1), False),
)
SHOWN = (0, 1, 3, 10, 30, 100, 299)  # iterations at the axis


class Course(NamedTuple):
    """One arm over the iterations at which all of its runs were measured.

    Least, median and greatest, (3, n) each: |g_0|, |g_L|, and the share of
    open paths through the last stage.
    """

    iterations: Array
    first: Array
    last: Array
    open_last: Array


def direct_term(
    depths: Sequence[int],
    measured: Mapping[str, Array],
    open_share: Array,
    strings: Strings,
) -> Picture:
    """Direct term of Eq. (5) against the number of units.

    By row, (seeds, depths): the coefficient of
    `propagation.direct_coefficient` at unit 0. For comparison the mean share
    of open shortcut paths of the original, by depth.
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for row, values in measured.items():
            name, look = row_name(row, strings), marked(row)
            mean = values.mean(0)
            panel.plot(depths, mean, name=name, listed=True, **look)
            dots: Any = {"marker": marker_of(row), "ls": "", "ms": 4}
            dots["mew"] = 0
            dots |= {"color": color_of(row), "alpha": 0.45}
            panel.plot(depths, values.T, name=name, **dots)
        theory: Any = {"name": strings("figure.theory"), "listed": True}
        panel.plot(depths, open_share, "--", color=INK, lw=1.2, **theory)
        panel.ax.axhline(0, color=PAPER_GREY, lw=0.8)
        panel.ax.set(xscale="log", xlabel=strings("figure.units"))
        panel.ax.set_xticks(depths, [str(L) for L in depths], minor=False)
        panel.ax.minorticks_off()
        panel.ax.set_ylabel(strings("figure.direct"))
        chart.legend(ncols=2, fontsize=9)

    alt = strings(
        "alt.direct",
        first=depths[0],
        last=depths[-1],
        pre=f"{measured['full-preactivation'].mean():.2f}",
        orig=f"{measured['original'].mean(0)[-1]:.2f}",
        open=f"{open_share[-1]:.2f}",
    )
    return draw(on, (150, 80), alt)


def by_iteration(
    rates: Mapping[float, Mapping[str, Course]], alt: str, strings: Strings
) -> Picture:
    """Draw three quantities over the iterations, a panel for each rate.

    The panels of all rates stand side by side; the lines are medians.
    """
    drawn: list[str] = []
    series = []
    last = max(
        c.iterations[-1] for arms in rates.values() for c in arms.values()
    )
    ticks = [(_when(i, last), str(i)) for i in SHOWN if i <= last]
    across = Across(strings("explorer.iteration"), ticks)
    for quantity in OVER_TIME:
        for lr, arms in rates.items():
            title = strings(
                "training.at_rate",
                quantity=strings(f"training.{quantity.name}"),
                lr=f"{lr:g}",
            )
            curves = []
            for i, (arm, course) in enumerate(arms.items()):
                values = getattr(course, quantity.name)
                places = _when(course.iterations, last)
                curves.append(line(values[1], quantity, arm, places=places))
                curves.append(
                    markers(values[1], quantity, arm, i / len(arms), places)
                )
                at, name = course.iterations, arm_name(arm, strings)
                series.append(noted(title, name, at, values, across))
            words = title if drawn else alt
            drawn.append(panel(quantity, title, across, curves, words))
    return Picture(tuple(drawn), tuple(series))


def _when(iteration: Any, last: int) -> Any:
    """Return where an iteration stands: logarithmic, 0 at the left edge."""
    return np.log1p(iteration) / np.log1p(last)
