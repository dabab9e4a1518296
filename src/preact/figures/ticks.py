"""Labels of a logarithmic axis as text: 10⁻⁴, and not a formula.

matplotlib sets a formula anew in each pass of a layout, for each label: most
of the time that such a picture took. `preact.figures.svg` raises exponents.
"""

import math
import re

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation

MARKUP = re.compile(r"\\mathdefault|[${}]")
EXPONENT = re.compile(r"\^(-?\d+)")
HIGH = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PowerFormatter(LogFormatterSciNotation):
    """What matplotlib writes at a logarithmic axis, as text."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the label of a tick, "" if it has none."""
        formula = super().__call__(x, pos).replace(r"\times", "×")
        plain = MARKUP.sub("", formula)
        return EXPONENT.sub(lambda match: match[1].translate(HIGH), plain)


def write_powers_as_text(figure: Figure) -> None:
    """Give logarithmic axes such labels, where nobody chose others."""
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            if type(axis.get_major_formatter()) is LogFormatterSciNotation:
                axis.set_major_formatter(PowerFormatter())
            if type(axis.get_minor_formatter()) is LogFormatterSciNotation:
                axis.set_minor_formatter(PowerFormatter())


def label_short_axis(panel: Axes) -> None:
    """Label 1, 2 and 5 where fewer than three powers of ten are in sight.

    A logarithmic vertical axis of less than a decade is made one and a
    little more, so it has at least three labels.
    """
    low, high = panel.get_ylim()
    if high < 12 * low:
        middle = math.sqrt(low * high)
        low, high = middle / math.sqrt(12), middle * math.sqrt(12)
        panel.set_ylim(low, high)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    steps = [m * 10.0**k for k in decades for m in (1, 2, 5, 10)]
    seen = sorted({step for step in steps if low <= step <= high})
    if sum(math.log10(step).is_integer() for step in seen) < 3:
        panel.set_yticks(seen, [f"{step:g}" for step in seen])
