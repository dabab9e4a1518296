"""Curves over depth: the direct term, the signal, the gradient."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.figures.style import (
    COLORS,
    INK,
    MARKERS,
    PAPER_GREY,
    Picture,
    axes,
    picture,
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
    """
    with axes(150, 80) as (figure, ax):
        for row, values in measured.items():
            color, marker = COLORS[row], MARKERS[row]
            ax.plot(
                depths,
                values.mean(0),
                color=color,
                label=strings(f"row.{row}"),
            )
            for seed in values:
                ax.plot(
                    depths, seed, marker, color=color, ms=4, alpha=0.45, mew=0
                )
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
        ax.legend(loc="center right")
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
        Root mean square of x_l; norm of dE/dx_l.
    """
    with axes(170, 75, columns=2) as (figure, (left, right)):
        for row in signal:
            style = {"color": COLORS[row], "label": strings(f"row.{row}")}
            left.plot(signal[row], **style)
            right.plot(gradient[row] / gradient[row][-1], **style)
        left.set(yscale="log", xlabel=strings("figure.depth"))
        right.set(yscale="log", xlabel=strings("figure.depth"))
        left.set_title(strings("figure.signal"), fontsize=10)
        right.set_title(strings("figure.gradient"), fontsize=10)
        left.legend(fontsize=8)
    units = len(next(iter(signal.values()))) - 1
    alt = strings(
        "alt.profile",
        units=units,
        signal=_each(strings, {row: v[-1] for row, v in signal.items()}),
        gradient=_each(
            strings, {row: v[0] / v[-1] for row, v in gradient.items()}
        ),
    )
    return picture(figure, alt)


def _each(strings: Strings, values: Mapping[str, float]) -> str:
    """List one value for each row in words."""
    return strings.join(
        [
            strings("alt.per_row", value=f"{v:.3g}", row=strings(f"row.{row}"))
            for row, v in values.items()
        ]
    )
