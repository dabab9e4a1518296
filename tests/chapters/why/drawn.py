"""One call of every function of the room that draws."""

from handed import PROFILE, SEEDS

from preact.book.why import figures

DRAWN = {
    "error_by_rate": lambda say: figures.error_by_rate(
        [0.1, 0.01], {"original": SEEDS, "original+final-bn": SEEDS}, say
    ),
    "race_curves": lambda say: figures.race_curves(
        {"original": PROFILE, "original+final-bn": PROFILE},
        {"original": PROFILE, "original+final-bn": PROFILE},
        20,
        say,
    ),
}
