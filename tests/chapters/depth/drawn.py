"""One call of every function of the room that draws."""

import numpy as np
from handed import BOTH, PROFILE, SEEDS

from preact.book.depth import figures
from preact.spec import TABLE_2

MOMENT = figures.Moment(*[np.array([PROFILE] * 3)] * 3)

DRAWN = {
    "depth_laws": lambda say: figures.depth_laws(
        [10, 20],
        {of: {row: SEEDS for row in BOTH} for of in ("signal", "gradient")},
        {of: {BOTH[0]: SEEDS[0]} for of in ("signal", "gradient")},
        {
            of: {row: figures.Law(1.0, 0.5, 1.5) for row in BOTH}
            for of in ("signal", "gradient")
        },
        say,
    ),
    "dots_by_case": lambda say: figures.dots_by_case(
        ["one", "two"],
        {row: SEEDS for row in BOTH},
        ("an axis", "another"),
        "two rows in two cases",
        say,
        limits=(0, 1),
        ticks=(0, 1),
    ),
    "paths_fresh_and_trained": lambda say: figures.paths_fresh_and_trained(
        {row: SEEDS for row in BOTH},
        {row: SEEDS for row in BOTH},
        "paths of two rows",
        say,
    ),
    "by_unit": lambda say: figures.by_unit(
        {row: MOMENT for row in (*TABLE_2, "original+final-bn")},
        {"original": MOMENT._replace()},
        2,
        "what is seen",
        say,
    ),
}
