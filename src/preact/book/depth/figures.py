"""What changes with depth: fitted laws, runs by case, paths.

Chapter `07-depth`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.training import Quantity, key, panels
from preact.figures.variants import arm_name, color_of, marked, marker_of
from preact.strings import Strings

DASHES = ("--", ":", "-.")

Array = np.ndarray[Any, np.dtype[np.float64]]


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


def legend(errors: Mapping[str, Sequence[float]], strings: Strings) -> str:
    """Name the arms of a network, each with the test errors of its runs."""
    items = []
    for arm, values in errors.items():
        error = strings.percents(min(values), max(values), 0)
        line = strings(
            "training.error", name=arm_name(arm, strings), error=error
        )
        items.append(f"<li>{key(arm)} {escape(line)}</li>")
    return f'<ul class="preact-arms">{"".join(items)}</ul>'


class Law(NamedTuple):
    """A fitted power of the depth and its interval.

    Parameters
    ----------
    exponent : float
        Of the depth.
    low, high : float
        Ends of its interval.

    Examples
    --------
    >>> from preact.book.depth.figures import Law
    >>> law = Law(exponent=0.5, low=0.48, high=0.53)
    >>> law.low <= law.exponent <= law.high
    True
    """

    exponent: float
    low: float
    high: float


def depth_laws(
    depths: Sequence[int],
    measured: Mapping[str, Mapping[str, Array]],
    theory: Mapping[str, Mapping[str, Array]],
    laws: Mapping[str, Mapping[str, Law]],
    strings: Strings,
) -> Picture:
    """Signal and gradient against the number of units, both axes log.

    Parameters
    ----------
    depths : sequence of D ints
        Numbers of units.
    measured : quantity to row to (D, seeds) float64
        "signal" and "gradient".
    theory : likewise, to (D,) float64
        Dashed lines, where there is one.
    laws : likewise, to Law
        What was fitted; stands in the legend.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.depth.figures import Law, depth_laws
    >>> from preact.strings import Strings
    >>> depths, row = np.array([10.0, 40.0, 160.0]), "full-preactivation"
    >>> roots = {row: np.sqrt(depths)}
    >>> measured = {"signal": {row: np.sqrt(depths)[:, None]}}  # one seed
    >>> laws = {"signal": {row: Law(0.5, 0.49, 0.51)}}
    >>> picture = depth_laws(
    ...     depths, measured, {"signal": roots}, laws, Strings("en")
    ... )
    >>> picture.alt.split(": ")[-1]
    '0.50 (0.49 to 0.51).'
    """
    pictures = Picture(())
    for quantity, rows in measured.items():
        each = []
        with axes(112, 100) as (figure, ax):
            for row, values in rows.items():
                law = laws[quantity][row]
                label = strings(
                    "depth.law",
                    name=arm_name(row, strings),
                    exponent=f"{law.exponent:.2f}",
                    low=f"{law.low:.2f}",
                    high=f"{law.high:.2f}",
                )
                each.append(label)
                dots = {"marker": marker_of(row), "ls": "", "ms": 4}
                ax.plot(depths, values[:, 0], label=label, **_ink(row), **dots)
                ax.plot(depths, values[:, 1:], **_ink(row), **dots)
            for dashes, (row, line) in zip(
                DASHES, theory[quantity].items(), strict=False
            ):
                name = strings("drawn.theory", name=arm_name(row, strings))
                style: Any = {"color": INK, "lw": 1, "label": f"_{name}"}
                ax.plot(depths, line, dashes, **style)
            ax.set(xscale="log", yscale="log", xlabel=strings("figure.units"))
            ax.set_title(strings(f"depth.{quantity}"), fontsize=10)
            ax.set_xticks(depths, [str(L) for L in depths])
            marks = {"signal": [3, 10], "gradient": [10, 100]}[quantity]
            ax.set_yticks(marks, [f"{mark:g}" for mark in marks])
            ax.minorticks_off()
            figure.legend(loc="outside lower center", fontsize=9)
        alt = strings(
            "depth.laws_alt",
            quantity=strings(f"depth.{quantity}"),
            each=strings.join(each),
        )
        pictures += picture(figure, alt)
    return pictures


def dots_by_case(
    cases: Sequence[object],
    values: Mapping[str, Array],
    labels: tuple[str, str],
    alt: str,
    strings: Strings,
    *,
    limits: tuple[float, float],
    ticks: Sequence[float],
) -> Picture:
    """Every seed as a dot, the medians joined, case by case.

    Parameters
    ----------
    cases : sequence of C
        Named below the axis, at even distances.
    values : arm to (C, seeds) float64
        An arm is a row, or a row and "+final-bn".
    labels : (str, str)
        Of both axes.
    alt : str
        What is to be seen.
    limits : (float, float)
        Ends of the vertical axis.
    ticks : sequence of float
        Numbers at the vertical axis.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.depth.figures import dots_by_case
    >>> from preact.strings import Strings
    >>> errors = {"original": np.array([[9.2, 8.1], [82.5, 69.7]])}
    >>> picture = dots_by_case(
    ...     ["56 layers", "110 layers"],
    ...     errors,
    ...     ("network", "test error in %"),
    ...     "The original fails at 110 layers.",
    ...     Strings("en"),
    ...     limits=(0, 100),
    ...     ticks=(0, 50, 100),
    ... )
    >>> picture.alt
    'The original fails at 110 layers.'
    """
    many = len(values) > 4  # names of six arms need lines of their own
    with axes(140, 115 if many else 100) as (figure, ax):
        places = np.arange(len(cases), dtype=np.float64)
        for k, (arm, runs) in enumerate(values.items()):
            row, _, control = arm.partition("+")
            own = places + 0.09 * (k - (len(values) - 1) / 2)
            ax.plot(
                own,
                np.median(runs, axis=1),
                "--" if control else "-",
                label=arm_name(arm, strings),
                **marked(row, hollow=bool(control)),
            )
            dots = {"marker": marker_of(row), "ls": "", "ms": 4, "alpha": 0.5}
            ax.plot(own, runs, **_ink(row), **dots)
        ax.set(xlabel=labels[0], ylabel=labels[1], ylim=limits)
        ax.set_xticks(places, [str(case) for case in cases])
        numbers = [strings.number(tick, "g") for tick in ticks]
        ax.set_yticks(ticks, numbers)
        figure.legend(
            loc="outside lower center",
            ncols=1 if many else 2,
            fontsize=8.5,
            handlelength=4,
        )
    return picture(figure, alt)


def paths_fresh_and_trained(
    fresh: Mapping[str, Array],
    trained: Mapping[str, Array],
    alt: str,
    strings: Strings,
) -> Picture:
    """What true paths of each length carry, before training and after.

    Parameters
    ----------
    fresh, trained : arm to (n + 1, seeds) float64
        Mean square of all paths through k = 0 ... n branches together, as a
        share of the sum over k.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book.depth.figures import paths_fresh_and_trained
    >>> from preact.strings import Strings
    >>> fresh = {"original": np.array([[0.2], [0.5], [0.3]])}  # k = 0, 1, 2
    >>> trained = {"original": np.array([[0.6], [0.3], [0.1]])}
    >>> alt = "Training shortens the paths."
    >>> picture = paths_fresh_and_trained(fresh, trained, alt, Strings("en"))
    >>> picture.alt == alt
    True
    """
    with axes(140, 95) as (figure, ax):
        for arm in fresh:
            row = arm.partition("+")[0]
            length = np.arange(len(fresh[arm]))
            pairs = (("before", fresh, ":"), ("after", trained, "-"))
            for when, values, style in pairs:
                runs = values[arm]
                ax.plot(
                    length,
                    np.median(runs, axis=1),
                    style,
                    label=strings(
                        f"depth.{when}", name=arm_name(arm, strings)
                    ),
                    **marked(row, hollow=when == "before"),
                )
                dots = {"marker": marker_of(row), "ls": "", "ms": 3}
                alpha = 0.5 if when == "after" else 0.25
                ax.plot(length, runs, alpha=alpha, **_ink(row), **dots)
        ax.set(
            xlabel=strings("paths.length"),
            ylabel=strings("depth.share"),
            ylim=(0, 0.6),
        )
        ax.set_yticks([0, 0.2, 0.4, 0.6])
        figure.legend(
            loc="outside lower center", ncols=2, fontsize=8.5, handlelength=4
        )
    return picture(figure, alt)


def _ink(row: str) -> dict[str, str]:
    return {"color": color_of(row)}
