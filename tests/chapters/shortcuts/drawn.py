"""One call of every function of the room that draws."""

from handed import BOTH, ERRORS, SEEDS

from preact.book.shortcuts import figures

DRAWN = {
    "row_key": figures.row_key,
    "over_units": lambda say: figures.over_units(
        {row: (row, SEEDS) for row in BOTH},
        {"one law": SEEDS[0], "another": SEEDS[1]},
        "a title",
        say,
        limits=(1e-3, 1),
    ),
    "prediction_beside_errors": lambda say: figures.prediction_beside_errors(
        "as_set",
        {row: SEEDS[0] for row in BOTH},
        {"original": 6.61, "full-preactivation": None},
        say,
        limits=(1e-3, 1),
    ),
    "growth_and_error": lambda say: figures.growth_and_error(
        {(row, tail): (ERRORS, ERRORS) for row in BOTH for tail in ("", "BN")},
        say,
    ),
    "ablation": lambda say: figures.ablation(
        {(s, t): ERRORS for s in ("identity", "half") for t in ("", "BN")},
        {"identity": "original", "half": "constant-scaling-0.5-0.5"},
        say,
        title="a title",
    ),
}
