"""One call of every function of the room that draws."""

from handed import BOTH, ERRORS, SEEDS

from preact.book.activations import figures

ARM = figures.Arm("a unit", "original", ERRORS, ERRORS)

DRAWN = {
    "three_of_figure_5": lambda say: figures.three_of_figure_5(say),
    "silent_chain": lambda say: figures.silent_chain(
        {row: SEEDS for row in BOTH}, say
    ),
    "errors_by_unit": lambda say: figures.errors_by_unit(
        {"a group": [ARM, ARM._replace(row=None)]}, say
    ),
}
