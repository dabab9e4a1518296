"""Curves over depth: the direct term, the signal, the gradient."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import (
    color_of,
    marked,
    marker_of,
    row_name,
    values_by_row,
)
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


def direct_term(
    depths: Sequence[int],
    measured: Mapping[str, Array],
    open_share: Array,
    strings: Strings,
) -> Picture:
    """Direct term of Eq. (5) against the number of units.

    Parameters
    ----------
    depths : sequence of D ints
        Numbers of units L.
    measured : row name to (seeds, D) float64
        The coefficient of `propagation.direct_coefficient` at unit 0; holds
        "original" and "full-preactivation".
    open_share : (D,) float64
        Mean share of open shortcut paths of the original, for comparison.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import direct_term
    >>> from preact.strings import Strings
    >>> measured = {
    ...     "original": np.array([[0.3, 0.1]]),  # one seed, two depths
    ...     "full-preactivation": np.array([[1.0, 1.0]]),
    ... }
    >>> share = np.array([0.26, 0.08])
    >>> picture = direct_term((10, 100), measured, share, Strings("en"))
    >>> "falls to 0.10 for the original unit" in picture.alt
    True
    """
    with axes(150, 80) as (figure, ax):
        for row, values in measured.items():
            color, marker = color_of(row), marker_of(row)
            name = row_name(row, strings)
            ax.plot(depths, values.mean(0), **marked(row), label=name)
            for seed in values:
                dots = {"marker": marker, "ls": "", "ms": 4, "mew": 0}
                ax.plot(depths, seed, color=color, alpha=0.45, **dots)
        ax.plot(
            depths,
            open_share,
            "--",
            color=INK,
            lw=1.2,
            label=strings("figure.theory"),
        )
        ax.axhline(0, color=PAPER_GREY, lw=0.8)
        ax.set(xscale="log", xlabel=strings("figure.units"))
        ax.set_xticks(depths, [str(L) for L in depths], minor=False)
        ax.minorticks_off()
        ax.set_ylabel(strings("figure.direct"))
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    alt = strings(
        "alt.direct",
        first=depths[0],
        last=depths[-1],
        pre=f"{measured['full-preactivation'].mean():.2f}",
        orig=f"{measured['original'].mean(0)[-1]:.2f}",
        open=f"{open_share[-1]:.2f}",
    )
    return picture(figure, alt)


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
