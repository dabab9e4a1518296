"""One call of every function of the room that draws."""

from handed import BOTH, SEEDS

from preact.book.paths import figures

DRAWN = {
    "paths_fresh_and_trained": lambda say: figures.paths_fresh_and_trained(
        {row: SEEDS for row in BOTH},
        {row: SEEDS for row in BOTH},
        "paths of two rows",
        say,
    ),
}
