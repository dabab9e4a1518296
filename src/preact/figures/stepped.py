"""Pictures of a stepper: their axes are shared, and what was stays in sight.

Chapter `03-gradient`.
"""

from typing import Any

import numpy as np

from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import (
    color_of,
)
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


def product_and_gradient(
    product: Array,
    gradient: Array,
    strings: Strings,
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
        ax.set(yscale="log", ylim=limits, xlabel=strings("figure.depth"))
        ax.minorticks_off()
        figure.legend(loc="outside lower center", fontsize=9)
    alt = strings(
        "alt.product",
        units=len(product) - 1,
        product=strings.two_digits(product[0]),
        gradient=strings.two_digits(gradient[0] / gradient[-1]),
    )
    return picture(figure, alt)
