"""Curves over depth: the direct term, the signal, the gradient."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.variants import (
    marked,
    row_name,
    values_by_row,
)
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


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
    with axes(170, 85 if len(signal) > 1 else 70, columns=2) as (
        figure,
        (left, right),
    ):
        for i, row in enumerate(signal):
            style = row_style(row, i, strings)
            left.plot(signal[row], **style)
            right.plot(gradient[row] / gradient[row][-1], **style)
        left.set(yscale="log", xlabel=strings("figure.depth"))
        right.set(yscale="log", xlabel=strings("figure.depth"))
        left.set_title(strings("figure.signal"), fontsize=10)
        right.set_title(strings("figure.gradient"), fontsize=10)
        for ax in (left, right):
            ax.minorticks_off()
        if len(signal) > 1:
            figure.legend(
                *left.get_legend_handles_labels(),
                loc="outside lower center",
                ncols=3,
                fontsize=8.5,
            )
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
    return picture(figure, alt)


def row_style(row: str, i: int, strings: Strings) -> dict[str, Any]:
    """Color, name, and markers that do not meet those of the others."""
    own = {"label": row_name(row, strings), "markevery": (0.02 * i, 0.14)}
    return marked(row) | own | {"ms": 4}
