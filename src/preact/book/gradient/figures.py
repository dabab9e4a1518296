"""Six arms over the iterations, drawn by hand, as networks in training are.

Chapter `03-gradient`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact.figures.drawn import Series
from preact.figures.style import Picture
from preact.figures.training import Across, Quantity, key, line, markers, panel
from preact.figures.variants import arm_name
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]

OVER_TIME = (
    Quantity("first", (-4, -2, 0, 2, 4), True),
    Quantity("last", (-4, -2, 0, 2, 4), True),
    Quantity("open_last", (0, 0.5, 1), False),
)
SHOWN = (0, 1, 3, 10, 30, 100, 299)  # iterations at the axis


class Course(NamedTuple):
    """One arm over the iterations: (3, n) each, least, median and greatest.

    Parameters
    ----------
    iterations : (n,) int64
        At which all of its runs were measured.
    first, last : (3, n) float64
        |g_0| and |g_L|.
    open_last : (3, n) float64
        Share of open paths through the last stage.
    """

    iterations: Array
    first: Array
    last: Array
    open_last: Array


def by_iteration(
    rates: Mapping[float, Mapping[str, Course]], alt: str, strings: Strings
) -> Picture:
    """Draw three quantities over the iterations, a panel for each rate.

    Parameters
    ----------
    rates : learning rate to arm to Course
        What is side by side; the lines are medians.
    alt : str
        What the panels show, in words.
    """
    drawn: list[str] = []
    series = []
    last = max(
        c.iterations[-1] for arms in rates.values() for c in arms.values()
    )
    ticks = [(_when(i, last), str(i)) for i in SHOWN if i <= last]
    across = Across(strings("explorer.iteration"), ticks)
    for quantity in OVER_TIME:
        for lr, arms in rates.items():
            title = strings(
                "training.at_rate",
                quantity=strings(f"training.{quantity.name}"),
                lr=f"{lr:g}",
            )
            curves = []
            for i, (arm, course) in enumerate(arms.items()):
                low, median, high = getattr(course, quantity.name)
                places = _when(course.iterations, last)
                curves.append(line(median, quantity, arm, places=places))
                curves.append(
                    markers(median, quantity, arm, i / len(arms), places)
                )
                at, name = course.iterations.tolist(), arm_name(arm, strings)
                y, least, most = (v.tolist() for v in (median, low, high))
                axes = (across.label, title)
                series.append(Series(title, name, at, y, least, most, axes))
            words = title if drawn else alt
            drawn.append(panel(quantity, title, across, curves, words))
    return Picture(tuple(drawn), tuple(series))


def _when(iteration: Any, last: int) -> Any:
    """Return where an iteration stands: logarithmic, 0 at the left edge."""
    return np.log1p(iteration) / np.log1p(last)


def legend_by_rate(
    errors: Mapping[str, Mapping[float, Sequence[float]]], strings: Strings
) -> str:
    """Name arms, each with its runs' test errors at every learning rate."""
    items = []
    for arm, rates in errors.items():
        each = [
            strings(
                "training.error_at",
                error=strings.percents(min(values), max(values), 0),
                lr=f"{lr:g}",
            )
            for lr, values in rates.items()
        ]
        line = strings(
            "training.errors",
            name=arm_name(arm, strings),
            errors=strings.join(each),
        )
        items.append(f"<li>{key(arm)} {escape(line)}</li>")
    return f'<ul class="preact-arms">{"".join(items)}</ul>'
