"""Transformers by unit, and products of mixing matrices.

Chapter `10-afterlife`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.training import Quantity, key, panels
from preact.figures.variants import color_of, marked, row_name
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
    >>> from preact.book.afterlife.figures import Placed
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
    >>> from preact.book.afterlife.figures import Placed, placed_by_unit
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
    >>> from preact.book.afterlife.figures import placed_legend
    >>> from preact.strings import Strings
    >>> legend = placed_legend(["pre-ln", "post-ln"], Strings("en"))
    >>> legend.count("<li>")  # HTML
    2
    """
    items = [
        f"<li>{key(arm)} {escape(row_name(arm, strings))}</li>" for arm in arms
    ]
    return f'<ul class="preact-arms">{"".join(items)}</ul>'


def losses_by_rate(
    rates: Sequence[float],
    losses: Mapping[int, Mapping[tuple[str, str], Array]],
    letters: float,
    alt: str,
    strings: Strings,
) -> Picture:
    """Losses after training by learning rate, a panel for each depth.

    A dot a seed, the medians joined.

    Parameters
    ----------
    rates : sequence of R floats
        Learning rates, in rising order.
    losses : layers to (arm, how weights are drawn) to (R, seeds) float64
        Nats per character; weights are drawn as `book` or as `default`.
    letters : float
        Loss of a guess that knows only how frequent a character is.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.afterlife.figures import losses_by_rate
    >>> from preact.strings import Strings
    >>> one = {("pre-ln", "book"): np.array([[2.3, 2.4], [2.1, 2.2]])}
    >>> alt = "A larger rate loses less."
    >>> picture = losses_by_rate(
    ...     (0.001, 0.003), {4: one, 12: one}, 2.9, alt, Strings("en")
    ... )
    >>> picture.alt == alt
    True
    """
    places = np.arange(len(rates), dtype=np.float64)
    with axes(170, 95, columns=len(losses)) as (figure, panels_of):
        for ax, (layers, curves) in zip(
            panels_of, losses.items(), strict=True
        ):
            for k, ((arm, draw), values) in enumerate(curves.items()):
                own = places + 0.07 * (k - (len(curves) - 1) / 2)
                style = marked(arm, hollow=draw == "default")
                name = (
                    f"{row_name(arm, strings)}, {strings(f'afterlife.{draw}')}"
                )
                line = {"ls": "--" if draw == "default" else "-"}
                median = np.median(values, axis=1)
                ax.plot(own, median, label=name, **style, **line)
                ax.plot(own, values, **style | {"ls": "", "alpha": 0.5})
            name = strings("afterlife.letters")
            ax.axhline(letters, ls=":", color=INK, lw=1, label=name)
            ax.set_title(
                strings("afterlife.of_layers", layers=layers), fontsize=10
            )
            ax.set(xlabel=strings("afterlife.rate"))
            ax.set_xticks(places, [f"{rate:g}" for rate in rates])
        low, high = zip(*(ax.get_ylim() for ax in panels_of), strict=True)
        for ax in panels_of:
            ax.set_ylim(min(low), max(high))
        panels_of[0].set_ylabel(strings("afterlife.loss"))
        figure.legend(
            *panels_of[0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=2,
            fontsize=8.5,
        )
    return picture(figure, alt)


def mixing_products(
    gains: Mapping[str, Array],
    kept: Mapping[str, Array],
    theory: Mapping[str, Array],
    strings: Strings,
) -> Picture:
    """Products of mixing matrices: what they enlarge, what they forget.

    Parameters
    ----------
    gains, kept : name of the strings to (seeds, L + 1) float64
        Greatest row sum; greatest factor on differences between streams.
    theory : name of the strings to (L + 1,) float64
        Growth of a vector under free matrices, as derived.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.afterlife.figures import mixing_products
    >>> from preact.strings import Strings
    >>> gains = {"stochastic": np.ones((8, 11))}  # 8 seeds, 10 units
    >>> kept = {"stochastic": 0.9 ** np.arange(11.0) * np.ones((8, 1))}
    >>> theory = {"rms": np.ones(11)}
    >>> picture = mixing_products(gains, kept, theory, Strings("en"))
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
        for k, (name, curve) in enumerate(theory.items()):
            label = strings(f"afterlife.{name}")
            left.plot(curve, ("--", "-.")[k], color=INK, lw=1, label=label)
        left.set_ylim(0.3, 300)  # the same for all strengths
        right.set_ylim(1e-12, 100)
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
