"""One call of every function of the room that draws."""

from handed import BOTH, PROFILE

from preact.book.signal import figures

DRAWN = {
    "growth_laws": lambda say: figures.growth_laws(
        {row: PROFILE for row in BOTH},
        {"root": PROFILE, "linear": PROFILE},
        say,
    ),
    "paths_by_length": lambda say: figures.paths_by_length(
        PROFILE, PROFILE, PROFILE, say
    ),
}
