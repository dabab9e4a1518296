"""What true paths of each length carry."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.variants import arm_name, color_of, marked, marker_of
from preact.strings import Strings


def paths_fresh_and_trained(
    fresh: Mapping[str, Array],
    trained: Mapping[str, Array],
    alt: str,
    strings: Strings,
) -> Picture:
    """What true paths of each length carry, before training and after.

    By arm, (n + 1, seeds): the mean square of all paths through k = 0 ... n
    branches together, as a share of the sum over k.
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for arm in fresh:
            row, name = arm.partition("+")[0], arm_name(arm, strings)
            for when, runs, line, alpha in (
                ("before", fresh[arm], ":", 0.25),
                ("after", trained[arm], "-", 0.5),
            ):
                length = np.arange(len(runs))
                label = strings(f"parts.{when}", name=name)
                look: Any = marked(row, hollow=when == "before")
                look |= {"name": label, "listed": True}
                panel.plot(length, np.median(runs, axis=1), line, **look)
                dots: Any = {"marker": marker_of(row), "ls": "", "ms": 3}
                dots |= {"color": color_of(row), "alpha": alpha}
                panel.plot(length, runs, name=label, **dots)
        panel.ax.set(
            xlabel=strings("paths.length"),
            ylabel=strings("parts.share"),
            ylim=(0, 0.6),
        )
        panel.ax.set_yticks([0, 0.2, 0.4, 0.6])
        chart.legend(ncols=2, fontsize=8.5, handlelength=4)

    return draw(on, (140, 95), alt)
