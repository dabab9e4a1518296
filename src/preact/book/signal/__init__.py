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

    Examples
    --------
    >>> import numpy as np
    >>> from preact.book import setup
    >>> from preact.book.signal import growth_explorer
    >>> from preact.book.signal.figures import growth_laws
    >>> strings, depth = setup("en"), np.arange(11.0)
    >>> curves = {"full-preactivation": np.sqrt(1 + depth)}
    >>> laws = {"root": np.sqrt(1 + depth), "linear": 1 + depth}
    >>> explorer = growth_explorer(growth_laws(curves, laws, strings))
    >>> explorer.markup.count("<svg")  # what stands where no script runs
    2
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
