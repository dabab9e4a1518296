"""One call of every function of the room that draws."""

from handed import BOTH, SEEDS

from preact.book.depth import figures

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
}
