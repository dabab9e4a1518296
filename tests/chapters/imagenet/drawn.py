"""One call of every function of the room that draws."""

import numpy as np
from handed import BOTH, SEEDS

from preact.book.imagenet import figures

DRAWN = {
    "steps_with_band": lambda say: figures.steps_with_band(
        {say(f"row.{row}"): (-0.25, 0.125) for row in BOTH},
        say("imagenet.points"),
        "two changes",
    ),
    "gradient_distances": lambda say: figures.gradient_distances(
        [2, 4, 8],
        np.array([SEEDS[:, 0] * k for k in (3, 2, 1)]),
        SEEDS[:, 0],
        say,
    ),
}
