"""Labels of a logarithmic axis: three at least, as text, and no formula.

Where fewer than three powers of ten are in sight, numbers between them are
labeled too. matplotlib sets a formula anew in each pass of a layout, for each
label: most of the time that such a picture took. `preact.figures.svg` raises
exponents.
"""

import re
from collections.abc import Iterable
from math import inf, log10
from typing import Any

from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import (
    LogFormatterSciNotation,
    LogLocator,
    MaxNLocator,
    NullFormatter,
)

from preact.strings import RAISED

MARKUP = re.compile(r"\\mathdefault|[${}]")
EXPONENT = re.compile(r"\^(-?\d+)")
PERCENT = (1, 3, 10, 30, 100)  # of errors
FEWEST = 3  # labels from which a reader can tell a logarithmic axis
BETWEEN = (
    lambda: LogLocator(subs=(1.0, 3.0)),
    lambda: LogLocator(subs=(1.0, 2.0, 5.0)),
    lambda: MaxNLocator(5),  # less than half a power of ten
)
PLAIN = (1e-3, 1e4)  # what is written without a power of ten, if all can be


class PowerFormatter(LogFormatterSciNotation):
    """What matplotlib writes at a logarithmic axis, as text."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of a tick, "" if it has none."""
        formula = super().__call__(x, pos).replace(r"\times", "×")
        plain = MARKUP.sub("", formula)
        return EXPONENT.sub(lambda match: match[1].translate(RAISED), plain)


class NumberFormatter(PowerFormatter):
    """Plain numbers where all of the axis are: 0.3, 1, 3."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of a tick."""
        assert self.axis is not None
        if is_plain(self.axis.get_view_interval()):
            return f"{x:g}"
        return super().__call__(x, pos)


def power(value: float) -> str:
    """Write a power of ten as text; raised digits need no mathematics."""
    raised = str(round(log10(value))).translate(RAISED)
    return f"10{raised}" if value != 1 else "1"


def is_plain(limits: Iterable[float]) -> bool:
    """Whether all numbers of an axis are written without a power of ten."""
    return all(PLAIN[0] <= limit < PLAIN[1] for limit in limits)


def label_enough(figure: Figure) -> None:
    """Give logarithmic axes three labels, where nobody chose others."""
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            if type(axis.get_major_locator()) is not LogLocator:
                continue
            for locator in BETWEEN:
                if in_sight(axis) >= FEWEST:
                    break
                axis.set_major_locator(locator())
                axis.set_major_formatter(
                    NumberFormatter(minor_thresholds=(inf, inf))
                )
                axis.set_minor_formatter(NullFormatter())


def in_sight(axis: Axis) -> int:
    """Return how many labels of an axis are within its limits.

    Those between powers of ten count where no plain number would do.
    """
    low, high = sorted(axis.get_view_interval())
    labels = list(axis.get_majorticklabels())
    places = list(axis.get_majorticklocs())
    if not is_plain((low, high)):
        labels += axis.get_minorticklabels()
        places += list(axis.get_minorticklocs())
    return sum(
        low <= place <= high and label.get_text() != ""
        for place, label in zip(places, labels, strict=True)
    )


def write_powers_as_text(figure: Figure) -> None:
    """Give logarithmic axes such labels, where nobody chose others."""
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            if type(axis.get_major_formatter()) is LogFormatterSciNotation:
                axis.set_major_formatter(PowerFormatter())
            if type(axis.get_minor_formatter()) is LogFormatterSciNotation:
                axis.set_minor_formatter(PowerFormatter())


def percent_axis(ax: Any) -> None:
    """Give an axis of errors its scale, the same in all pictures of digits."""
    ax.set(xscale="log", xlim=(0.8 * PERCENT[0], 1.1 * PERCENT[-1]))
    ax.minorticks_off()
    ax.set_xticks(PERCENT, [f"{tick}" for tick in PERCENT])
