"""What changes with depth: fitted laws, runs by case, paths."""

from collections.abc import Mapping
from typing import NamedTuple

from preact.book.panels import Quantity, panels
from preact.figures.chart import Array
from preact.figures.style import Picture
from preact.strings import Strings

QUANTITIES = (
    Quantity("signal", (-1, 1, 3, 5), True),
    Quantity("gradient", (-12, -8, -4, 0, 4, 8), True),
    Quantity("open", (0, 0.5, 1), False),
)


class Moment(NamedTuple):
    """One arm at one iteration: (3, L + 1) each, least, median and greatest.

    `gradient` is relative to that at the last unit.
    """

    signal: Array
    gradient: Array
    open: Array


def by_unit(
    arms: Mapping[str, Moment],
    ghosts: Mapping[str, Moment],
    units: int,
    alt: str,
    strings: Strings,
) -> Picture:
    """Draw three panels of one network at one iteration.

    Parameters
    ----------
    arms, ghosts : arm to Moment
        What is shown, and the same before training; an arm is a row, or a
        row and "+final-bn".
    units : int
        Of the network; the curves may have fewer points, evenly spaced.
    alt : str
        What the panels show, in words.
    """
    return panels(QUANTITIES, arms, ghosts, units, alt, strings)
