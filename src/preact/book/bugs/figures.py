"""Mistakes: what each of them breaks, and what a fresh network shows of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from preact.figures.chart import Chart, draw
from preact.figures.style import Picture
from preact.figures.svg import INK
from preact.strings import Strings

RED = "#c4473a"


def answers_by_mutant(
    answers: Mapping[str, Mapping[str, str]],
    questions: Sequence[str],
    strings: Strings,
) -> Picture:
    """Mark in a grid which answers are no.

    By mutant and question "no" or "could not tell"; a question whose answer is
    yes is left out. The questions are the columns.
    """
    names = list(answers)
    marks: Any = {"no": {"color": RED, "marker": "o"}}
    marks["could not tell"] = {"color": INK, "marker": "o", "mfc": "none"}

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        for y, (name, given) in enumerate(answers.items()):
            for question, verdict in given.items():
                x, told = [questions.index(question)], ([question], [name])
                style = marks[verdict] | {"ls": "", "ms": 5.5}
                panel.plot(x, [y], name=verdict, told=told, **style)
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
    return draw(on, (168, 4.6 * len(names) + 45), alt)
