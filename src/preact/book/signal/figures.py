"""How a signal grows, and the paths it takes, counted and weighed by length.

Chapter `02-signal`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.propagation import row_style
from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import color_of, values_by_row
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
    >>> from preact.book.signal.figures import paths_by_length
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


def growth_laws(
    signal: Mapping[str, Array],
    laws: Mapping[str, Array],
    strings: Strings,
) -> Picture:
    """Measured growth of the signal on theory's lines, both axes log.

    Parameters
    ----------
    signal : row name to (L + 1,) float64
        Root mean square of x_l.
    laws : name of a law in the strings to (L + 1,) float64
        What theory predicts.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.signal.figures import growth_laws
    >>> from preact.strings import Strings
    >>> root = np.sqrt(1 + np.arange(101.0))
    >>> signal = {"full-preactivation": root}
    >>> picture = growth_laws(signal, {"root": root}, Strings("en"))
    >>> picture.alt.split(". ")[-1]
    'After 100 units the root mean square is 10 for full pre-activation.'
    """
    with axes(150, 95) as (figure, ax):
        for i, (row, values) in enumerate(signal.items()):
            depth = np.arange(len(values)) + 1
            ax.plot(depth, values, **row_style(row, i, strings))
        for law, values in laws.items():
            depth, name = np.arange(len(values)) + 1, strings(f"law.{law}")
            ax.plot(depth, values, "--", color=INK, lw=1, label=f"_{name}")
            ax.annotate(
                name,
                (depth[-1], values[-1]),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
        ax.set(
            xscale="log",
            yscale="log",
            xlabel=strings("figure.depth_plus_one"),
            ylabel=strings("figure.signal"),
        )
        ax.set_xlim(right=depth[-1])  # no grid behind the laws' names
        figure.legend(loc="outside lower center", ncols=2, fontsize=8.5)
    alt = strings(
        "alt.growth",
        units=len(next(iter(signal.values()))) - 1,
        each=values_by_row(strings, {row: v[-1] for row, v in signal.items()}),
    )
    return picture(figure, alt)
