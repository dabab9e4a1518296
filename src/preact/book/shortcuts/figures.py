"""Table 1 drawn: what predicts its errors, and shortcuts by depth.

Chapter `05-shortcuts`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.transforms import ScaledTranslation, Transform

from preact.figures.drawn import AID, Series
from preact.figures.style import PAPER_GREY, Picture, axes, picture
from preact.figures.svg import INK
from preact.figures.ticks import power
from preact.figures.variants import alone, color_of, marked, row_name
from preact.strings import Strings

HIDDEN = 0.03, 0.4  # nearer: a share of the axis across, percent upward
Array = np.ndarray[Any, np.dtype[np.float64]]
FAIL_AT = 16.5  # where "fail" is drawn: the paper prints no number
FAIL_HIGH = 2.3  # half of a band in which nine rows stand apart
HEADS = ("shortcut.no_bn", "shortcut.with_bn")  # of the classifier
KINDS = ("exclusive-gating", "shortcut-only-gating")


def prediction_beside_errors(
    theory: str,
    predicted: Mapping[str, Array],
    errors: Mapping[str, float | None],
    strings: Strings,
    *,
    limits: tuple[float, float],
) -> Picture:
    """One number for each row of Table 1 against the paper's error.

    Parameters
    ----------
    theory : str
        "as_set", "at_work" or "growth".
    predicted : row name to (seeds,) float64
        The number; what lies beyond the axis is drawn at its edge.
    errors : row name to float or None
        Test error in percent; None is "fail".
    limits : (float, float)
        Of the horizontal axis, logarithmic.
    """
    labels = strings(f"shortcut.{theory}"), strings("shortcut.error")
    fail = strings("table.fail")
    series = []  # a "fail" is drawn at a height that nobody measured
    for row, values in predicted.items():
        error = errors[row]
        y = [fail if error is None else error] * len(values)
        name = row_name(row, strings)
        series.append(Series(labels[1], name, [*values], y, labels=labels))
    with axes(92, 104) as (figure, ax):
        foot, top = FAIL_AT - FAIL_HIGH, FAIL_AT + FAIL_HIGH
        ax.axhspan(foot, top, color=PAPER_GREY, alpha=0.15, lw=0)
        fails = [row for row in predicted if errors[row] is None]
        places: list[tuple[float, float]] = []
        for row, values in predicted.items():
            error = errors[row]
            if error is None:  # one below the other, or they would hide
                step = (2 * FAIL_HIGH - 1) / max(1, len(fails) - 1)
                error = top - 0.5 - step * fails.index(row)
            x = np.clip(values, *limits)
            name = row_name(row, strings)
            style = alone(row) | {"label": f"_{name}", "zorder": 3}
            ends = [x.min(), x.max()]
            half = style["ms"] / 2
            foot = -half - 1 if style["marker"].startswith("$") else 0
            below = moved(ax, 0, foot)  # a line would strike a digit out
            line: Any = {"lw": 1, "alpha": 0.5, "transform": below}
            line |= {"color": style["color"], "label": style["label"]}
            ax.plot(ends, [error, error], **line)
            place = np.median(x), error
            if any(meet(place, other, limits) for other in places):
                style["transform"] = moved(ax, -half - 2.5, 0)
            places.append(place)
            ax.plot(*place, **style)
        ticks = [6, 8, 10, 12, FAIL_AT]
        names = [f"{tick:g}" for tick in ticks[:-1]] + [fail]
        ax.set_yticks(ticks, names)
        low, high = limits
        wide = 1.5 * (high / low) ** 0.03
        ax.set(xscale="log", xlim=(low / wide, high * wide), ylim=(5.7, top))
        least, most = (round(np.log10(limit)) for limit in limits)
        step = 3 if most - least < 18 else 6
        marks = 10.0 ** np.arange(-(-least // step) * step, most + 1, step)
        ax.set_xticks(marks, [power(mark) for mark in marks])
        ax.minorticks_off()
        ax.set_xlabel(labels[0])
        ax.set_title(labels[1], fontsize=10, loc="left")
    alt = strings(
        "alt.prediction",
        theory=strings(f"shortcut.{theory}"),
        each=strings.join(
            [
                strings(
                    "alt.prediction_row",
                    row=row_name(row, strings),
                    value=strings.two_digits(np.median(values)),
                    error=error_name(errors[row], strings),
                )
                for row, values in predicted.items()
            ]
        ),
    )
    return picture(figure, alt, series)


def error_name(error: float | None, strings: Strings) -> str:
    """The paper's error, or its word for one above 20 %."""
    return (
        strings("table.fail") if error is None else strings.percent(error, 2)
    )


