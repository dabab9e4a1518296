"""Predictions: the reader commits to one before the measurement is shown.

The guess is kept in the reader's browser and nowhere else. Where no script
runs, question and measurement stand one below the other.
"""

from collections.abc import Mapping
from html import escape

from preact.book.explorers import Html, mount
from preact.book.page import words

SHARED = (
    *("title", "commit", "again", "yours", "kept", "alt", "row"),
    *("waits", "folded", "skip", "hit", "miss", "near", "off", "more", "less"),
)


def predict(
    name: str,
    measured: Mapping[str, float],
    *,
    limits: tuple[float, float],
    log: bool = False,
    choose: bool = False,
    conceal: bool = False,
    asked: str = "",
    unit: str = "",
) -> Html:
    """Ask for a guess, then draw it beside what was measured.

    Parameters
    ----------
    name : str
        Key of the question, one of the words `predict`.
    measured : mapping
        Keys of the labels, also there, to what was measured.
    limits : (float, float)
        Ends of the axis, and of the slider.
    log : bool
        Whether the axis is logarithmic.
    choose : bool
        Whether the guess is one of the labels (which is the largest?) rather
        than a number.
    conceal : bool
        Whether all that is left of its section is hidden until then.
    asked : str
        Key of what a slider guesses; the first, if none is named.
    unit : str
        What stands behind each number, as "%".

    Raises
    ------
    ValueError
        If nothing measured has the key `asked`.

    Examples
    --------
    >>> from preact.book import predict, setup
    >>> strings = setup("en")
    >>> measured = {"depth_fresh": 2e7, "depth_one": 30.0}
    >>> question = predict("depth_ask", measured, limits=(1, 1e8), log=True)
    >>> "freshly drawn: 2 × 10⁷" in question.markup  # a cell shows it
    True
    """
    say = words()
    named = [(say(f"predict.{k}"), float(v)) for k, v in measured.items()]
    ask, keys = say(f"predict.{name}"), list(measured)
    if asked and asked not in keys:
        raise ValueError(
            f"asked must be one of {', '.join(keys)}; got {asked!r}"
        )
    written = f"{{value}} {unit}".strip()
    if unit == "%":
        written = say.table["number.percent"]
    data = {
        "name": name,
        "words": {word: say.table[f"predict.{word}"] for word in SHARED}
        | {"ask": ask},
        "rows": [{"label": label, "value": value} for label, value in named],
        "limits": limits,
        "log": log,
        "choose": choose,
        "conceal": conceal,
        "asked": keys.index(asked) if asked else 0,
        "written": written,
    }
    lines = [
        say(
            "predict.row",
            label=label,
            value=written.format(value=say.two_digits(value)),
        )
        for label, value in named
    ]
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    skip = escape(say("predict.skip"))
    inside = (
        f"<p>{escape(ask)}</p>"
        f"<details><summary>{skip}</summary><ul>{listed}</ul></details>"
    )
    return mount("predict", say("predict.title"), data, inside)
