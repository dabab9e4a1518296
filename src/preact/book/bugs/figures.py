"""Mistakes: what each of them breaks, and what a fresh network shows of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from preact.figures.style import Picture, axes, picture
from preact.figures.svg import INK
from preact.strings import Strings

Array = np.ndarray[Any, np.dtype[np.float64]]
RED = "#c4473a"


def answers_by_mutant(
    answers: Mapping[str, Mapping[str, str]],
    questions: Sequence[str],
    strings: Strings,
) -> Picture:
    """Mark in a grid which answers are no.

    Parameters
    ----------
    answers : mutant to question to "no" or "could not tell"
        A question whose answer is yes is left out.
    questions : sequence of str
        Names of the columns.

    Examples
    --------
    >>> from preact.book.bugs.figures import answers_by_mutant
    >>> from preact.strings import Strings
    >>> answers = {"raw-projection": {"width-change": "no"}}
    >>> questions = ["identity-shortcut", "width-change"]
    >>> grid = answers_by_mutant(answers, questions, Strings("en"))
    >>> grid.alt.split(": ", 1)[1]
    'raw-projection: width-change.'
    """
    names = list(answers)
    marks = {"no": {"color": RED, "marker": "o"}}
    marks["could not tell"] = {"color": INK, "marker": "o", "mfc": "none"}
    with axes(168, 4.6 * len(names) + 45) as (figure, ax):
        for y, given in enumerate(answers.values()):
            for question, verdict in given.items():
                place = [questions.index(question)], [y]
                style = marks[verdict] | {"label": f"_{verdict}"}
                ax.plot(*place, ls="", ms=5.5, **style)
        turned = {"rotation": 60, "ha": "left", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(questions)), questions, **turned)
        ax.set_yticks(range(len(names)), names)
        ax.tick_params(length=0, labelsize=8.5)
        ax.xaxis.tick_top()
        ax.set(xlim=(-0.6, len(questions) - 0.4))
        ax.set(ylim=(len(names) - 0.4, -0.6))
    each = [
        strings("bugs.alt_one", name=name, questions=strings.join(list(given)))
        for name, given in answers.items()
    ]
    alt = strings("bugs.alt_matrix", each=strings.join(each))
    return picture(figure, alt)
