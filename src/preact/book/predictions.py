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
    *("waits", "skip", "hit", "miss"),
)


def predict(
    name: str,
    measured: Mapping[str, float],
    *,
    limits: tuple[float, float],
    log: bool = False,
    choose: bool = False,
    conceal: bool = False,
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
        Whether all up to the next heading is hidden until then.

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
    ask = say(f"predict.{name}")
    data = {
        "name": name,
        "words": {word: say.table[f"predict.{word}"] for word in SHARED}
        | {"ask": ask},
        "rows": [{"label": label, "value": value} for label, value in named],
        "limits": limits,
        "log": log,
        "choose": choose,
        "conceal": conceal,
    }
    lines = [
        say("predict.row", label=label, value=say.two_digits(value))
        for label, value in named
    ]
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    skip = escape(say("predict.skip"))
    inside = (
        f"<p>{escape(ask)}</p>"
        f"<details><summary>{skip}</summary><ul>{listed}</ul></details>"
    )
    return mount("predict", say("predict.title"), data, inside)
