"""What Chinese typesetting asks for and no renderer knows.

A line may not begin with a mark that closes, nor end with one that opens, and
a browser may break it on either side of a formula. The brackets of exercises'
titles are as wide as a character. And "et al." is slanted, where emphasis is
not.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import is_exercise_node, solution_node

from book.site.words import language_of

CLOSING = re.compile("[，。、；：？！）」』〉》】]+")
OPENING = re.compile("[（「『〈《【]+$")
BRACKETS = {" (": "（", ")": "）"}


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the step."""
    app.add_post_transform(SetChinese)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


class SetChinese(SphinxPostTransform):
    """Set formulas, titles of exercises and names in a Chinese edition."""

    default_priority = 900  # when citations and titles are resolved
    formats = ("html",)

    def run(self, **_: Any) -> None:
        if not language_of(self.app).startswith("zh"):
            return
        for formula in list(self.document.findall(nodes.math)):
            hold_marks(formula)
        for name in self.document.findall(nodes.emphasis):
            if name.astext() == "et al.":
                name["classes"].append("et-al")
        for node in list(self.document.findall()):
            if is_exercise_node(node) or isinstance(node, solution_node):
                widen_brackets(node[0])


def hold_marks(formula: nodes.math) -> None:
    """Keep a formula on one line with the marks at its sides."""
    row, place = formula.parent, formula.parent.index(formula)
    after = row[place + 1] if place + 1 < len(row) else None
    before = row[place - 1] if place else None
    held: list[nodes.Node] = [formula]
    if isinstance(before, nodes.Text) and (mark := OPENING.search(before)):
        row[place - 1] = nodes.Text(before[: mark.start()])
        held.insert(0, nodes.Text(mark[0]))
    if isinstance(after, nodes.Text) and (mark := CLOSING.match(after)):
        row[place + 1] = nodes.Text(after[mark.end() :])
        held.append(nodes.Text(mark[0]))
    if len(held) > 1:
        row[place] = nodes.inline("", "", *held, classes=["held"])


def widen_brackets(title: nodes.Element) -> None:
    """Set brackets as wide as characters, and no space after a colon."""
    for text in list(title.findall(nodes.Text)):
        if wide := BRACKETS.get(text):
            text.parent.replace(text, nodes.Text(wide))
        elif isinstance(text.parent, nodes.reference):
            text.parent.replace(text, nodes.Text(text.lstrip()))
