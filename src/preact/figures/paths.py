"""Paths through a residual network, counted and weighed by their length."""

from typing import Any

import numpy as np

from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import color_of
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


def paths_by_length(
    number: Array, carried: Array, theory: Array, strings: Strings
) -> Picture:
    """How many paths take k branches, and how much of the signal they carry.

    Parameters
    ----------
    number : (L + 1,) float64
        Share of the paths that take k = 0 ... L branches.
    carried, theory : (L + 1,) float64
        Share of the mean square that these carry: measured, predicted.

    Examples
    --------
    >>> from math import comb
    >>> import numpy as np
    >>> from preact.figures import paths_by_length
    >>> from preact.strings import Strings
    >>> number = np.array([comb(54, k) for k in range(55)]) / 2**54
    >>> carried = number * 0.09 ** np.arange(55)  # branches of factor 0.3
    >>> carried /= carried.sum()
    >>> picture = paths_by_length(number, carried, carried, Strings("en"))
    >>> "carried by paths that take 4.5 branches on average" in picture.alt
    True
    """
    length = np.arange(len(number))
    with axes(118, 88) as (figure, ax):
        ax.fill_between(  # one path, where bars would be one each
            length,
            number,
            color=PAPER_GREY,
            alpha=0.45,
            lw=0,
            label=strings("paths.number"),
        )
        ax.plot(
            length,
            carried,
            color=color_of("full-preactivation"),
            lw=3,
            alpha=0.7,
            label=strings("paths.carried"),
        )
        ax.plot(
            length,
            theory,
            "--",
            color=INK,
            lw=1,
            label=strings("paths.theory"),
        )
        ax.set(
            xlabel=strings("paths.length"),
            ylabel=strings("paths.share"),
            ylim=(0, 0.6),
            xticks=[0, length[-1] // 2, length[-1]],
            yticks=[0, 0.2, 0.4, 0.6],
        )
        ax.grid(False)
        figure.legend(loc="outside lower center", fontsize=9)
    alt = strings(
        "alt.paths",
        units=len(number) - 1,
        most=int(number.argmax()),
        mean=f"{(length * carried).sum():.1f}",
        predicted=f"{(length * theory).sum():.1f}",
    )
    return picture(figure, alt)
