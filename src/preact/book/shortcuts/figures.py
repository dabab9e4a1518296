"""Table 1 drawn: what predicts its errors, and shortcuts by depth."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.transforms import ScaledTranslation, Transform

from preact.figures.chart import Array, Chart, Panel, draw
from preact.figures.style import PAPER_GREY, Picture
from preact.figures.svg import INK
from preact.figures.ticks import power
from preact.figures.variants import alone, arm_name, color_of, marked, row_name
from preact.strings import Strings

HIDDEN = 0.03, 0.4  # nearer: a share of the axis across, percent upward
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

    The theory is "as_set", "at_work" or "growth"; its number is drawn as the
    median of (seeds,) at an axis within `limits`, or at its edge. An error is
    in percent, None is "fail".
    """
    labels = strings(f"shortcut.{theory}"), strings("shortcut.error")
    fail = strings("table.fail")

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        foot, top = FAIL_AT - FAIL_HIGH, FAIL_AT + FAIL_HIGH
        ax.axhspan(foot, top, color=PAPER_GREY, alpha=0.15, lw=0)
        fails = [row for row in predicted if errors[row] is None]
        places: list[tuple[float, float]] = []
        for row, values in predicted.items():
            error = errors[row]
            # a "fail" is drawn at a height that nobody measured
            told = [fail if error is None else error] * len(values)
            panel.note(row_name(row, strings), values.tolist(), told)
            if error is None:  # one below the other, or they would hide
                step = (2 * FAIL_HIGH - 1) / max(1, len(fails) - 1)
                error = top - 0.5 - step * fails.index(row)
            x = np.clip(values, *limits)
            style = alone(row) | {"zorder": 3}
            ends = [x.min(), x.max()]
            half = style["ms"] / 2
            drop = -half - 1 if style["marker"].startswith("$") else 0
            below = offset(ax, 0, drop)  # a line would strike a digit out
            line: Any = {"lw": 1, "alpha": 0.5, "transform": below}
            ax.plot(ends, [error, error], color=style["color"], **line)
            place = float(np.median(x)), error
            if any(hides(place, other, limits) for other in places):
                style["transform"] = offset(ax, -half - 2.5, 0)
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
        ax.set_title(labels[1], loc="left")

    alt = strings(
        "alt.prediction",
        theory=strings(f"shortcut.{theory}"),
        each=strings.join(
            [
                strings(
                    "alt.prediction_row",
                    row=row_name(row, strings),
                    value=strings.two_digits(np.median(values)),
                    error=fail
                    if (error := errors[row]) is None
                    else strings.percent(error, 2),
                )
                for row, values in predicted.items()
            ]
        ),
    )
    return draw(on, (88, 96), alt)


def offset(ax: Any, across: float, up: float) -> Transform:
    """Return where an axes' numbers stand, moved by points."""
    scale = ax.figure.dpi_scale_trans
    there: Transform = ax.transData
    return there + ScaledTranslation(across / 72, up / 72, scale)


