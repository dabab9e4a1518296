"""Every run a dot, beside the conditions that its network keeps."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from preact.figures.chart import Array, Chart, draw
from preact.figures.lines import on_one_line
from preact.figures.style import PAPER_GREY, Picture
from preact.figures.ticks import percent_axis
from preact.figures.variants import marked, row_name
from preact.paper import FAIL_ERROR_PCT
from preact.strings import Strings

HEIGHT = 0.3  # of the band over which a group's dots are spread


class Group(NamedTuple):
    """Runs that keep the same conditions.

    Parameters
    ----------
    label : str
        Names the conditions.
    errors : row to (seeds,) float64
        Test errors in percent.
    """

    label: str
    errors: dict[str, Array]


def errors_by_condition(groups: Sequence[Group], strings: Strings) -> Picture:
    """Every run's error on the line of its group, from top to bottom.

    The words are those of ResNet-110 on digits, learning rate 0.1. Rows of a
    group stand a little apart; color and marker are the unit's own. The dotted
    line is the paper's "fail".
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        ax.axvline(FAIL_ERROR_PCT, color=PAPER_GREY, ls=":", lw=1.2)
        for y, group in enumerate(groups):
            for k, (row, errors) in enumerate(group.errors.items()):
                apart = (k + 0.5) / len(group.errors) - 0.5
                level = np.full(len(errors), y + 2 * HEIGHT * apart)
                style = marked(row) | {"ms": 4, "alpha": 0.7, "ls": ""}
                told = None, [group.label] * len(errors)
                name = row_name(row, strings)
                panel.plot(errors, level, name=name, told=told, **style)
        percent_axis(ax)
        labels = [group.label for group in groups]
        ax.set_yticks(np.arange(len(groups)), labels)
        ax.set(ylim=(len(groups) - 0.4, -0.6))
        ax.set_xlabel(strings("conditions.error"))
        ax.grid(axis="y", visible=False)

    alt = strings("conditions.alt", each=_told(groups, strings))
    return draw(on, (150, 22 + 14 * len(groups)), alt)


def _told(groups: Sequence[Group], strings: Strings) -> str:
    """Say of each group how many runs fail, and from where to where."""
    parts = []
    for group in groups:
        errors = np.concatenate([*group.errors.values()])
        parts.append(
            strings(
                "conditions.alt_group",
                label=on_one_line(group.label),
                n=len(errors),
                failed=int((errors > FAIL_ERROR_PCT).sum()),
                low=strings.percent(float(errors.min()), 1),
                high=strings.percent(float(errors.max()), 1),
            )
        )
    return " ".join(parts)
