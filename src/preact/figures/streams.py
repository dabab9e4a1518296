"""What a stream keeps through silent units."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.variants import color_of, marked, row_name
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


def silent_chain(kept: Mapping[str, Array], strings: Strings) -> Picture:
    """What is left of the input behind silent units.

    Parameters
    ----------
    kept : row name, or a name of the strings, to (seeds, L + 1) float64
        Correlation of x_l with x_0.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import silent_chain
    >>> from preact.strings import Strings
    >>> kept = {"original": np.ones((4, 51))}  # 4 seeds, x_0 to x_50
    >>> picture = silent_chain(kept, Strings("en"))
    >>> picture.alt.split(". ")[-1]
    'At the end it is 1.00 for original.'
    """
    with axes(150, 80) as (figure, ax):
        for i, (row, values) in enumerate(kept.items()):
            color = color_of(row)
            units = np.arange(values.shape[1])
            ax.fill_between(
                units,
                values.min(axis=0),
                values.max(axis=0),
                color=color,
                alpha=0.3,
                lw=0,
            )
            ax.plot(
                units,
                np.median(values, axis=0),
                **marked(row, (i, len(kept))),
                label=row_name(row, strings),
            )
        ax.set(
            xlabel=strings("activations.silent_units"),
            ylabel=strings("activations.correlation"),
            ylim=(0, 1.05),
        )
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    each = [
        strings(
            "alt.per_row",
            value=f"{np.median(values[:, -1]):.2f}",
            row=row_name(row, strings),
        )
        for row, values in kept.items()
    ]
    alt = strings(
        "activations.alt_silent",
        units=next(iter(kept.values())).shape[1] - 1,
        each=strings.join(each),
    )
    return picture(figure, alt)