def moved(ax: Any, across: float, up: float) -> Transform:
    """Return where an axes' numbers stand, moved by points."""
    scale = ax.figure.dpi_scale_trans
    there: Transform = ax.transData
    return there + ScaledTranslation(across / 72, up / 72, scale)


def meet(
    one: tuple[float, float],
    other: tuple[float, float],
    limits: tuple[float, float],
) -> bool:
    """Say whether the marker of one place would hide that of another."""
    wide = np.log10(limits[1] / limits[0])
    across = abs(np.log10(one[0] / other[0])) / wide
    return bool(across < HIDDEN[0] and abs(one[1] - other[1]) < HIDDEN[1])


def row_key(strings: Strings) -> Picture:
    """The markers of Table 1: a gate's is its bias without the sign.

    In a ring it is that of a gate on the shortcut alone.
    """
    rows = {
        row: row_name(row, strings)
        for row in (
            *("original", "constant-scaling-0-1", "constant-scaling-0.5-1"),
            *("constant-scaling-0.5-0.5", "conv1x1-shortcut"),
            "dropout-shortcut",
        )
    }
    for kind in KINDS:
        rows[f"{kind}-b-6"] = strings(f"shortcut.{kind}")
    with axes(150, 20) as (figure, ax):
        ax.axis("off")
        for row, name in rows.items():
            ax.plot([], [], ls="", label=name, **alone(row))
        ax.legend(loc="center", ncols=2, fontsize=9)
    return picture(
        figure, strings("alt.row_key", rows=strings.join([*rows.values()]))
    )


def over_units(
    measured: Mapping[str, tuple[str, Array]],
    theory: Mapping[str, Array],
    title: str,
    strings: Strings,
    *,
    limits: tuple[float, float],
) -> Picture:
    """Measured curves over the units, solid, and predicted ones, dashed.

    Parameters
    ----------
    measured : label to (row name, (seeds, L + 1) float64)
        The row gives the color; the band runs from the least to the greatest.
    theory : label to (L + 1,) float64
        Dashed.
    title : str
        What the vertical axis shows.
    limits : (float, float)
        Of the vertical axis, logarithmic.
    """
    with axes(130, 88) as (figure, ax):
        for i, (label, (row, values)) in enumerate(measured.items()):
            color, depth = color_of(row), np.arange(values.shape[1])
            low, high = values.min(0), values.max(0)
            ax.fill_between(depth, low, high, color=color, alpha=0.2, lw=0)
            style = marked(row, (i, len(measured)))
            ax.plot(np.median(values, axis=0), **style, label=label)
        for dashes, (label, line) in zip(
            ("--", ":", "-."), theory.items(), strict=False
        ):
            ax.plot(line, dashes, color=INK, lw=1.2, label=label)
        ax.set(yscale="log", ylim=limits, xlabel=strings("figure.depth"))
        ax.set_title(title, fontsize=10)
        ax.minorticks_off()
        figure.legend(loc="outside lower center", ncols=2, fontsize=8.5)
    ends = {k: np.median(v, axis=0) for k, (_, v) in measured.items()} | {
        **theory
    }
    each = [
        strings(
            "alt.from_to",
            name=k,
            first=strings.two_digits(v[0]),
            last=strings.two_digits(v[-1]),
        )
        for k, v in ends.items()
    ]
    units = len(next(iter(ends.values()))) - 1
    alt = strings(
        "alt.over_units", title=title, units=units, each=strings.join(each)
    )
    return picture(figure, alt)


def _arm(row: str, tail: str, strings: Strings) -> str:
    """Name a row with what stands before the classifier."""
    name = row_name(row, strings)
    return name + strings("figure.with_final_bn") if tail else name


