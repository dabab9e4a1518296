"""One call of every function of the room that draws."""

import numpy as np
from handed import PROFILE, SEEDS

from preact.book.training import figures

DRAWN = {
    "memory_by_depth": lambda say: figures.memory_by_depth(
        [29, 164], {"keep": SEEDS[0]}, {"keep": {29: 0.125}}, say
    ),
    "first_losses": lambda say: figures.first_losses(
        {"original": PROFILE, "original+final-bn": PROFILE},
        {"original": (np.array([20, 40]), SEEDS)},
        say,
    ),
    "expected_and_gained": lambda say: figures.expected_and_gained(
        [
            {
                "name": say("training_cost.times"),
                "expected": (0.5, 2.0),
                "measured": 1.25,
                "share": False,
            }
        ],
        say,
    ),
}
