"""Transformers by unit, and their losses by learning rate."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.book.panels import Quantity
from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.svg import INK
from preact.figures.variants import marked, row_name
from preact.strings import Strings

# The axes of signal and gradient are those of networks in training.
QUANTITIES = (
    Quantity("signal", (-1, 1, 3, 5), True),
    Quantity("gradient", (-12, -8, -4, 0, 4, 8), True),
    Quantity("direct", (-16, -12, -8, -4, 0), True),
)


def losses_by_rate(
    rates: Sequence[float],
    losses: Mapping[int, Mapping[tuple[str, str], Array]],
    letters: float,
    alt: str,
    strings: Strings,
) -> Picture:
    """Losses after training by learning rate, a panel for each depth.

    In nats per character, (rates, seeds), by depth, arm and how weights are
    drawn, "book" or "default": a dot a seed, the medians joined. The dotted
    line is the loss of a guess that knows only how frequent `letters` are.
    """
    names = [f"{rate:g}" for rate in rates]

    def on(chart: Chart) -> None:
        for panel, (layers, curves) in zip(
            chart.panels, losses.items(), strict=True
        ):
            for k, ((arm, drawn), values) in enumerate(curves.items()):
                shift = 0.07 * (k - (len(curves) - 1) / 2)
                name = row_name(arm, strings)
                name += f", {strings(f'afterlife.{drawn}')}"
                look = marked(arm, hollow=drawn == "default")
                line = "--" if drawn == "default" else "-"
                at, told = np.arange(len(rates)) + shift, (names, None)
                middle = np.median(values, axis=1)
                style: Any = look | {"name": name, "told": told}
                panel.plot(at, middle, listed=True, **style, ls=line)
                panel.plot(at, values, **style, ls="", alpha=0.5)
            name = strings("afterlife.letters")
            panel.ax.axhline(letters, ls=":", color=INK, lw=1, label=name)
            panel.note(name, [""], [letters])
            panel.ax.set_title(strings("afterlife.of_layers", layers=layers))
            panel.ax.set(xlabel=strings("afterlife.rate"))
            panel.ax.set_xticks(np.arange(len(rates)), names)
        limits = [panel.ax.get_ylim() for panel in chart.panels]
        for panel in chart.panels:
            panel.ax.set_ylim(np.min(limits), np.max(limits))
            if chart.stacked or panel is chart.panels[0]:
                panel.ax.set_ylabel(strings("afterlife.loss"))
        chart.legend(chart.panels[0], ncols=2, fontsize=8.5)

    return draw(on, (170, 95), alt, panels=len(losses))
