"""The map of the chapters: how long each takes to read, and to run.

The directive {chapter-map} becomes a table when all chapters have been read.
Reading time is counted in the chapter's own text; running time is that of the
run whose outputs the pages show.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from book.site.words import WORDS, language_of
from book.tools.language import prose

WORDS_A_MINUTE = 200
COLUMNS = ("chapter", "read", "run")


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive, and the step that fills it."""
    app.add_directive("chapter-map", ChapterMap)
    app.add_post_transform(FillMap)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


class ChapterMap(SphinxDirective):
    """The place of the map."""

    def run(self) -> list[nodes.Node]:
        return [nodes.container(map_of_chapters=True)]


class FillMap(SphinxPostTransform):
    """Put the table in its place."""

    default_priority = 100

    def run(self, **_: Any) -> None:
        for place in list(self.document.findall(nodes.container)):
            if place.get("map_of_chapters"):
                place.replace_self(self.table())

    def table(self) -> nodes.table:
        """Return a head and a row for each numbered chapter."""
        words = WORDS[language_of(self.app)]
        head = [nodes.Text(words[f"@map-{name}"]) for name in COLUMNS]
        group = nodes.tgroup("", cols=len(COLUMNS))
        group += [nodes.colspec(colwidth=1) for _ in COLUMNS]
        group += nodes.thead("", _row(head))
        group += nodes.tbody("", *(_row(cells) for cells in self.rows()))
        return nodes.table("", group, classes=["chapter-map"])

    def rows(self) -> Iterator[list[nodes.Node]]:
        """Yield link, reading time and running time of each chapter."""
        words = WORDS[language_of(self.app)]
        numbers = self.env.toc_secnumbers
        data = NbMetadataCollector.get_doc_data(self.env)
        for name in sorted(numbers, key=lambda name: numbers[name][""]):
            (number,) = numbers[name][""]
            title = f"{number}. {self.env.titles[name].astext()}"
            link = self.app.builder.get_relative_uri(self.env.docname, name)
            text = Path(self.env.doc2path(name)).read_text("utf-8")
            minutes = words["@minutes"].format(reading_minutes(text))
            seconds = data.get(name, {}).get("exec_data", {}).get("runtime")
            ran = words["@seconds"].format(round(seconds)) if seconds else "–"
            yield [
                nodes.reference("", title, internal=True, refuri=link),
                nodes.Text(minutes),
                nodes.Text(ran),
            ]


def reading_minutes(text: str) -> int:
    """Return how many minutes a chapter's prose takes to read, at least one.

    A Chinese character takes half as long as an English word.
    """
    read = prose(text)
    characters = len(re.findall(r"[\u3400-\u9fff]", read))
    words = len(re.findall(r"[A-Za-z]+", read))
    return max(1, round((words + characters / 2) / WORDS_A_MINUTE))


def _row(cells: list[nodes.Node]) -> nodes.row:
    """Return a row of a table."""
    return nodes.row(
        "", *(nodes.entry("", nodes.paragraph("", "", c)) for c in cells)
    )
