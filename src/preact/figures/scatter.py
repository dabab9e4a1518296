"""Errors that were learned, against the start and against the loss.

Chapter `06-activations`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.figures.learned import Arm, percent_axis
from preact.figures.style import Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import color_of, marker_of, row_name
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]
NETWORKS: Any = {"marker": "+", "mew": 1.2}  # beside the stacks' dots


def start_and_end(
    arms: Sequence[Arm],
    growth: Mapping[str, tuple[float, float, float]],
    own: Mapping[str, tuple[Array, Array]],
    strings: Strings,
) -> Picture:
    """Error at the end against growth of the gradient at the start.

    Parameters
    ----------
    arms : sequence of Arm
        All units.
    growth : label to three numbers
        |dE/dx_0| / |dE/dx_L| in fresh stacks: median, least and greatest.
    own : label to two (seeds,) float64
        The same in the trained networks at iteration 0, without and with a
        BN before the classifier: plus signs.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import Arm, start_and_end
    >>> from preact.strings import Strings
    >>> errors = np.array([82.5, 69.7]), np.array([3.3, 3.9])
    >>> growth = {"original": (700.0, 500.0, 900.0)}
    >>> arms = [Arm("original", "original", *errors)]
    >>> own = {"original": (np.array([40.0, 50.0]), np.array([45.0, 55.0]))}
    >>> picture = start_and_end(arms, growth, own, Strings("en"))
    >>> picture.alt.partition("original: ")[2]
    'in stacks 700 times, in the networks 50 times, error 3.6 %.'
    """
    with axes(170, 104, columns=2) as (figure, panels):
        for final_bn, ax in enumerate(panels):
            for arm in arms:
                values = arm.final_bn if final_bn else arm.without
                median, low, high = growth[arm.label]
                mid = float(np.median(values))
                line: Any = {"lw": 1, "label": f"_{arm.label}"}
                ax.plot([low, high], [mid, mid], color=arm.color, **line)
                ax.plot(
                    np.full(len(values), median),
                    values,
                    arm.marker,
                    color=arm.color,
                    mfc=arm.color if final_bn else "none",
                    alpha=0.85,
                    label=f"_{arm.label}",
                )
                style = {"ls": "", "ms": 5, "alpha": 0.85, **NETWORKS}
                name = f"_{arm.label} ({strings('activations.own')})"
                style |= {"color": arm.color, "label": name}
                ax.plot(own[arm.label][final_bn], values, **style)
            percent_axis(ax, "y")
            ax.set(xscale="log", xlim=(8, 6e4))
            ax.set_xlabel(strings("shortcut.growth"))
            marks = [10, 100, 1000, 10000]
            ax.set_xticks(marks, ["10", "100", "1000", "10,000"])
            ax.minorticks_off()
            head = "with" if final_bn else "without"
            ax.set_title(strings(f"activations.{head}"), fontsize=10)
        for arm in {arm.row: arm for arm in arms}.values():
            dot: Any = {"marker": arm.marker, "color": arm.color, "ls": ""}
            row = row_name(arm.row, strings) if arm.row else None
            label = row or strings("activations.other_unit")
            panels[0].plot([], [], label=label, **dot)
        label = strings("activations.own")
        panels[0].plot([], [], ls="", color=INK, label=label, **NETWORKS)
        panels[0].set_ylabel(strings("activations.error"))
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    each = [
        strings(
            "activations.alt_start",
            label=arm.label,
            growth=f"{growth[arm.label][0]:.0f}",
            own=f"{np.median(own[arm.label][1]):.0f}",
            error=strings.percent(np.median(arm.final_bn), 1),
        )
        for arm in arms
    ]
    return picture(
        figure, strings("activations.alt_scatter", each=strings.join(each))
    )


def loss_and_error(
    loss: Mapping[str, Array], error: Mapping[str, Array], strings: Strings
) -> Picture:
    """Test error against training loss at the end, a dot a seed.

    Parameters
    ----------
    loss, error : row to (seeds,) float64
        Nats and percent.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import loss_and_error
    >>> from preact.strings import Strings
    >>> loss = {"full-preactivation": np.array([0.002, 0.003])}
    >>> error = {"full-preactivation": np.array([5.0, 4.4])}
    >>> picture = loss_and_error(loss, error, Strings("en"))
    >>> picture.alt.split(". ")[-1]
    'Medians: full pre-activation: loss 0.003, error 4.7 %.'
    """
    with axes(118, 88) as (figure, ax):
        for row in loss:
            ax.plot(
                loss[row],
                error[row],
                marker_of(row),
                color=color_of(row),
                ms=7,
                alpha=0.8,
                label=row_name(row, strings),
            )
        ax.set(
            xlabel=strings("activations.loss"),
            ylabel=strings("activations.error"),
            xlim=(0, None),
            ylim=(0, None),
        )
        figure.legend(loc="outside lower center", ncols=2, fontsize=8.5)
    each = [
        strings(
            "activations.alt_loss_of",
            row=row_name(row, strings),
            loss=f"{np.median(loss[row]):.3f}",
            error=strings.percent(np.median(error[row]), 1),
        )
        for row in loss
    ]
    return picture(
        figure, strings("activations.alt_loss", each=strings.join(each))
    )
