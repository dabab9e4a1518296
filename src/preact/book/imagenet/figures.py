"""Steps of Table 5, and what training took beside the prediction.

Chapter `09-imagenet`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]


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

    Examples
    --------
    >>> from preact.book.imagenet.figures import steps_with_band
    >>> steps = {"scale augmentation": (-0.9, 0.18), "deeper": (-0.4, 0.18)}
    >>> alt = "Scale augmentation gains 0.9 points, depth 0.4."
    >>> picture = steps_with_band(steps, "change of the error in points", alt)
    >>> picture.alt == alt
    True
    """
    with axes(140, 14 + 11 * len(steps)) as (figure, ax):
        for y, (name, (change, error)) in enumerate(steps.items()):
            ax.hlines(y, 0, change, color=INK, lw=1, alpha=0.5)
            style: Any = {"fmt": "o", "color": INK, "capsize": 3}
            ax.errorbar(change, y, xerr=2 * error, label=f"_{name}", **style)
        ax.axvline(0, color=PAPER_GREY)
        ax.set_yticks(range(len(steps)), list(steps))
        ax.set(ylim=(len(steps) - 0.5, -0.5), xlabel=label)
        ax.grid(visible=True, axis="x")
    return picture(figure, alt)


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

    Examples
    --------
    >>> from preact.book.imagenet.figures import real_over_predicted
    >>> from preact.strings import Strings
    >>> steps, trainings = {"a step": (1.0, 2.0)}, {"a training": (3e5, 9e5)}
    >>> chart = real_over_predicted(steps, trainings, Strings("en"))
    >>> chart.alt.split(": ")[-1]
    'a step 2.0, a training 3.0.'
    """
    times = {0.1: "0.1 s", 10: "10 s", 3600: "1 h", 360000: "100 h"}
    with axes(140, 96) as (figure, ax):
        pairs = {**steps, **trainings}
        for marker, (name, (guess, real)) in zip(
            "os^DvP", pairs.items(), strict=False
        ):
            ax.plot(guess, real / guess, marker, color=INK, label=name)
        equal = strings("imagenet.equal")
        ax.plot((0.01, 1e6), (1, 1), "-", color=INK, label=equal)
        ax.set(xscale="log", yscale="log")
        ax.set_xlabel(strings("imagenet.predicted"))
        ax.set_ylabel(strings("imagenet.error"))
        ax.set_xticks([*times], [*times.values()])
        ax.set_yticks([0.5, 1, 2, 5], ["0.5", "1", "2", "5"])
        ax.minorticks_off()
        figure.legend(
            loc="outside lower center",
            ncols=2,
            fontsize=8.5,
            handlelength=4,
        )
    each = [
        strings("imagenet.step", name=name, points=f"{real / guess:.1f}")
        for name, (guess, real) in pairs.items()
    ]
    alt = strings("imagenet.error_alt", each=strings.join(each))
    return picture(figure, alt)