def hides(
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

    def on(chart: Chart) -> None:
        ax = chart.panels[0].ax
        ax.axis("off")
        for row, name in rows.items():
            ax.plot([], [], ls="", label=name, **alone(row))
        chart.legend(within=ax, loc="center", ncols=2, fontsize=9)

    alt = strings("alt.row_key", rows=strings.join([*rows.values()]))
    return draw(on, (150, 20), alt)


def over_units(
    measured: Mapping[str, tuple[str, Array]],
    theory: Mapping[str, Array],
    title: str,
    strings: Strings,
    *,
    limits: tuple[float, float],
) -> Picture:
    """Measured curves over the units, solid, and predicted ones, dashed.

    `measured` is by label: a row, which gives the color, and (seeds, L + 1),
    whose band runs from the least to the greatest. The vertical axis,
    logarithmic within `limits`, has the title.
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for i, (label, (row, values)) in enumerate(measured.items()):
            style = marked(row, (i, len(measured)))
            at = np.arange(values.shape[1])
            panel.seeds(at, values.T, name=label, **style)
        for dashes, (label, line) in zip(
            ("--", ":", "-."), theory.items(), strict=False
        ):
            style = {"color": INK, "lw": 1.2, "name": label, "listed": True}
            panel.plot(np.arange(len(line)), line, dashes, **style)
        panel.ax.set(yscale="log", ylim=limits, xlabel=strings("figure.depth"))
        panel.ax.set_title(title)
        panel.ax.minorticks_off()
        chart.legend(ncols=2, fontsize=8.5)

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
    return draw(on, (130, 88), alt)


def ablation(
    errors: Mapping[tuple[str, str], Array],
    rows: Mapping[str, str],
    strings: Strings,
    *,
    title: str,
) -> Picture:
    """Dots of a shortcut x head experiment, one a seed, a bar at the median.

    Training errors in percent by shortcut, a name among the words `shortcut`,
    and tail, "" or "BN", whose dots are hollow. A shortcut has the color of
    its row.
    """
    shortcuts = list(dict.fromkeys(shortcut for shortcut, _ in errors))
    names = [strings(f"shortcut.{shortcut}") for shortcut in shortcuts]

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for (shortcut, tail), values in errors.items():
            k = shortcuts.index(shortcut)
            y = -k - (0.16 if tail else -0.16)
            _dots(
                panel, values, y, names[k], bool(tail), rows[shortcut], strings
            )
            middle: Any = {"color": INK, "ms": 15, "mew": 1.6}
            panel.ax.plot(np.median(values), y, "|", **middle)
        panel.ax.set_yticks(-np.arange(len(shortcuts)), names)
        panel.ax.set(
            xlim=(-2, 102),
            ylim=(-len(shortcuts) + 0.45, 0.55),
            xlabel=strings("figure.training_error"),
        )
        panel.ax.set_title(title)
        _legend_of_heads(chart, strings)

    each = [
        strings(
            "alt.ablation_arm",
            shortcut=strings(f"shortcut.{shortcut}"),
            head=strings(HEADS[bool(tail)]),
            value=f"{np.median(values):.0f}",
        )
        for (shortcut, tail), values in errors.items()
    ]
    seeds, said = len(next(iter(errors.values()))), strings.join(each)
    alt = strings("alt.ablation", title=title, seeds=seeds, each=said)
    return draw(on, (150, 20 + 15 * len(shortcuts)), alt)


def _dots(
    panel: Panel,
    values: Array,
    y: float,
    row: str,
    final_bn: bool,
    color: str,
    strings: Strings,
) -> None:
    """Draw a row's runs, hollow with a BN before the classifier."""
    style: Any = {"color": color_of(color), "ms": 5, "alpha": 0.8}
    style |= {"mfc": "none"} if final_bn else {}
    # at the end of its axis a dot stays whole
    style |= {"name": strings(HEADS[final_bn]), "clip_on": False}
    told = None, [row] * len(values)
    panel.plot(values, np.full(len(values), y), "o", told=told, **style)


def _legend_of_heads(chart: Chart, strings: Strings) -> None:
    """Say which dots have a BN before the classifier."""
    for fill, key in (({}, HEADS[0]), ({"mfc": "none"}, HEADS[1])):
        style: Any = {"color": INK, "ms": 5, "label": strings(key)} | fill
        chart.panels[0].ax.plot([], [], "o", **style)
    chart.legend(ncols=2, fontsize=9)


def growth_and_error(
    runs: Mapping[tuple[str, str], tuple[Array, Array]], strings: Strings
) -> Picture:
    """Growth of the gradient before training and the error after it.

    A line for each row of the table, by its growth: a scatter chart would draw
    the dots of most rows on each other. `runs` are growth and error in
    percent, (seeds,) each, by row and tail.
    """
    rows = sorted(
        {row for row, _ in runs}, key=lambda row: np.median(runs[row, ""][0])
    )
    names = [row_name(row, strings) for row in rows]

    def on(chart: Chart) -> None:
        for (row, tail), values in runs.items():
            apart = 0.17 if (row, "BN") in runs else 0
            k, told = rows.index(row), row_name(row, strings)
            y = k + (apart if tail else -apart)
            for panel, quantity in zip(chart.panels, values, strict=True):
                _dots(panel, quantity, y, told, bool(tail), row, strings)
        _legend_of_heads(chart, strings)
        growth, error = (panel.ax for panel in chart.panels)
        marks = 10.0 ** np.arange(0, 9, 2)
        growth.set_xscale("log")
        growth.set_xticks(marks, [power(mark) for mark in marks])
        growth.minorticks_off()
        error.set_xlim(0, 100)
        growth.set_yticks(range(len(rows)), names, linespacing=1.0)
        growth.tick_params(axis="y", labelsize=9)
        growth.set_ylim(len(rows) - 0.4, -0.6)
        growth.set_title(strings("shortcut.growth"))
        error.set_title(strings("shortcut.digits_error"))

    each = [
        strings(
            "alt.prediction_row",
            row=arm_name(f"{row}+final-bn" if tail else row, strings),
            value=strings.two_digits(np.median(growth)),
            error=strings.percent(np.median(error), 0),
        )
        for (row, tail), (growth, error) in runs.items()
    ]
    alt = strings("alt.growth_and_error", each=strings.join(each))
    size = 170, 24 + 7 * len(rows)
    return draw(on, size, alt, panels=2, abreast=True)
