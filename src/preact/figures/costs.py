"""What training costs: steps of a table, lines."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from preact.figures.lines import width_of
from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK

Array = np.ndarray[Any, np.dtype[np.float64]]
DASHES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D", "v", "P")


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
    >>> from preact.figures import steps_with_band
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


class Trace(NamedTuple):
    """Points or a line of a chart.

    Parameters
    ----------
    x, y : sequences of P floats
        Above 0: both axes are logarithmic.
    joined : bool
        Whether they are a line.

    Examples
    --------
    >>> from preact.figures import Trace, log_chart
    >>> measured = Trace([1, 10, 100], [3, 20, 300], joined=False)
    >>> chart = log_chart(
    ...     {"measured": measured, "equal": Trace([1, 100], [1, 100])},
    ...     ("predicted, s", "measured, s"),
    ...     "Measured times are two to three times those predicted.",
    ...     ticks=((1, 10, 100), (1, 10, 100)),
    ... )
    >>> chart.alt
    'Measured times are two to three times those predicted.'
    """

    x: Sequence[float]
    y: Sequence[float]
    joined: bool = True


def log_chart(
    traces: Mapping[str, Trace],
    labels: tuple[str, str],
    alt: str,
    *,
    ticks: tuple[Sequence[float], Sequence[float]],
    names: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Picture:
    """Draw lines and points on logarithmic axes.

    Parameters
    ----------
    ticks : two sequences
        Of both axes; `names` is what stands at them.

    Examples
    --------
    >>> from preact import cifar_plan
    >>> from preact.figures import Trace, log_chart
    >>> plans = [cifar_plan("original", depth=d, convs=3) for d in (164, 1001)]
    >>> sizes = Trace([p.depth for p in plans], [p.parameters for p in plans])
    >>> chart = log_chart(
    ...     {"bottleneck": sizes},
    ...     ("layers", "parameters"),
    ...     f"{sizes.y[1]:,} parameters at 1001 layers",
    ...     ticks=((164, 1001), (1e6, 1e7)),
    ... )
    >>> chart.alt
    '10,328,602 parameters at 1001 layers'
    """
    with axes(140, 96) as (figure, ax):
        lines = points = 0
        for name, (x, y, joined) in traces.items():
            if joined:
                ax.plot(x, y, DASHES[lines], color=INK, label=name)
                lines += 1
            else:
                ax.plot(x, y, MARKERS[points], color=INK, label=name)
                points += 1
        ax.set(xscale="log", yscale="log")
        ax.set(xlabel=labels[0], ylabel=labels[1])
        shown = names or tuple([f"{t:g}" for t in axis] for axis in ticks)
        ax.set_xticks(ticks[0], shown[0])
        ax.set_yticks(ticks[1], shown[1])
        ax.minorticks_off()
        figure.legend(
            loc="outside lower center",
            ncols=1 if any(width_of(name) > 34 for name in traces) else 2,
            fontsize=8.5,
            handlelength=4,
        )
    return picture(figure, alt)
