"""What changes with depth: fitted laws, runs by case, paths.

Chapter `07-depth`.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from preact.book.panels import Quantity, panels
from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.svg import INK
from preact.figures.variants import arm_name, color_of, marked, marker_of
from preact.strings import Strings

DASHES = ("--", ":", "-.")

QUANTITIES = (
    Quantity("signal", (-1, 1, 3, 5), True),
    Quantity("gradient", (-12, -8, -4, 0, 4, 8), True),
    Quantity("open", (0, 0.5, 1), False),
)


class Moment(NamedTuple):
    """One arm at one iteration: (3, L + 1) each, least, median and greatest.

    `gradient` is relative to that at the last unit.
    """

    signal: Array
    gradient: Array
    open: Array


def by_unit(
    arms: Mapping[str, Moment],
    ghosts: Mapping[str, Moment],
    units: int,
    alt: str,
    strings: Strings,
) -> Picture:
    """Draw three panels of one network at one iteration.

    Parameters
    ----------
    arms, ghosts : arm to Moment
        What is shown, and the same before training; an arm is a row, or a
        row and "+final-bn".
    units : int
        Of the network; the curves may have fewer points, evenly spaced.
    alt : str
        What the panels show, in words.
    """
    return panels(QUANTITIES, arms, ghosts, units, alt, strings)


class Law(NamedTuple):
    """A fitted power of the depth and its interval.

    Parameters
    ----------
    exponent : float
        Of the depth.
    low, high : float
        Ends of its interval.
    """

    exponent: float
    low: float
    high: float


def depth_laws(
    depths: Sequence[int],
    measured: Mapping[str, Mapping[str, Array]],
    theory: Mapping[str, Mapping[str, Array]],
    laws: Mapping[str, Mapping[str, Law]],
    strings: Strings,
) -> Picture:
    """Signal and gradient against the number of units, both axes log.

    Parameters
    ----------
    depths : sequence of D ints
        Numbers of units.
    measured : quantity to row to (D, seeds) float64
        "signal" and "gradient".
    theory : likewise, to (D,) float64
        Dashed lines, where there is one.
    laws : likewise, to Law
        What was fitted; stands in the legend.
    """
    pictures = Picture(())
    for quantity, rows in measured.items():
        each = {
            row: strings(
                "depth.law",
                name=arm_name(row, strings),
                exponent=f"{law.exponent:.2f}",
                low=f"{law.low:.2f}",
                high=f"{law.high:.2f}",
            )
            for row, law in laws[quantity].items()
        }
        on = partial(
            _laws, depths, quantity, rows, theory[quantity], each, strings
        )
        alt = strings(
            "depth.laws_alt",
            quantity=strings(f"depth.{quantity}"),
            each=strings.join([each[row] for row in rows]),
        )
        pictures += draw(on, (112, 100), alt)
    return pictures


def _laws(
    depths: Sequence[int],
    quantity: str,
    rows: Mapping[str, Array],
    theory: Mapping[str, Array],
    labels: Mapping[str, str],
    strings: Strings,
    chart: Chart,
) -> None:
    """Draw one quantity of `depth_laws`."""
    (panel,) = chart.panels
    for row, values in rows.items():
        dots: Any = {"marker": marker_of(row), "ls": "", "ms": 4}
        dots |= {"color": color_of(row), "name": labels[row]}
        panel.plot(depths, values[:, 0], listed=True, **dots)
        panel.plot(depths, values[:, 1:], **dots)
    for dashes, (row, line) in zip(DASHES, theory.items(), strict=False):
        name = strings("drawn.theory", name=arm_name(row, strings))
        panel.plot(depths, line, dashes, color=INK, lw=1, name=name)
    ax = panel.ax
    ax.set(xscale="log", yscale="log", xlabel=strings("figure.units"))
    ax.set_title(strings(f"depth.{quantity}"))
    ax.set_xticks(depths, [str(L) for L in depths])
    marks = {"signal": [3, 10], "gradient": [10, 100]}[quantity]
    ax.set_yticks(marks, [f"{mark:g}" for mark in marks])
    ax.minorticks_off()
    chart.legend(fontsize=9)


def dots_by_case(
    cases: Sequence[object],
    values: Mapping[str, Array],
    labels: tuple[str, str],
    alt: str,
    strings: Strings,
    *,
    limits: tuple[float, float],
    ticks: Sequence[float],
) -> Picture:
    """Every seed as a dot, the medians joined, case by case.

    Parameters
    ----------
    cases : sequence of C
        Named below the axis, at even distances.
    values : arm to (C, seeds) float64
        An arm is a row, or a row and "+final-bn".
    labels : (str, str)
        Of both axes.
    alt : str
        What is to be seen.
    limits : (float, float)
        Ends of the vertical axis.
    ticks : sequence of float
        Numbers at the vertical axis.
    """
    many = len(values) > 4  # names of six arms need lines of their own

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        names = [str(case) for case in cases]
        for k, (arm, runs) in enumerate(values.items()):
            shift = 0.09 * (k - (len(values) - 1) / 2)
            panel.cases(names, runs, arm, arm_name(arm, strings), shift)
        panel.ax.set(xlabel=labels[0], ylabel=labels[1], ylim=limits)
        numbers = [strings.number(tick, "g") for tick in ticks]
        panel.ax.set_yticks(ticks, numbers)
        ncols = 1 if many else 2
        chart.legend(ncols=ncols, fontsize=8.5, handlelength=4)

    return draw(on, (140, 115 if many else 100), alt)


def paths_fresh_and_trained(
    fresh: Mapping[str, Array],
    trained: Mapping[str, Array],
    alt: str,
    strings: Strings,
) -> Picture:
    """What true paths of each length carry, before training and after.

    Parameters
    ----------
    fresh, trained : arm to (n + 1, seeds) float64
        Mean square of all paths through k = 0 ... n branches together, as a
        share of the sum over k.
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for arm in fresh:
            row, name = arm.partition("+")[0], arm_name(arm, strings)
            for when, runs, line, alpha in (
                ("before", fresh[arm], ":", 0.25),
                ("after", trained[arm], "-", 0.5),
            ):
                length = np.arange(len(runs))
                label = strings(f"depth.{when}", name=name)
                look: Any = marked(row, hollow=when == "before")
                look |= {"name": label, "listed": True}
                panel.plot(length, np.median(runs, axis=1), line, **look)
                dots: Any = {"marker": marker_of(row), "ls": "", "ms": 3}
                dots |= {"color": color_of(row), "alpha": alpha}
                panel.plot(length, runs, name=label, **dots)
        panel.ax.set(
            xlabel=strings("paths.length"),
            ylabel=strings("depth.share"),
            ylim=(0, 0.6),
        )
        panel.ax.set_yticks([0, 0.2, 0.4, 0.6])
        chart.legend(ncols=2, fontsize=8.5, handlelength=4)

    return draw(on, (140, 95), alt)
