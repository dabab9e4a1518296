"""A race of several networks: loss and error over the steps of training."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.variants import color_of, marker_of, row_name
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


def arm_name(arm: str, strings: Strings) -> str:
    """Name an arm: a row of the tables, or a row and "+final-bn".

    Examples
    --------
    >>> from preact.figures import arm_name
    >>> from preact.strings import Strings
    >>> arm_name("original+final-bn", Strings("en"))
    'original + final BN'
    """
    row, _, control = arm.partition("+")
    name = row_name(row, strings)
    return name + strings("figure.with_final_bn") if control else name


def race_curves(
    loss: Mapping[str, Array],
    error: Mapping[str, Array],
    units: int,
    strings: Strings,
) -> Picture:
    """Loss (logarithmic) and error in percent against the step.

    Parameters
    ----------
    loss, error : arm to (steps,) float64
        Nats and percent, from the first step on.
    units : int
        Units of each network.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import race_curves
    >>> from preact.strings import Strings
    >>> loss = {"original": np.array([2.3, 1.1, 0.6])}
    >>> error = {"original": np.array([90.0, 40.0, 15.0])}
    >>> picture = race_curves(loss, error, 20, Strings("en"))
    >>> picture.alt.split(". ")[-1]
    'Errors at the end: 15 % for original.'
    """
    with axes(170, 95, columns=2) as (figure, (left, right)):
        for arm in loss:
            row, _, control = arm.partition("+")
            steps = np.arange(1, len(loss[arm]) + 1)
            style: Any = {
                "color": color_of(row),
                "marker": marker_of(row),
                "markevery": (9, 10),
                "mfc": "none" if control else None,
                "ls": "--" if control else "-",
                "label": arm_name(arm, strings),
            }
            left.plot(steps, loss[arm], **style)
            right.plot(steps, error[arm], **style)
        left.set(yscale="log", xlabel=strings("race.step"))
        right.set(ylim=(-3, 103), xlabel=strings("race.step"))
        left.set_title(strings("race.training_loss"), fontsize=10)
        right.set_title(strings("figure.training_error"), fontsize=10)
        ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
        left.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        left.minorticks_off()
        figure.legend(
            *left.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=2,
            fontsize=8.5,
            handlelength=4,
        )
    each = [
        strings(
            "alt.per_row",
            value=strings.percent(values[-1], 0),
            row=arm_name(arm, strings),
        )
        for arm, values in error.items()
    ]
    alt = strings(
        "alt.race",
        steps=len(steps),
        units=units,
        each=strings.join(each),
    )
    return picture(figure, alt)
