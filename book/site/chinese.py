"""What Chinese typesetting asks for and no renderer knows.

The brackets of exercises' titles are as wide as a character. And "et al." is
slanted, where emphasis is not.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import is_exercise_node, solution_node

from book.site.words import language_of

BRACKETS = {" (": "（", ")": "）"}


def setup(app: Sphinx) -> None:
    """Add the step."""
    app.add_post_transform(SetChinese)


class SetChinese(SphinxPostTransform):
    """Set titles of exercises and names in a Chinese edition."""

    default_priority = 900  # when citations and titles are resolved
    formats = ("html",)

    def run(self, **_: Any) -> None:
        if not language_of(self.app).startswith("zh"):
            return
        for name in self.document.findall(nodes.emphasis):
            if name.astext() == "et al.":
                name["classes"].append("et-al")
        for node in list(self.document.findall()):
            if is_exercise_node(node) or isinstance(node, solution_node):
                widen_brackets(node[0])


def widen_brackets(title: nodes.Element) -> None:
    """Set brackets as wide as characters."""
    for text in list(title.findall(nodes.Text)):
        if wide := BRACKETS.get(text):
            text.parent.replace(text, nodes.Text(wide))
