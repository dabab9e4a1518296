"""Steps of Table 5, and what training took beside the prediction.

Chapter `10-imagenet`.
"""

from collections.abc import Mapping
from typing import Any

from preact.figures.chart import Chart, draw
from preact.figures.style import PAPER_GREY, Picture
from preact.figures.svg import INK
from preact.strings import Strings


def steps_with_band(
    steps: Mapping[str, tuple[float, float]],
    label: str,
    alt: str,
) -> Picture:
    """Draw a change for each name, each with two standard errors.

    Parameters
    ----------
    steps : name to (change, standard error)
        From top to bottom, in points.
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


def real_over_predicted(
    steps: Mapping[str, tuple[float, float]],
    trainings: Mapping[str, tuple[float, float]],
    strings: Strings,
) -> Picture:
    """Draw real over predicted time, for steps here and the paper's hours.

    Parameters
    ----------
    steps, trainings : name to (predicted, real)
        In seconds.
    """
    times = {0.1: "0.1 s", 10: "10 s", 3600: "1 h", 360000: "100 h"}
    pairs = {**steps, **trainings}

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        style: Any = {"color": INK, "listed": True}
        for marker, (name, (guess, real)) in zip(
            "os^DvP", pairs.items(), strict=False
        ):
            panel.plot([guess], [real / guess], marker, name=name, **style)
        equal = strings("imagenet.equal")
        panel.plot((0.01, 1e6), (1, 1), "-", name=equal, **style)
        ax.set(xscale="log", yscale="log")
        ax.set_xlabel(strings("imagenet.predicted"))
        ax.set_ylabel(strings("imagenet.error"))
        ax.set_xticks([*times], [*times.values()])
        ax.set_yticks([0.5, 1, 2, 5], ["0.5", "1", "2", "5"])
        ax.minorticks_off()
        chart.legend(ncols=2, fontsize=8.5, handlelength=4)

    each = [
        strings("imagenet.step", name=name, points=f"{real / guess:.1f}")
        for name, (guess, real) in pairs.items()
    ]
    alt = strings("imagenet.error_alt", each=strings.join(each))
    return draw(on, (140, 96), alt)
