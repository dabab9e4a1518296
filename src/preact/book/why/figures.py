"""A race over the steps of training, and errors by learning rate."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.book.dots import dots_by_case
from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.variants import (
    arm_name,
    color_of,
    marker_of,
    values_by_row,
)
from preact.strings import Strings


def race_curves(
    loss: Mapping[str, Array],
    error: Mapping[str, Array],
    units: int,
    strings: Strings,
) -> Picture:
    """Loss in nats (logarithmic) and error in percent against the step.

    Both by arm, from the first step on.
    """
    steps = np.arange(1, len(next(iter(loss.values()))) + 1)

    def on(chart: Chart) -> None:
        left, right = chart.panels
        for arm in loss:
            row, _, control = arm.partition("+")
            style: Any = {
                "color": color_of(row),
                "marker": marker_of(row),
                "markevery": (9, 10),
                "mfc": "none" if control else None,
                "ls": "--" if control else "-",
                "name": arm_name(arm, strings),
            }
            left.plot(steps, loss[arm], listed=True, **style)
            right.plot(steps, error[arm], **style)
        left.ax.set(yscale="log", xlabel=strings("race.step"))
        right.ax.set(ylim=(-3, 103), xlabel=strings("race.step"))
        left.ax.set_title(strings("race.training_loss"))
        right.ax.set_title(strings("figure.training_error"))
        ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
        left.ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        left.ax.minorticks_off()
        chart.legend(ncols=2, fontsize=8.5, handlelength=4)

    ends = {
        arm_name(arm, strings): strings.percent(values[-1], 0)
        for arm, values in error.items()
    }
    each = values_by_row(strings, ends)
    alt = strings("alt.race", steps=len(steps), units=units, each=each)
    return draw(on, (170, 95), alt, panels=2)


def error_by_rate(
    rates: Sequence[float], errors: Mapping[str, Array], strings: Strings
) -> Picture:
    """Training error in percent against the learning rate.

    By arm, (seeds, rates); the rates stand from left to right.
    """
    names = {arm: arm_name(arm, strings) for arm in errors}
    each = []
    for i, rate in enumerate(rates):
        medians = {
            names[arm]: strings.percent(np.median(values[:, i]), 1)
            for arm, values in errors.items()
        }
        said = values_by_row(strings, medians)
        each.append(strings("alt.error_at", rate=rate, medians=said))
    alt = strings(
        "alt.error", each=strings("punctuation.semicolon").join(each)
    )
    labels = strings("race.learning_rate"), strings("figure.training_error")
    by_case = {arm: values.T for arm, values in errors.items()}
    axis: Any = {"limits": (2, 100), "ticks": (3, 10, 30, 100)}
    return dots_by_case(rates, by_case, labels, alt, strings, **axis)
