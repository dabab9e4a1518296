"""The signal: an explorer of its growth.

Chapter `02-signal`.
"""

from preact.book.explorers import Html, engine_rows, mount
from preact.book.page import words
from preact.figures import Picture

CONTROLS = ("row", "units", "width", "seed", "pin", "unpin")
LINES = ("from_to", "pinned")  # which the script fills in


def growth_explorer(fallback: Picture) -> Html:
    """Let the reader hold the growth of a signal against two laws.

    A curve can be pinned, and that of another unit drawn beside it.

    Parameters
    ----------
    fallback : Picture
        The measured figure that stands where no script runs.
    """
    say = words()
    own = {key: say(f"explorer.{key}") for key in CONTROLS}
    own |= {key: say.table[f"explorer.{key}"] for key in LINES}
    own |= {law: say(f"law.{law}") for law in ("root", "linear")}
    own |= {axis: say(f"figure.{axis}") for axis in ("signal", "depth")}
    own |= {
        mark: say(f"punctuation.{mark}") for mark in ("comma", "semicolon")
    }
    data = {"words": own, "rows": engine_rows(), "batch": 64}
    title = say("explorer.growth")
    return mount("growth", title, data, fallback._repr_html_())
