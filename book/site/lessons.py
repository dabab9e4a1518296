"""Plans for teachers: the directive {lesson-plan} prints one as a table.

A step of `book/lessons.toml` takes minutes, or none if it is left for home,
does what `@lesson-<do>` says, and names a section and exercises by label.
A section's number stands before its name, for who holds a print.
"""

import tomllib
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.site.words import WORDS, language_of
from book.tools import ROOT

PLANS = ROOT / "book/lessons.toml"
HOUR = 60  # minutes


def setup(app: Sphinx) -> None:
    """Add the directive."""
    app.add_directive("lesson-plan", LessonPlan)


class LessonPlan(SphinxDirective):
    """The plan of so many hours."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(PLANS))
        text = table(self.arguments[0], WORDS[language_of(self.env.app)])
        box = nodes.container()
        lines = StringList(text.splitlines(), source=PLANS.name)
        self.state.nested_parse(lines, self.content_offset, box)
        return list(box.children)


def read_lessons() -> dict[str, list[dict[str, Any]]]:
    """Return the steps of each plan, by its hours."""
    return tomllib.loads(PLANS.read_text("utf-8"))


def table(hours: str, words: dict[str, str]) -> str:
    """Return a plan as a table of Markdown, with roles for its links."""
    names = ("minutes", "do", "section", "exercises")
    rows = [[words[f"@lesson-{name}"] for name in names], ["---"] * 4]
    steps, before = read_lessons()[hours], 0
    for step in steps:
        if hours != "1" and step["minutes"] and before % HOUR == 0:
            hour = words["@lesson-hour"].format(before // HOUR + 1)
            rows.append(["", f"**{hour}**", "", ""])
        before += step["minutes"]
        exercises = [f"{{ref}}`{one}`" for one in step.get("exercises", ())]
        rows.append(
            [
                str(step["minutes"] or "–"),
                words[f"@lesson-{step['do']}"],
                f"{{numref}}`{{number}} {{name}} <{step['section']}>`",
                words["@list"].join(exercises) or "–",
            ]
        )
    rows.append([f"**{before}**", f"**{words['@lesson-total']}**", "", ""])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
