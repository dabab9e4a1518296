"""The signal: an explorer of its growth.

Chapter `02-signal`.
"""

from functools import partial

from preact.book.engine import answer
from preact.book.explorers import ROWS, Explorer, engine_rows, mount
from preact.book.page import words
from preact.figures import Picture
from preact.spec import UnitSpec

UNITS = 100  # at most, in a page
CONTROLS = ("row", "units", "width", "seed", "pin", "unpin")
LINES = ("from_to", "pinned")  # which the script fills in


def growth_explorer(
    fallback: Picture, units: int = UNITS, **own: UnitSpec | str
) -> Explorer:
    """Let the reader hold the growth of a signal against two laws.

    A curve can be pinned, and that of another unit drawn beside it.

    Parameters
    ----------
    fallback : Picture
        The measured figure that stands where no script runs.
    units : int
        Of the deepest network that can be chosen.
    **own : UnitSpec or str
        More to choose from, by name: units, or rows of the paper's tables.
        A page knows only a constant on the shortcut, so in a notebook the
        kernel computes, and where there are more than 100 units.
    """
    say = words()
    said = {key: say(f"explorer.{key}") for key in CONTROLS}
    said |= {key: say.table[f"explorer.{key}"] for key in LINES}
    said |= {law: say(f"law.{law}") for law in ("root", "linear")}
    said |= {axis: say(f"figure.{axis}") for axis in ("signal", "depth")}
    said |= {
        mark: say(f"punctuation.{mark}") for mark in ("comma", "semicolon")
    }
    data = {
        "words": said,
        "rows": engine_rows(**own),
        "start": [*own, "full-preactivation"][0],
        "most": units,
        "batch": 64,
    }
    title = say("explorer.growth")
    shown = mount("growth", title, data, fallback._repr_html_())
    if own or units > UNITS:
        shown.work = partial(answer, {**ROWS, **own})
    return shown