def ablation(
    errors: Mapping[tuple[str, str], Array],
    rows: Mapping[str, str],
    strings: Strings,
    *,
    title: str,
) -> Picture:
    """Dots of a shortcut x head experiment, one a seed, a bar at the median.

    Parameters
    ----------
    errors : (shortcut, tail) to (seeds,) float64
        Training error in percent. "shortcut.<shortcut>" names the shortcut;
        the tail is "" or "BN", and hollow dots have the BN.
    rows : shortcut to row name
        For its color.
    title : str
        Above the picture.
    """
    shortcuts = list(dict.fromkeys(shortcut for shortcut, _ in errors))
    with axes(150, 20 + 15 * len(shortcuts)) as (figure, ax):
        for (shortcut, tail), values in errors.items():
            color = color_of(rows[shortcut])
            y = -shortcuts.index(shortcut) - (0.16 if tail else -0.16)
            fill: Any = {"mfc": "none"} if tail else {}
            ax.plot(
                values,
                np.full(len(values), y),
                "o",
                color=color,
                ms=5,
                alpha=0.8,
                label=f"_{strings(HEADS[bool(tail)])}",
                **fill,
            )
            middle: Any = {"color": INK, "ms": 15, "mew": 1.6, "label": AID}
            ax.plot(np.median(values), y, "|", **middle)
        for fill, key in (({}, "no_bn"), ({"mfc": "none"}, "with_bn")):
            label = strings(f"shortcut.{key}")
            ax.plot([], [], "o", color=INK, ms=5, label=label, **fill)
        names = [strings(f"shortcut.{s}") for s in shortcuts]
        ax.set_yticks(-np.arange(len(shortcuts)), names)
        ax.set(
            xlim=(-2, 102),
            ylim=(-len(shortcuts) + 0.45, 0.55),
            xlabel=strings("figure.training_error"),
        )
        ax.set_title(title, fontsize=10)
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    each = [
        strings(
            "alt.ablation_arm",
            shortcut=strings(f"shortcut.{shortcut}"),
            head=strings(HEADS[bool(tail)]),
            value=f"{np.median(values):.0f}",
        )
        for (shortcut, tail), values in errors.items()
    ]
    seeds = len(next(iter(errors.values())))
    return picture(
        figure,
        strings(
            "alt.ablation", title=title, seeds=seeds, each=strings.join(each)
        ),
    )


def growth_and_error(
    runs: Mapping[tuple[str, str], tuple[Array, Array]], strings: Strings
) -> Picture:
    """Growth of the gradient before training and the error after it.

    A line for each row of the table, by its growth: a scatter chart would
    draw the dots of most rows on each other.

    Parameters
    ----------
    runs : (row, tail) to (growth, error in percent)
        Both (seeds,) float64; hollow dots have a BN before the classifier.
    """
    rows = sorted(
        {row for row, _ in runs}, key=lambda row: np.median(runs[row, ""][0])
    )
    with axes(170, 24 + 7 * len(rows), columns=2) as (figure, panels):
        panels[1].sharey(panels[0])
        for (row, tail), values in runs.items():
            apart = 0.17 if (row, "BN") in runs else 0
            y = rows.index(row) + (apart if tail else -apart)
            fill: Any = {"mfc": "none"} if tail else {}
            for ax, quantity in zip(panels, values, strict=True):
                ax.plot(
                    quantity,
                    np.full(len(quantity), y),
                    "o",
                    color=color_of(row),
                    ms=5,
                    alpha=0.8,
                    clip_on=False,  # at the end of its axis it stays whole
                    label=f"_{strings(HEADS[bool(tail)])}",
                    **fill,
                )
        for fill, key in (({}, HEADS[0]), ({"mfc": "none"}, HEADS[1])):
            label = strings(key)
            panels[0].plot([], [], "o", color=INK, ms=5, label=label, **fill)
        marks = 10.0 ** np.arange(0, 9, 2)
        panels[0].set_xscale("log")
        panels[0].set_xticks(marks, [power(mark) for mark in marks])
        panels[0].minorticks_off()
        panels[1].set_xlim(0, 100)
        names = [row_name(row, strings) for row in rows]
        panels[0].set_yticks(range(len(rows)), names, linespacing=1.0)
        panels[0].tick_params(axis="y", labelsize=9)
        panels[1].tick_params(labelleft=False)
        panels[0].set_ylim(len(rows) - 0.4, -0.6)
        for ax, name in zip(panels, ("growth", "digits_error"), strict=True):
            ax.set_title(strings(f"shortcut.{name}"), fontsize=10)
        figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    each = [
        strings(
            "alt.prediction_row",
            row=_arm(row, tail, strings),
            value=strings.two_digits(np.median(growth)),
            error=strings.percent(np.median(error), 0),
        )
        for (row, tail), (growth, error) in runs.items()
    ]
    return picture(
        figure, strings("alt.growth_and_error", each=strings.join(each))
    )
