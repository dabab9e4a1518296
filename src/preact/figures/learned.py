"""What was learned, every seed a dot."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import color_of, marker_of
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]
TICKS = (1, 3, 10, 30, 100)  # percent
GAP = 0.6  # between two groups, in lines


class Arm(NamedTuple):
    """A unit in a picture: its label, its color, its errors by seed.

    Parameters
    ----------
    label : str
        What it is called.
    row : str or None
        Its row of the tables; None has the page's ink.
    without, final_bn : (seeds,) float64
        Test errors in percent, without and with a BN before the classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import Arm
    >>> arm = Arm("original", "original", np.array([82.5]), np.array([3.3]))
    >>> arm.color, arm.marker
    ('#d1591a', 'o')
    """

    label: str
    row: str | None
    without: Array
    final_bn: Array

    @property
    def color(self) -> str:
        return color_of(self.row) if self.row else INK

    @property
    def marker(self) -> str:
        return marker_of(self.row) if self.row else "X"


def percent_axis(ax: Any) -> None:
    """Give an axis of errors its scale, the same in all pictures of digits."""
    ax.set(xscale="log", xlim=(0.8 * TICKS[0], 1.1 * TICKS[-1]))
    ax.minorticks_off()
    ax.set_xticks(TICKS, [f"{tick}" for tick in TICKS])


def errors_by_unit(
    groups: Mapping[str, Sequence[Arm]], strings: Strings
) -> Picture:
    """Errors of all units with and without a final BN, group by group.

    Parameters
    ----------
    groups : title to arms
        From top to bottom.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import Arm, errors_by_unit
    >>> from preact.strings import Strings
    >>> errors = np.array([82.5, 69.7]), np.array([3.3, 3.9])
    >>> arms = [Arm("original", "original", *errors)]
    >>> picture = errors_by_unit({"Fig. 4(a)": arms}, Strings("en"))
    >>> picture.alt.split(". ")[-1]
    'Medians: original: 76.1 % without, 3.6 % with.'
    """
    lines = sum(1 + GAP + len(arms) for arms in groups.values())
    y, places, labels = 0.0, [], []
    with axes(150, 26 + 6.2 * lines) as (figure, ax):
        for title, arms in groups.items():
            top = y - GAP / 4  # of a title of two lines, on a phone
            left = 0.85 * TICKS[0]
            ax.text(left, top, title, fontsize=9, va="center", weight="bold")
            for arm in arms:
                y += 1
                places.append(y)
                labels.append(arm.label)
                for shift, values, head in (
                    (-0.17, arm.without, "without"),
                    (0.17, arm.final_bn, "with"),
                ):
                    fill = arm.color if head == "with" else "none"
                    name = f"_{strings(f'activations.{head}')}"
                    dots = {"mfc": fill, "ms": 5, "label": name}
                    ax.plot(
                        values,
                        np.full(len(values), y + shift),
                        arm.marker,
                        color=arm.color,
                        alpha=0.85,
                        **dots,
                    )
            y += 1 + GAP
        for name, mfc in (("without", "none"), ("with", INK)):
            ax.plot(
                [],
                [],
                "o",
                color=INK,
                mfc=mfc,
                label=strings(f"activations.{name}"),
            )
        percent_axis(ax)
        ax.set_yticks(places, labels)
        ax.set(ylim=(y - GAP, -1), xlabel=strings("activations.error"))
        ax.grid(visible=True, axis="x")
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    each = [
        strings(
            "activations.alt_arm",
            label=arm.label,
            without=strings.percent(np.median(arm.without), 1),
            final_bn=strings.percent(np.median(arm.final_bn), 1),
        )
        for arms in groups.values()
        for arm in arms
    ]
    return picture(
        figure, strings("activations.alt_errors", each=strings.join(each))
    )
