"""What a stream keeps: through silent units, and through training."""

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


def stream_then_and_now(
    then: Mapping[str, Mapping[bool, Array]],
    now: Mapping[str, Mapping[bool, Array]],
    strings: Strings,
) -> Picture:
    """Signal by unit before and after training, under both heads.

    Parameters
    ----------
    then, now : row name to whether there is a final BN to (L + 1,) float64
        Root mean square of x_l, freshly drawn and at the end.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import stream_then_and_now
    >>> from preact.strings import Strings
    >>> then = {"original": {True: np.ones(55), False: np.ones(55)}}
    >>> now = {"original": {True: 4 * np.ones(55), False: np.ones(55)}}
    >>> picture = stream_then_and_now(then, now, Strings("en"))
    >>> picture.alt.endswith("before the classifier: 1.0 before, 4.0 after.")
    True
    """
    with axes(170, 85, columns=2) as (figure, panels):
        for ax, final_bn in zip(panels, (False, True), strict=True):
            for i, row in enumerate(now):
                style = marked(row, (i, len(now)))
                name = row_name(row, strings)
                ax.plot(
                    then[row][final_bn],
                    **style,
                    lw=5,
                    alpha=0.3,
                    label=strings("figure.at_start", name=name),
                )
                ax.plot(now[row][final_bn], **style, label=name)
            ax.set(ylim=(0, 20), xlabel=strings("figure.depth"))
            head = "with" if final_bn else "without"
            ax.set_title(strings(f"activations.{head}"), fontsize=10)
        panels[0].set_ylabel(strings("figure.signal"))
        figure.legend(
            *panels[0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=2,
            fontsize=8.5,
        )
    each = [
        strings(
            "activations.alt_stream_of",
            row=row_name(row, strings),
            head=strings(f"activations.{'with' if head else 'without'}"),
            then=f"{then[row][head][-1]:.1f}",
            now=f"{now[row][head][-1]:.1f}",
        )
        for row in now
        for head in (False, True)
    ]
    return picture(
        figure, strings("activations.alt_stream", each=strings.join(each))
    )
