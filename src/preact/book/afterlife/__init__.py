"""What became of the identity: pictures of transformers.

Chapter `11-afterlife`.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from preact.book.afterlife.runs import (
    DEPTHS,
    Moment,
    at_rate,
    recorded_letters,
)
from preact.book.explorers import Html, stepper
from preact.book.page import words
from preact.book.panels import Quantity, by_unit, legend, panels
from preact.figures import Picture
from preact.figures.chart import Array, Chart, draw
from preact.figures.svg import INK
from preact.figures.variants import marked, row_name

# The axes of signal and gradient are those of networks in training.
QUANTITIES = (
    Quantity("signal", (-1, 1, 3, 5), True),
    Quantity("gradient", (-12, -8, -4, 0, 4, 8), True),
    Quantity("direct", (-16, -12, -8, -4, 0), True),
)


# ------------------------------------------------------ transformers by unit
def picture_of(
    moments: Mapping[str, Sequence[Moment]], layers: int
) -> Picture:
    """Draw fresh networks by unit, with an alternative text."""
    say, names = words(), [quantity.name for quantity in QUANTITIES]
    arms, each = {}, []
    for arm, of in moments.items():
        values = signal, gradient, direct = by_unit(of, "direct")
        arms[arm] = dict(zip(names, values, strict=True))
        each.append(
            say(
                "afterlife.each",
                name=row_name(arm, say),
                signal=say.two_digits(signal[1, -1]),
                gradient=say.two_digits(gradient[1, 0]),
                direct=say.two_digits(direct[1, 0]),
            )
        )
    axes = {name: say(f"training.{name}") for name in names}
    alt = say("afterlife.alt", each=" ".join(each), layers=layers, **axes)
    return panels(QUANTITIES, arms, {}, 2 * layers, alt, say)


def start_by_depth(
    moments: Mapping[int, Mapping[str, Sequence[Moment]]],
) -> Html:
    """A slider over the depth of fresh transformers.

    `moments` are by number of layers and arm, one for each seed.
    """
    say = words()
    frames = {
        str(layers): picture_of(arms, layers)
        for layers, arms in moments.items()
    }
    arms_of = next(iter(moments.values()))
    named = legend({arm: row_name(arm, say) for arm in arms_of})
    deepest = list(frames)[-1]
    pictures = stepper(say("afterlife.layers"), frames, deepest, named)
    return Html(f'<div class="preact-training">{pictures.markup}</div>')


RATES = (0.0003, 0.001, 0.003)
DRAWS = ("book", "default")


def loss_by_rate() -> Picture:
    """Draw losses after training by learning rate, a panel for each depth.

    A dot a seed, the medians joined. The dotted line is the loss of a guess
    that knows only how frequent letters are.
    """
    say, rates = words(), [f"{rate:g}" for rate in RATES]
    losses: dict[int, dict[tuple[str, str, str], Array]] = {}
    for layers, arm, drawn in product(DEPTHS, ("post-ln", "pre-ln"), DRAWS):
        found = [at_rate(arm, layers, lr, drawn) for lr in RATES]
        if all(found):  # not all were drawn as PyTorch does
            name = f"{row_name(arm, say)}, {say(f'afterlife.{drawn}')}"
            losses.setdefault(layers, {})[arm, drawn, name] = np.array(
                [[run.test_loss for run in runs] for runs in found], float
            )

    def on(chart: Chart) -> None:
        for panel, (layers, curves) in zip(
            chart.panels, losses.items(), strict=True
        ):
            for k, ((arm, drawn, name), values) in enumerate(curves.items()):
                shift = 0.07 * (k - (len(curves) - 1) / 2)
                look = marked(arm, hollow=drawn == "default")
                line = "--" if drawn == "default" else "-"
                at, told = np.arange(len(rates)) + shift, (rates, None)
                middle = np.median(values, axis=1)
                style: Any = look | {"name": name, "told": told}
                panel.plot(at, middle, listed=True, **style, ls=line)
                panel.plot(at, values, **style, ls="", alpha=0.5)
            name, letters = say("afterlife.letters"), recorded_letters()
            panel.ax.axhline(letters, ls=":", color=INK, lw=1, label=name)
            panel.note(name, [""], [letters])
            panel.ax.set_title(say("afterlife.of_layers", layers=layers))
            panel.ax.set(xlabel=say("afterlife.rate"))
            panel.ax.set_xticks(np.arange(len(rates)), rates)
        limits = [panel.ax.get_ylim() for panel in chart.panels]
        for panel in chart.panels:
            panel.ax.set_ylim(np.min(limits), np.max(limits))
            if chart.stacked or panel is chart.panels[0]:
                panel.ax.set_ylabel(say("afterlife.loss"))
        chart.legend(chart.panels[0], ncols=2, fontsize=8.5)

    each = [
        say(
            "afterlife.from_to",
            name=name,
            layers=layers,
            each=say.join([f"{m:.2f}" for m in np.median(values, axis=1)]),
        )
        for layers, curves in losses.items()
        for (_, _, name), values in curves.items()
    ]
    alt = say("afterlife.loss_alt", rates=say.join(rates), each=say.join(each))
    return draw(on, (170, 95), alt, panels=len(losses))
