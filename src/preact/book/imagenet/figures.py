"""Gradients by the images that a BN sees, and steps of Table 5."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.figures.chart import Array, Chart, draw
from preact.figures.style import PAPER_GREY, Picture
from preact.figures.svg import INK
from preact.figures.variants import marked
from preact.strings import Strings


def steps_with_band(
    steps: Mapping[str, tuple[float, float]], label: str, alt: str
) -> Picture:
    """Draw a change for each name, each with two standard errors.

    From top to bottom, change and standard error in points.
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        for y, (name, (change, error)) in enumerate(steps.items()):
            ax.hlines(y, 0, change, color=INK, lw=1, alpha=0.5)
            style: Any = {"fmt": "o", "color": INK, "capsize": 3}
            ax.errorbar(change, y, xerr=2 * error, **style)
            low, high = change - 2 * error, change + 2 * error
            panel.note(name, [change], [name], [low], [high])
        ax.axvline(0, color=PAPER_GREY)
        ax.set_yticks(range(len(steps)), list(steps))
        ax.set(ylim=(len(steps) - 0.5, -0.5), xlabel=label)
        ax.grid(visible=True, axis="x")

    return draw(on, (140, 14 + 11 * len(steps)), alt)


def gradient_distances(
    sizes: Sequence[int], ghosts: Array, others: Array, strings: Strings
) -> Picture:
    """Draw how far a gradient is from that with BN over all images.

    `sizes` are the images that each BN sees, `ghosts` (sizes, seeds) the
    distances, `others` (seeds,) those to the gradient of other images.
    """
    names = {key: strings(f"imagenet.{key}") for key in ("ghosts", "others")}
    medians = np.median(ghosts, axis=1), np.median(others)

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        style: Any = marked("full-preactivation") | {"ms": 5}
        panel.seeds(sizes, ghosts, name=names["ghosts"], **style)
        band = {"color": PAPER_GREY, "alpha": 0.25, "lw": 0}
        ax.axhspan(others.min(), others.max(), **band)
        ends = np.array([sizes[0], sizes[-1]])
        style = {"color": INK, "listed": True, "name": names["others"]}
        panel.plot(ends, np.full(2, medians[1]), ":", **style)
        ax.set_xscale("log", base=2)
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        ax.set(ylim=(0, 1.1 * max(ghosts.max(), others.max())))
        ax.set_xlabel(strings("imagenet.images_of_bn"))
        ax.set_ylabel(strings("imagenet.distance"))
        chart.legend(ncols=1, fontsize=8.5)

    pairs = zip(sizes, medians[0], strict=True)
    alt = strings(
        "imagenet.distances_alt",
        each=strings.join(
            [
                strings("imagenet.step", name=size, points=f"{median:.2f}")
                for size, median in pairs
            ]
        ),
        other=f"{medians[1]:.2f}",
    )
    return draw(on, (140, 84), alt)
