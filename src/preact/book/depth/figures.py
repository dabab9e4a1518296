"""What changes with depth: fitted laws, runs by case, paths.

Chapter `07-depth`.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from preact.book.panels import Quantity, panels
from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.svg import INK
from preact.figures.variants import arm_name, color_of, marker_of
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
