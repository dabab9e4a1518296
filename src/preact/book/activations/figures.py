"""Errors of all units, the silent chain, and Fig. 5 redrawn."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.svg import INK
from preact.figures.ticks import PERCENT, percent_axis
from preact.figures.units import (
    FILL,
    IDENTITY,
    MATH_TEXT,
    PAGE,
    TITLE_TEXT,
    WIRE,
    Pen,
)
from preact.figures.variants import (
    marked,
    row_name,
    values_by_row,
)
from preact.plan import ReLU
from preact.strings import Strings

GAP = 0.6  # between two groups, in lines


class Arm(NamedTuple):
    """A unit in a picture, and its test errors in percent by seed.

    Those without and those with a BN before the classifier.
    """

    label: str
    color: str
    marker: str
    without: Array
    final_bn: Array


def errors_by_unit(
    groups: Mapping[str, Sequence[Arm]], strings: Strings
) -> Picture:
    """Errors of all units with and without a final BN, group by group.

    The groups have titles and stand from top to bottom.
    """
    lines = sum(1 + GAP + len(arms) for arms in groups.values())

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax, y, places, labels = panel.ax, 0.0, [], []
        for title, arms in groups.items():
            top = y - GAP / 4  # of a title of two lines, on a phone
            left = 0.85 * PERCENT[0]
            ax.text(left, top, title, fontsize=9, va="center", weight="bold")
            for arm in arms:
                y += 1
                places.append(y)
                labels.append(arm.label)
                for shift, values, head in (
                    (-0.17, arm.without, "without"),
                    (0.17, arm.final_bn, "with"),
                ):
                    panel.plot(
                        values,
                        np.full(len(values), y + shift),
                        arm.marker,
                        color=arm.color,
                        alpha=0.85,
                        ms=5,
                        mfc="none" if head == "with" else arm.color,
                        name=strings(f"activations.{head}"),
                        told=(None, [arm.label] * len(values)),
                    )
            y += 1 + GAP
        for name, mfc in (("without", INK), ("with", "none")):
            label = strings(f"activations.{name}")
            ax.plot([], [], "o", color=INK, mfc=mfc, label=label)
        percent_axis(ax)
        ax.set_yticks(places, labels)
        ax.set(ylim=(y - GAP, -1), xlabel=strings("activations.error"))
        ax.grid(visible=True, axis="x")
        chart.legend(ncols=2, fontsize=9)

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
    alt = strings("activations.alt_errors", each=strings.join(each))
    return draw(on, (150, 26 + 6.2 * lines), alt)


def silent_chain(kept: Mapping[str, Array], strings: Strings) -> Picture:
    """What is left of the input behind silent units.

    `kept` is the correlation of x_l with x_0, (seeds, L + 1), by row or by
    another name of the strings.
    """

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for i, (row, values) in enumerate(kept.items()):
            style = marked(row, (i, len(kept)))
            at, name = np.arange(values.shape[1]), row_name(row, strings)
            panel.seeds(at, values.T, name=name, **style)
        panel.ax.set(
            xlabel=strings("activations.silent_units"),
            ylabel=strings("activations.correlation"),
            ylim=(0, 1.05),
        )
        chart.legend(ncols=2, fontsize=9)

    left = {r: f"{np.median(v[:, -1]):.2f}" for r, v in kept.items()}
    alt = strings(
        "activations.alt_silent",
        units=next(iter(kept.values())).shape[1] - 1,
        each=values_by_row(strings, left),
    )
    return draw(on, (150, 80), alt)


TRUNK, BRANCH, WIDTH, TOP = 50, 132, 190, 44
PITCH = 190  # from one addition to the next
KINDS = ("fig_symmetric", "fig_asymmetric", "fig_regrouped")


def three_of_figure_5(strings: Strings) -> Picture:
    """Draw Fig. 5(a), (b) and (c): two additions and what lies between."""
    parts = Picture(())
    for letter, kind in zip("abc", KINDS, strict=True):
        title = strings(f"activations.{kind}", letter=letter)
        alt = strings(f"activations.alt_{kind}", letter=letter)
        parts += Picture.of(_panel(kind, title), alt)
    return parts


def _panel(kind: str, title: str) -> ET.Element:
    """One of the three; the activation and the cut make the difference."""
    pen = Pen()
    pen.text(WIDTH / 2, 14, escape(title), TITLE_TEXT)
    foot = TOP + PITCH
    own = kind != "fig_symmetric"
    for y in (TOP, foot):
        pen.plus(TRUNK, y)
    split = TOP + (26 if own else 88)
    look = IDENTITY if own else WIRE
    pen.line((TRUNK, 24), (TRUNK, TOP - 9), end=True)
    pen.line((BRANCH, 24), (BRANCH, TOP), (TRUNK + 9, TOP), end=True)
    pen.line((TRUNK, TOP + 9), (TRUNK, foot - 9), end=True, look=look)
    act = (BRANCH if own else TRUNK, TOP + 42, "f̂" if own else "f = ReLU")
    pen.line((TRUNK, split), (BRANCH, split), (BRANCH, TOP + 112), end=True)
    _box(pen, *act, FILL[ReLU])
    _box(pen, BRANCH, TOP + 112, "F", "#2a7fc1")
    pen.line((BRANCH, TOP + 138), (BRANCH, foot), (TRUNK + 9, foot), end=True)
    cut = TOP + 15 if kind == "fig_regrouped" else TOP + 100
    for y in (cut, cut + PITCH) if kind == "fig_regrouped" else (cut,):
        pen.parts.append(
            f'<path d="M4 {y}L{WIDTH - 4} {y}" stroke="currentColor" '
            'stroke-width="1" stroke-dasharray="5 4" fill="none"/>'
        )
    symbol = "x" if kind == "fig_regrouped" else "y"
    pen.text(TRUNK - 26, TOP + 30, symbol, MATH_TEXT)
    pen.line((TRUNK, foot + 9), (TRUNK, foot + 34), end=True)
    return pen.drawing(WIDTH, foot + 40)


def _box(pen: Pen, x: float, y: float, text: str, color: str) -> None:
    """Draw a box that hides the wire behind it."""
    for extra in (
        PAGE,
        f'fill="{color}" fill-opacity=".2" stroke="{color}"',
    ):
        pen.parts.append(
            f'<rect x="{x - 33}" y="{y}" width="66" height="26" rx="4" '
            f"{extra}/>"
        )
    pen.text(x, y + 17, escape(text))
