"""What an exercise asks for, and its hints, one stage after the other.

An {exercise} of `:class: compute`, `diagnose` or `investigate` carries that
word in the page's language. Up to three {hint} directives in a row are
stages: the idea, the formula, the code. A cell that waits for a function,
which no page can run, is named and not shown.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx_exercise.nodes import is_exercise_node, solution_node

from book.site.words import WORDS, language_of
from book.tools.myst import KINDS, STAGES

logger = logging.getLogger(__name__)
TO_FILL_IN = re.compile(r'check\("[\w-]+", \.\.\.\)')


def setup(app: Sphinx) -> None:
    """Add the steps."""
    app.add_transform(NameStages)
    app.add_post_transform(FinishTitles)
    app.add_post_transform(NameCells)


class NameStages(SphinxTransform):
    """Give the hints of a row titles that say how much each gives away."""

    default_priority = 500

    def apply(self, **_: Any) -> None:
        words = WORDS[language_of(self.app)]
        for hint in list(self.document.findall(nodes.hint)):
            before = hint.parent[hint.parent.index(hint) - 1]
            number = before.get("stage", -1) + 1
            if number == len(STAGES):
                logger.warning(
                    "an exercise has at most %d hints", number, location=hint
                )
                return
            title = nodes.title("", words[f"@hint-{STAGES[number]}"])
            staged = nodes.admonition("", title, *hint.children, stage=number)
            staged["classes"] = ["hint", "staged", *hint["classes"]]
            hint.replace_self(staged)


class FinishTitles(SphinxPostTransform):
    """Append its kind to an exercise's title; trim the link in a solution's.

    That link begins with a space, where a word should.
    """

    default_priority = 22  # when sphinx-exercise has made the titles

    def run(self, **_: Any) -> None:
        words = WORDS[language_of(self.app)]
        for exercise in self.document.findall(is_exercise_node):
            for kind in {*KINDS} & {*exercise["classes"]}:
                name = words[f"@exercise-{kind}"]
                mark = nodes.inline("", name, classes=["exercise-kind"])
                exercise[0].extend([nodes.Text(" "), mark])
        for solution in self.document.findall(solution_node):
            title = solution[0]
            for link in list(title.findall(nodes.reference)):
                link.replace(link[0], nodes.Text(link[0].astext().lstrip()))
                if not title[0].astext().endswith("："):
                    title.insert(title.index(link), nodes.Text(" "))


class NameCells(SphinxPostTransform):
    """Say where a function is judged, in the place of an empty cell."""

    default_priority = 800  # when the outputs are there

    def run(self, **_: Any) -> None:
        before, after = WORDS[language_of(self.app)]["@exercise-cell"].split(
            "{}"
        )
        for cell in list(self.document.findall(nodes.container)):
            if "cell" not in cell["classes"] or "preact-answer" in str(cell):
                continue
            code = [block.astext() for block in cell.findall(_is_code)]
            if code and TO_FILL_IN.fullmatch(code[0].strip()):
                name = nodes.literal("", code[0].strip())
                texts = nodes.Text(before), name, nodes.Text(after)
                said = nodes.paragraph("", "", *texts)
                cell.parent.replace(cell, said)


def _is_code(node: nodes.Node) -> bool:
    return isinstance(node, nodes.literal_block)
