"""One call of every function of the room that draws."""

from handed import BOTH, SEEDS

from preact.book.cover import figures

DRAWN = {
    "depth_and_time": lambda say: figures.depth_and_time(
        {row: figures.Course(SEEDS, SEEDS, 12.5) for row in BOTH},
        [0, 30],
        [1],
        say,
    ),
}
