"""Plans for teachers: the directive {lesson-plan} prints one as a table."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.lessons import PLANS, table


def setup(app: Sphinx) -> None:
    """Add the directive."""
    app.add_directive("lesson-plan", LessonPlan)


class LessonPlan(SphinxDirective):
    """The plan of so many hours."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(ROOT / PLANS))
        words = WORDS[language_of(self.env.app)]
        text = table(self.arguments[0], words)
        box = nodes.container(classes=["lesson-plan"])
        lines = StringList(text.splitlines(), source=PLANS)
        self.state.nested_parse(lines, self.content_offset, box)
        return list(box.children)
