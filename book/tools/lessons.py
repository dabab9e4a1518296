"""Plans of lessons: `book/lessons.toml` as tables, and what is wrong there.

A step takes minutes, does one of `WAYS`, and names a section of the book and
exercises of its chapters.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from book.tools import ROOT

PLANS = "book/lessons.toml"
Way = Literal[
    "predict", "derive", "measure", "read", "discuss", "solve", "home"
]


class Step(BaseModel):
    """One step of a lesson.

    Parameters
    ----------
    minutes : int
        None of what is left for home.
    do : str
        `@lesson-<do>` says it in words.
    section : str
        A label.
    exercises : tuple of str
        Labels.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    minutes: Annotated[int, Field(ge=0)]
    do: Way
    section: str
    exercises: tuple[str, ...] = ()


@cache
def read_lessons(root: Path = ROOT) -> dict[str, tuple[Step, ...]]:
    """Return the steps of each plan, by its hours.

    Raises
    ------
    pydantic.ValidationError
        If a step lacks something, or has what no step has.
    """
    written = tomllib.loads((root / PLANS).read_text("utf-8"))
    kind = TypeAdapter(dict[str, tuple[Step, ...]])
    return kind.validate_python(written)


def table(hours: str, words: dict[str, str]) -> str:
    """Return a plan as a table of Markdown, with roles for its links.

    Parameters
    ----------
    hours : str
        Which plan.
    words : dict
        Of the page's language.
    """
    names = ("minutes", "do", "section", "exercises")
    rows = [[words[f"@lesson-{name}"] for name in names], ["---"] * 4]
    steps = read_lessons()[hours]
    for step in steps:
        exercises = [f"{{ref}}`{label}`" for label in step.exercises]
        rows.append(
            [
                str(step.minutes or "–"),
                words[f"@lesson-{step.do}"],
                f"{{ref}}`{step.section}`",
                words["@list"].join(exercises) or "–",
            ]
        )
    total = sum(step.minutes for step in steps)
    rows.append([f"**{total}**", f"**{words['@lesson-total']}**", "", ""])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
