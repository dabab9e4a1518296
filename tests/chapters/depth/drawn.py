"""One call of every function of the room that draws."""

import numpy as np
from handed import BOTH, PROFILE, SEEDS

from preact.book.depth import figures
from preact.book.dots import dots_by_case
from preact.spec import TABLE_2

MOMENT = figures.Moment(*[np.array([PROFILE] * 3)] * 3)

DRAWN = {
    "dots_by_case": lambda say: dots_by_case(
        ["one", "two"],
        {row: SEEDS for row in BOTH},
        ("an axis", "another"),
        "two rows in two cases",
        say,
        limits=(0, 1),
        ticks=(0, 1),
    ),
    "by_unit": lambda say: figures.by_unit(
        {row: MOMENT for row in (*TABLE_2, "original+final-bn")},
        {"original": MOMENT._replace()},
        2,
        "what is seen",
        say,
    ),
}
