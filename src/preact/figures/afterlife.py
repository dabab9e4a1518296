"""Transformers by unit, and products of mixing matrices."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.training import Quantity, key, panels
from preact.figures.variants import color_of, marked, marker_of, row_name
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]

# The axes of signal and gradient are those of networks in training.
QUANTITIES = (
    Quantity("signal", (-1, 1, 3, 5), True),
    Quantity("gradient", (-12, -8, -4, 0, 4, 8), True),
    Quantity("direct", (-16, -12, -8, -4, 0), True),
)


class Placed(NamedTuple):
    """One arm at one iteration: least, median and greatest over seeds.

    Parameters
    ----------
    signal : (3, L + 1) float64
        Root mean square of x_l.
    gradient : (3, L + 1) float64
        Norm of dE/dx_l, relative to that at the last unit.
    direct : (3, L + 1) float64
        First term in the bracket of Eq. (8).

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import Placed
    >>> ones = np.ones((3, 97))  # least, median and greatest at x_0 to x_96
    >>> Placed(signal=ones, gradient=ones, direct=ones).signal.shape
    (3, 97)
    """

    signal: Array
    gradient: Array
    direct: Array


def placed_by_unit(
    arms: Mapping[str, Placed], alt: str, strings: Strings
) -> Picture:
    """Draw signal, gradient and direct term of transformers by unit.

    Parameters
    ----------
    arms : arm to Placed
        All of one number of units.
    alt : str
        What the panels show, in words.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import Placed, placed_by_unit
    >>> from preact.strings import Strings
    >>> ones = np.ones((3, 97))
    >>> arms = {"pre-ln": Placed(ones, ones, ones)}
    >>> picture = placed_by_unit(arms, "All stay at 1.", Strings("en"))
    >>> picture
    Picture(3 panels)
    """
    units = next(iter(arms.values())).signal.shape[1] - 1
    return panels(QUANTITIES, arms, {}, units, alt, strings)


def placed_legend(arms: Sequence[str], strings: Strings) -> str:
    """Name the arms, each with its color and marker.

    Examples
    --------
    >>> from preact.figures import placed_legend
    >>> from preact.strings import Strings
    >>> legend = placed_legend(["pre-ln", "post-ln"], Strings("en"))
    >>> legend.count("<li>")  # HTML
    2
    """
    items = [
        f"<li>{key(arm)} {escape(row_name(arm, strings))}</li>" for arm in arms
    ]
    return f'<ul class="preact-arms">{"".join(items)}</ul>'


def losses_by_case(
    depths: Sequence[int],
    losses: Mapping[str, Array],
    letters: float,
    alt: str,
    strings: Strings,
) -> Picture:
    """Losses after training by depth, a dot a seed, the medians joined.

    Parameters
    ----------
    depths : sequence of D ints
        Layers.
    losses : arm to (D, seeds) float64
        Nats per character.
    letters : float
        Loss of a guess that knows only how frequent a character is.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import losses_by_case
    >>> from preact.strings import Strings
    >>> losses = {"pre-ln": np.array([[2.1, 2.2], [1.9, 2.0]])}
    >>> alt = "Deeper transformers lose less."
    >>> picture = losses_by_case((6, 12), losses, 2.9, alt, Strings("en"))
    >>> picture.alt == alt
    True
    """
    with axes(140, 95) as (figure, ax):
        places = np.arange(len(depths), dtype=np.float64)
        for k, (arm, values) in enumerate(losses.items()):
            own = places + 0.08 * (k - (len(losses) - 1) / 2)
            ink = {"color": color_of(arm)}
            name = row_name(arm, strings)
            ax.plot(own, np.median(values, axis=1), label=name, **marked(arm))
            dots = {"marker": marker_of(arm), "ls": "", "ms": 5, "alpha": 0.6}
            ax.plot(own, values, **ink, **dots)
        ax.axhline(
            letters,
            ls="--",
            color=INK,
            lw=1,
            label=strings("afterlife.letters"),
        )
        ax.set(xlabel=strings("afterlife.layers"))
        ax.set_ylabel(strings("afterlife.loss"))
        ax.set_xticks(places, [str(depth) for depth in depths])
        figure.legend(loc="outside lower center", ncols=2, fontsize=8.5)
    return picture(figure, alt)


def mixing_products(
    gains: Mapping[str, Array],
    kept: Mapping[str, Array],
    theory: Array,
    strings: Strings,
) -> Picture:
    """Products of mixing matrices: what they enlarge, what they forget.

    Parameters
    ----------
    gains, kept : name of the strings to (seeds, L + 1) float64
        Greatest row sum; greatest factor on differences between streams.
    theory : (L + 1,) float64
        Root mean square growth of a vector under free matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import mixing_products
    >>> from preact.strings import Strings
    >>> gains = {"stochastic": np.ones((8, 11))}  # 8 seeds, 10 units
    >>> kept = {"stochastic": 0.9 ** np.arange(11.0) * np.ones((8, 1))}
    >>> picture = mixing_products(gains, kept, np.ones(11), Strings("en"))
    >>> "row sum 1, differences × 0.35" in picture.alt
    True
    """
    names = {name: strings(f"afterlife.{name}") for name in gains}
    with axes(170, 88, columns=2) as (figure, (left, right)):
        for ax, values in ((left, gains), (right, kept)):
            for i, (name, seeds) in enumerate(values.items()):
                color, units = color_of(name), np.arange(seeds.shape[1])
                low, high = seeds.min(axis=0), seeds.max(axis=0)
                ax.fill_between(
                    units, low, high, color=color, alpha=0.25, lw=0
                )
                median = np.median(seeds, axis=0)
                style = marked(name, (i, len(values)))
                ax.plot(units, median, **style, label=names[name])
            ax.set(yscale="log", xlabel=strings("figure.depth"))
            ax.axhline(1, color=INK, lw=1, ls=":")
            ax.minorticks_off()
        left.plot(
            theory, "--", color=INK, lw=1, label=strings("afterlife.theory")
        )
        left.set_title(strings("afterlife.gain"), fontsize=10)
        right.set_title(strings("afterlife.kept"), fontsize=10)
        figure.legend(
            *left.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=3,
            fontsize=8.5,
        )
    each = [
        strings(
            "afterlife.mixing_each",
            name=names[name],
            gain=strings.two_digits(np.median(gains[name][:, -1])),
            kept=strings.two_digits(np.median(kept[name][:, -1])),
        )
        for name in gains
    ]
    alt = strings("afterlife.mixing_alt", each=strings.join(each))
    return picture(figure, alt)
