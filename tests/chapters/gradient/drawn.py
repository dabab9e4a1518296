"""One call of every function of the room that draws."""

import numpy as np
from handed import BOTH, SEEDS

from preact.book.gradient import figures

COURSE = figures.Course(np.array([0, 10]), *[np.array([SEEDS[0][:2]] * 3)] * 3)

DRAWN = {
    "by_iteration": lambda say: figures.by_iteration(
        {0.1: {"original": COURSE, "original+final-bn": COURSE}},
        "what is seen",
        say,
    ),
    "direct_term": lambda say: figures.direct_term(
        [10, 20], {row: SEEDS for row in BOTH}, SEEDS[0], say
    ),
}
