"""What became of the identity: pictures of transformers.

Chapter `11-afterlife`.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from preact.book.afterlife.figures import QUANTITIES, losses_by_rate
from preact.book.afterlife.runs import (
    DEPTHS,
    Moment,
    at_rate,
    recorded_letters,
)
from preact.book.explorers import Html, stepper
from preact.book.page import words
from preact.book.panels import by_unit, legend, panels
from preact.figures import Picture
from preact.figures.variants import row_name
from preact.reference.caches import Array


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


def losses_at_rates(layers: int) -> dict[tuple[str, str], Array]:
    """Losses on topics not seen before: (rates, seeds) by arm and draw."""
    return {
        (arm, draw): np.array(
            [[run.test_loss for run in runs] for runs in found],
            dtype=np.float64,
        )
        for arm in ("post-ln", "pre-ln")
        for draw in DRAWS
        if all(found := [at_rate(arm, layers, lr, draw) for lr in RATES])
    }


def loss_by_rate() -> Picture:
    """Draw losses after training by learning rate, at both depths."""
    say = words()
    losses = {layers: losses_at_rates(layers) for layers in DEPTHS}
    each = [
        say(
            "afterlife.from_to",
            name=f"{row_name(arm, say)}, {say(f'afterlife.{draw}')}",
            layers=layers,
            each=say.join([f"{m:.2f}" for m in np.median(values, axis=1)]),
        )
        for layers, curves in losses.items()
        for (arm, draw), values in curves.items()
    ]
    alt = say(
        "afterlife.loss_alt",
        rates=say.join([f"{rate:g}" for rate in RATES]),
        each=say.join(each),
    )
    return losses_by_rate(RATES, losses, recorded_letters(), alt, say)
