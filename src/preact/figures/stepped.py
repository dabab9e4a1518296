"""Pictures of a stepper: their axes are shared, and what was stays in sight.

Chapter `03-gradient`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import (
    color_of,
    marked,
    row_name,
    values_by_row,
)
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


def product_and_gradient(
    product: Array,
    gradient: Array,
    strings: Strings,
    real_product: Array | None = None,
    *,
    ghost: Array,
    limits: tuple[float, float],
) -> Picture:
    """What is left of the shortcut, beside what the gradient really does.

    Parameters
    ----------
    product : (L + 1,) float64
        Product of the shortcut factors from unit l to the end, Eq. (8).
    gradient : (L + 1,) float64
        Norm of dE/dx_l, measured; drawn relative to the last.
    real_product : (L + 1,) float64, optional
        The product of the factors as the network computes them, where they
        depend on its input.
    ghost : (L + 1,) float64
        The gradient of the same network with an identity shortcut; drawn
        likewise.
    limits : (float, float)
        Of the vertical axis, the same for all pictures of a stepper.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import product_and_gradient
    >>> from preact.strings import Strings
    >>> product = 0.9 ** (100.0 - np.arange(101))
    >>> gradient, ghost = 100 * np.ones(101), np.ones(101)
    >>> picture = product_and_gradient(
    ...     product, gradient, Strings("en"), ghost=ghost, limits=(1e-5, 1e5)
    ... )
    >>> "as set is 2.7 × 10⁻⁵ at the first unit" in picture.alt
    True
    """
    color = color_of("full-preactivation")
    with axes(118, 88) as (figure, ax):
        ax.plot(
            ghost / ghost[-1],
            color=PAPER_GREY,
            lw=4,
            alpha=0.45,
            label=strings("figure.ghost"),
        )
        ax.plot(
            gradient / gradient[-1],
            color=color,
            label=strings("figure.gradient"),
        )
        ax.plot(product, "--", color=INK, label=strings("figure.product"))
        if real_product is not None:
            ax.plot(
                real_product,
                ":",
                color=INK,
                label=strings("figure.real_product"),
            )
        ax.set(yscale="log", ylim=limits, xlabel=strings("figure.depth"))
        ax.minorticks_off()
        figure.legend(loc="outside lower center", fontsize=9)
    alt = strings(
        "alt.product",
        units=len(product) - 1,
        product=strings.two_digits(product[0]),
        gradient=strings.two_digits(gradient[0] / gradient[-1]),
    )
    if real_product is not None:
        real = strings.two_digits(real_product[0])
        alt += " " + strings("alt.real_product", product=real)
    return picture(figure, alt)


def gradient_at(
    gradient: Mapping[str, Array],
    ghost: Mapping[str, Array],
    strings: Strings,
    *,
    limits: tuple[float, float],
) -> Picture:
    """Gradient by unit at one moment of training, the first one as a ghost.

    Parameters
    ----------
    gradient, ghost : row name to (L + 1,) float64
        Norm of dE/dx_l at the moment shown, and at iteration 0; drawn
        relative to the last.
    limits : (float, float)
        Of the vertical axis, the same for all moments.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import gradient_at
    >>> from preact.strings import Strings
    >>> fresh = {"original": np.geomspace(100, 1, 55)}
    >>> now = {"original": np.ones(55)}
    >>> picture = gradient_at(now, fresh, Strings("en"), limits=(0.1, 1e3))
    >>> picture.alt.endswith("is 1 for original.")
    True
    """
    with axes(118, 88) as (figure, ax):
        styles = {
            row: marked(row, (i, len(gradient)))
            for i, row in enumerate({**ghost, **gradient})
        }
        for row, values in ghost.items():
            name = strings("figure.at_start", name=row_name(row, strings))
            ax.plot(
                values / values[-1],
                **styles[row],
                lw=5,
                alpha=0.3,
                label=name,
            )
        for row, values in gradient.items():
            name = row_name(row, strings)
            ax.plot(values / values[-1], **styles[row], label=name)
        ax.set(yscale="log", ylim=limits, xlabel=strings("figure.depth"))
        ax.set_title(strings("figure.gradient"), fontsize=10)
        ax.minorticks_off()
        figure.legend(loc="outside lower center", ncols=2, fontsize=8.5)
    ratios = {row: v[0] / v[-1] for row, v in gradient.items()}
    return picture(
        figure, strings("alt.gradient_at", each=values_by_row(strings, ratios))
    )
