"""What was learned, every seed a dot: side by side, or against the start."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from preact.figures.drawn import AID
from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.variants import color_of, marker_of, row_name
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


def percent_axis(ax: Any, which: str, ticks: Sequence[int] = TICKS) -> None:
    """Give an axis of errors its scale, the same in all pictures of digits."""
    limits = 0.8 * ticks[0], 1.1 * ticks[-1]
    ax.set(**{f"{which}scale": "log", f"{which}lim": limits})
    ax.minorticks_off()
    if which == "x":
        ax.set_xticks(ticks, [f"{t}" for t in ticks])
    else:
        ax.set_yticks(ticks, [f"{t}" for t in ticks])


def error_strip(
    own: tuple[Array, Array],
    others: tuple[Array, Array],
    row: str | None,
    strings: Strings,
) -> Picture:
    """One unit's errors on one line, those of all others in grey.

    Parameters
    ----------
    own : two (seeds,) float64
        Percent, without and with a BN before the classifier.
    others : two (runs,) float64
        The same of all other units.
    row : str or None
        The unit's row of Table 2.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.figures import error_strip
    >>> from preact.strings import Strings
    >>> own = np.array([82.5, 69.7]), np.array([3.3, 3.9])
    >>> others = np.array([5.0, 4.4]), np.array([6.7, 4.4])
    >>> strip = error_strip(own, others, "original", Strings("en"))
    >>> strip.alt.endswith("a BN before the classifier: 3.3 %, 3.9 %.")
    True
    """
    color = color_of(row) if row else INK
    labels = [strings("activations.without"), strings("activations.with")]
    with axes(118, 34) as (figure, ax):
        for y, values in enumerate(own):
            grey = np.unique(np.round(others[y], 1))
            ax.plot(
                grey,
                np.full(len(grey), y),
                "|",
                color=PAPER_GREY,
                alpha=0.4,
                label=AID,  # each has a strip of its own
            )
            ax.plot(
                values,
                np.full(len(values), y),
                "o",
                color=color,
                ms=7,
                mfc=color if y else "none",
                label=f"_{labels[y]}",
            )
        percent_axis(ax, "x")
        ax.set_yticks([0, 1], labels)
        ax.set(ylim=(-0.6, 1.6), xlabel=strings("activations.error"))
        ax.grid(False)
    each = [
        strings(
            "activations.alt_of",
            label=label,
            each=strings.join([strings.percent(v, 1) for v in values]),
        )
        for label, values in zip(labels, own, strict=True)
    ]
    alt = strings("activations.alt_strip", each=strings.join(each))
    return picture(figure, alt)


def errors_by_unit(
    groups: Mapping[str, Sequence[Arm]],
    strings: Strings,
    ticks: Sequence[int] = TICKS,
) -> Picture:
    """Errors of all units with and without a final BN, group by group.

    Parameters
    ----------
    groups : title to arms
        From top to bottom.
    ticks : sequence of int
        Percents that the axis names; it ends a little beyond them.

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
            left = 0.85 * ticks[0]
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
        percent_axis(ax, "x", ticks)
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


def reported_with_spread(
    errors: Mapping[int, Mapping[str, float]], std: float, strings: Strings
) -> Picture:
    """The paper's Table 2, and the one spread that is known beside it.

    Parameters
    ----------
    errors : depth to row name to float
        Percent, as reported.
    std : float
        Deviation of five runs of the original at 110 layers, percent.

    Examples
    --------
    >>> from preact import paper
    >>> from preact.figures import reported_with_spread
    >>> from preact.strings import Strings
    >>> errors = {110: {}, 164: {}}
    >>> for result in paper.results(2):
    ...     errors[result.depth][result.row] = result.error_pct
    >>> picture = reported_with_spread(errors, 0.16, Strings("en"))
    >>> "original: 6.61 %, 5.93 %" in picture.alt
    True
    """
    rows = list(next(iter(errors.values())))
    with axes(170, 62, columns=2) as (figure, panels):
        for ax, (depth, own) in zip(panels, errors.items(), strict=True):
            center = own["original"]
            if depth == 110:
                ax.axvspan(
                    center - std,
                    center + std,
                    color=color_of("original"),
                    alpha=0.2,
                    lw=0,
                )
            for y, row in enumerate(rows):
                dot: Any = {"ms": 8, "label": f"_{row_name(row, strings)}"}
                color, marker = color_of(row), marker_of(row)
                ax.plot(own[row], y, marker, color=color, **dot)
                ax.annotate(
                    f"{own[row]:.2f}",
                    (own[row], y),
                    xytext=(7, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=9,
                )
            ax.set(xlim=(5, 8.9), ylim=(len(rows) - 0.4, -0.6))
            ax.set_xticks([5, 6, 7, 8])
            ax.set_title(f"ResNet-{depth}", fontsize=10)
        names = [row_name(row, strings) for row in rows]
        panels[0].set_yticks(range(len(rows)), names)
        panels[1].set_yticks(range(len(rows)), [""] * len(rows))
        figure.supxlabel(strings("activations.paper_error"), fontsize=10)
    each = [
        strings(
            "activations.alt_paper",
            row=row_name(row, strings),
            values=strings.join(
                [strings.percent(own[row], 2) for own in errors.values()]
            ),
        )
        for row in rows
    ]
    alt = strings("activations.alt_table_2", std=std, each=strings.join(each))
    return picture(figure, alt)
