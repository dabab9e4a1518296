"""The signal: an explorer of its growth.

Chapter `02-signal`.
"""

from preact.book.explorers import Html, live
from preact.book.page import words
from preact.figures import Picture


def growth_explorer(fallback: Picture) -> Html:
    """Let the reader hold the growth of a signal against two laws.

    A curve can be pinned, and that of another unit drawn beside it.

    Parameters
    ----------
    fallback : Picture
        The measured figure that stands where no script runs.
    """
    say = words()
    laws = {law: say(f"law.{law}") for law in ("root", "linear")}
    # The script fills them in.
    lines = {
        line: say.table[f"explorer.{line}"] for line in ("from_to", "pinned")
    }
    return live(
        "growth",
        ("pin", "unpin"),
        ("signal", "depth"),
        laws
        | lines
        | {
            mark: say(f"punctuation.{mark}") for mark in ("comma", "semicolon")
        },
        fallback,
    )
