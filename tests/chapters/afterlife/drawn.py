"""One call of every function of the room that draws."""

import numpy as np
from handed import PROFILE, SEEDS

from preact.book.afterlife import figures

TRAINED = {
    (arm, draw): SEEDS
    for arm in ("post-ln", "pre-ln")
    for draw in ("book", "default")
}
DRAWN = {
    "placed_by_unit": lambda say: figures.placed_by_unit(
        {"post-ln": figures.Placed(*[np.array([PROFILE] * 3)] * 3)},
        "one transformer",
        say,
    ),
    "losses_by_rate": lambda say: figures.losses_by_rate(
        [0.001, 0.003],
        {4: TRAINED, 12: TRAINED},
        0.0875,
        "two transformers",
        say,
    ),
}
