"""Curves over depth: the direct term, the signal, the gradient."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.variants import marked, row_name, values_by_row
from preact.strings import Strings


def signal_and_gradient(
    signal: Mapping[str, Array],
    gradient: Mapping[str, Array],
    strings: Strings,
) -> Picture:
    """Signal forward and gradient backward, row by row.

    Parameters
    ----------
    signal, gradient : row name to (L + 1,) float64
        Root mean square of x_l; norm of dE/dx_l, drawn relative to the last.
    strings : Strings
        The words of the page's language.

    Examples
    --------
    >>> from preact.figures import signal_and_gradient
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import profile
    >>> from preact.strings import Strings
    >>> plan = stack_plan("full-preactivation", units=10, width=16)
    >>> seen = profile(plan, batch=16)
    >>> signal = {"full-preactivation": seen.signal_rms}
    >>> gradient = {"full-preactivation": seen.gradient_norm}
    >>> picture = signal_and_gradient(signal, gradient, Strings("en"))
    >>> picture.alt.split(". ")[0]
    'Two line charts over depth, 10 units'
    """
    many = len(signal) > 1

    def on(chart: Chart) -> None:
        left, right = chart.panels
        for i, row in enumerate(signal):
            style, at = row_style(row, i, strings), np.arange(len(signal[row]))
            left.plot(at, signal[row], listed=many, **style)
            right.plot(at, gradient[row] / gradient[row][-1], **style)
        for panel, name in ((left, "signal"), (right, "gradient")):
            panel.ax.set(yscale="log", xlabel=strings("figure.depth"))
            panel.ax.set_title(strings(f"figure.{name}"))
            panel.ax.minorticks_off()
        if many:
            chart.legend(ncols=3, fontsize=8.5)

    units = len(next(iter(signal.values()))) - 1
    alt = strings(
        "alt.profile",
        units=units,
        signal=values_by_row(
            strings, {row: v[-1] for row, v in signal.items()}
        ),
        gradient=values_by_row(
            strings, {row: v[0] / v[-1] for row, v in gradient.items()}
        ),
    )
    return draw(on, (170, 85 if many else 70), alt, panels=2)


def row_style(row: str, i: int, strings: Strings) -> dict[str, Any]:
    """Color, name, and markers that do not meet those of the others."""
    own = {"name": row_name(row, strings), "markevery": (0.02 * i, 0.14)}
    return marked(row) | own | {"ms": 4}
