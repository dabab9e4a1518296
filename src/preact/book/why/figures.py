"""A race over the steps of training, and errors by learning rate.

Chapter `01-why`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.variants import arm_name, color_of, marked, marker_of
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


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
    >>> from preact.book.why.figures import race_curves
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


def error_by_rate(
    rates: Sequence[float], errors: Mapping[str, Array], strings: Strings
) -> Picture:
    """Training error in percent against the learning rate.

    Parameters
    ----------
    rates : sequence of R floats
        Learning rates, as they stand from left to right.
    errors : arm to (seeds, R) float64
        Percent; an arm is a row, or a row and "+final-bn".

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.why.figures import error_by_rate
    >>> from preact.strings import Strings
    >>> errors = {"original": np.array([[2.0, 11.0], [3.0, 45.0]])}
    >>> picture = error_by_rate((0.1, 0.01), errors, Strings("en"))
    >>> picture.alt.split("; ")[-1]
    'at 0.01: 28.0 % for original.'
    """
    names = {arm: arm_name(arm, strings) for arm in errors}
    with axes(150, 105) as (figure, ax):
        middles = np.arange(len(rates), dtype=np.float64)
        for i, (arm, values) in enumerate(errors.items()):
            row, _, control = arm.partition("+")
            # side by side, or the seeds of one arm hide another's
            own = middles + 0.09 * (i - (len(errors) - 1) / 2)
            color = color_of(row)
            ax.plot(
                own,
                np.median(values, axis=0),
                "--" if control else "-",
                **marked(row, hollow=bool(control)),
                label=names[arm],
            )
            for seed in values:
                dots = {"marker": marker_of(row), "ls": "", "ms": 4}
                ax.plot(own, seed, color=color, alpha=0.5, **dots)
        ax.set(
            xlabel=strings("race.learning_rate"),
            ylabel=strings("figure.training_error"),
            yscale="log",
        )
        ax.set_xticks(middles, [f"{rate:g}" for rate in rates])
        ax.set_yticks([0.3, 1, 3, 10, 30, 100])
        ax.yaxis.set_major_formatter("{x:g}")
        ax.minorticks_off()
        figure.legend(
            loc="outside lower center", ncols=2, fontsize=8.5, handlelength=4
        )
    each = []
    for i, rate in enumerate(rates):
        medians = [
            strings(
                "alt.per_row",
                value=strings.percent(np.median(values[:, i]), 1),
                row=names[arm],
            )
            for arm, values in errors.items()
        ]
        said = strings.join(medians)
        each.append(strings("alt.error_at", rate=rate, medians=said))
    alt = strings(
        "alt.error", each=strings("punctuation.semicolon").join(each)
    )
    return picture(figure, alt)
