"""Every run a dot, beside the conditions that its network keeps.

Chapter `12-summary`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from preact.figures.lines import on_one_line
from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.ticks import percent_axis
from preact.figures.variants import marked, row_name
from preact.paper import FAIL_ERROR_PCT
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]
HEIGHT = 0.3  # of the band over which a group's dots are spread


class Group(NamedTuple):
    """Runs that keep the same conditions.

    Parameters
    ----------
    label : str
        Names the conditions.
    errors : row to (seeds,) float64
        Test errors in percent.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.summary.figures import Group
    >>> group = Group("110 layers", {"original": np.array([82.5, 69.7])})
    >>> group.label, float(np.median(group.errors["original"]))
    ('110 layers', 76.1)
    """

    label: str
    errors: dict[str, Array]


def errors_by_condition(groups: Sequence[Group], strings: Strings) -> Picture:
    """Every run's error on the line of its group, from top to bottom.

    The words are those of ResNet-110 on digits, learning rate 0.1.
    Rows of a group stand a little apart; color and marker are the unit's own.
    The dotted line is the paper's "fail".

    Parameters
    ----------
    groups : sequence of Group
        From top to bottom.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.summary.figures import Group, errors_by_condition
    >>> from preact.strings import Strings
    >>> group = Group("110 layers", {"original": np.array([82.5, 69.7, 73.1])})
    >>> picture = errors_by_condition([group], Strings("en"))
    >>> picture.alt.split(". ")[-1]
    '110 layers: 3 runs, 3 of them above 20 %, from 69.7 % to 82.5 %.'
    """
    with axes(150, 22 + 14 * len(groups)) as (figure, ax):
        ax.axvline(FAIL_ERROR_PCT, color=PAPER_GREY, ls=":", lw=1.2)
        for y, group in enumerate(groups):
            for k, (row, errors) in enumerate(group.errors.items()):
                apart = (k + 0.5) / len(group.errors) - 0.5
                level = np.full(len(errors), y + 2 * HEIGHT * apart)
                style = marked(row) | {"ms": 4, "alpha": 0.7, "ls": ""}
                name = row_name(row, strings)
                ax.plot(errors, level, label=f"_{name}", **style)
        percent_axis(ax)
        ax.set_yticks(
            np.arange(len(groups)), [group.label for group in groups]
        )
        ax.set(ylim=(len(groups) - 0.4, -0.6))
        ax.set_xlabel(strings("conditions.error"))
        ax.grid(axis="y", visible=False)
    alt = strings("conditions.alt", each=_told(groups, strings))
    return picture(figure, alt)


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
