"""ResNet-20 by the paper's whole recipe, as far as it has come.

Page `runs`. Each line of `resnet_20.csv` has the mean of 200 iterations.
"""

import math
from pathlib import Path

from preact.figures.chart import Chart, draw
from preact.figures.style import Picture
from preact.figures.variants import color_of
from preact.records import read_curve
from preact.strings import Strings

REPORTED_PCT = 8.75  # He et al. (2015), Table 6


def course() -> dict[str, list[float]]:
    """Return the curve of the original, seed 1, so far."""
    return read_curve(Path(__file__).with_name("resnet_20.csv"))


def unfinished(strings: Strings) -> Picture:
    """Training error by iteration, test error where it was measured."""
    run = course()
    tested = [
        (i, error)
        for i, error in zip(
            run["iteration"], run["test_error_pct"], strict=True
        )
        if not math.isnan(error)
    ]
    names = strings("figure.training_error"), strings("runs.test_error")

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        color = color_of("original")
        trained = run["iteration"], run["train_error_pct"]
        panel.plot(*trained, color=color, name=names[0], listed=True)
        panel.plot(
            [i for i, _ in tested],
            [error for _, error in tested],
            "D",
            color=color,
            name=names[1],
            listed=True,
        )
        panel.ax.axhline(REPORTED_PCT, color="#808080", ls=":", lw=1)
        panel.ax.set(xlim=(0, 64_000), ylim=(0, 75))
        panel.ax.set_xlabel(strings("race.step"))
        chart.legend(ncols=2)

    last = strings.percent(run["train_error_pct"][-1], 0)
    alt = strings(
        "runs.unfinished_alt",
        trained=last,
        tested=strings.percent(tested[-1][1], 1),
        iteration=f"{run['iteration'][-1]:,.0f}",
    )
    return draw(on, (140, 75), alt)
