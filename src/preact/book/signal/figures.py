"""How a signal grows; the paths it takes, counted and weighed by length."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from preact.figures.chart import Array, Chart, draw
from preact.figures.propagation import row_style
from preact.figures.style import PAPER_GREY, Picture
from preact.figures.svg import INK
from preact.figures.variants import color_of, values_by_row
from preact.strings import Strings


def paths_by_length(
    number: Array, carried: Array, theory: Array, strings: Strings
) -> Picture:
    """How many paths take k branches, and how much of the signal they carry.

    For k = 0 ... L their share of all paths, and of the mean square, measured
    and predicted.
    """
    length = np.arange(len(number))

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        name = strings("paths.number")
        panel.ax.fill_between(  # one path, where bars would be one each
            length, number, color=PAPER_GREY, alpha=0.45, lw=0, label=name
        )
        panel.plot(
            length,
            carried,
            color=color_of("full-preactivation"),
            lw=3,
            alpha=0.7,
            name=strings("paths.carried"),
            listed=True,
        )
        style: Any = {"color": INK, "lw": 1, "listed": True}
        panel.plot(length, theory, "--", name=strings("paths.theory"), **style)
        shares = number.tolist()
        panel.note(name, length.tolist(), shares, [0.0] * len(shares), shares)
        panel.ax.set(
            xlabel=strings("paths.length"),
            ylabel=strings("paths.share"),
            ylim=(0, 0.6),
            xticks=[0, length[-1] // 2, length[-1]],
            yticks=[0, 0.2, 0.4, 0.6],
        )
        panel.ax.grid(False)
        chart.legend(fontsize=9)

    alt = strings(
        "alt.paths",
        units=len(number) - 1,
        most=int(number.argmax()),
        mean=f"{(length * carried).sum():.1f}",
        predicted=f"{(length * theory).sum():.1f}",
    )
    return draw(on, (118, 88), alt)


def growth_laws(
    signal: Mapping[str, Array], laws: Mapping[str, Array], strings: Strings
) -> Picture:
    """Measured growth of the signal on theory's lines, both axes log.

    By row the rms of x_l, (L + 1,), and what theory predicts by the name of
    its law in the strings.
    """
    depth = np.arange(1, len(next(iter(signal.values()))) + 1)

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for i, (row, values) in enumerate(signal.items()):
            style = row_style(row, i, strings)
            panel.plot(depth, values, listed=True, **style)
        for law, values in laws.items():
            name = strings(f"law.{law}")
            panel.plot(depth, values, "--", color=INK, lw=1, name=name)
            panel.ax.annotate(
                name,
                (depth[-1], values[-1]),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
            )
        panel.ax.set(
            xscale="log",
            yscale="log",
            xlabel=strings("figure.depth_plus_one"),
            ylabel=strings("figure.signal"),
        )
        panel.ax.set_xlim(right=depth[-1])  # no grid behind the laws' names
        chart.legend(ncols=2, fontsize=8.5)

    alt = strings(
        "alt.growth",
        units=len(depth) - 1,
        each=values_by_row(strings, {row: v[-1] for row, v in signal.items()}),
    )
    return draw(on, (150, 95), alt)
