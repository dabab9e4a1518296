"""The front page as a cover: where to begin, what is alive.

Below the question stand the ways in. Below the picture of two
networks in training its numbers wait for the room's `explorer.js`; where
no script runs, the picture and its words say all of it.
"""

import json
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.site.head import name_openings, question_in
from book.site.overview import chapters
from book.site.words import WORDS, language_of
from preact.book.cover import ROWS, recorded_course
from preact.book.cover import figures as drawn
from preact.strings import Strings

PICTURE = "index-figure-cover"
SAID = ("play", "pause", "label", "unit", "said")


def setup(app: Sphinx) -> None:
    """Dress the front page when all chapters have been read."""
    app.add_post_transform(Cover)


class Cover(SphinxPostTransform):
    """Put the ways in below the question, the numbers below the picture."""

    default_priority = 90
    formats = ("html",)

    def run(self, **_: Any) -> None:
        if self.env.docname != self.config.root_doc:
            return
        asked = question_in(self.document)
        if asked is not None and chapters(self.env):
            section = asked.parent
            section["classes"].append("front")
            asked["classes"].append("asked")
            name_openings(section)
            section.insert(section.index(asked) + 1, self.ways_in())
        for figure in self.document.findall(nodes.figure):
            if PICTURE in figure["ids"]:
                caption = figure.first_child_matching_class(nodes.caption)
                figure.insert(caption or 0, live(language_of(self.app)))

    def ways_in(self) -> nodes.raw:
        """Return the links to begin with."""
        words = WORDS[language_of(self.app)]
        uri = self.app.builder.get_relative_uri
        start = uri(self.env.docname, chapters(self.env)[0])
        play = uri(self.env.docname, "playground")
        return raw(
            f'<div class="ways-in"><a class="start" href="{start}">'
            f'{escape(words["@cover-start"])}</a><a href="{play}">'
            f"{escape(words['@cover-playground'])}</a></div>"
        )


def live(language: str) -> nodes.raw:
    """Return the place of the explorer, with what was recorded."""
    words, say = WORDS[language], Strings(language)
    courses = {row: recorded_course(row) for row in ROWS}
    moments, _ = courses[ROWS[0]]
    data = {
        "words": {name: words[f"@cover-{name}"] for name in SAID}
        | {"moment": say("explorer.iteration")},
        "moments": moments,
        "networks": [
            {
                "name": say(f"row.{row}"),
                "gradient": [runs_of(line) for line in logs(course.gradient)],
                "open": [
                    runs_of(np.rint(100 * line)) for line in course.open_share
                ],
            }
            for row, (_, course) in courses.items()
        ],
        "box": {
            "left": drawn.LEFT,
            "width": drawn.PLOT,
            "maps": [
                [drawn.TOP, drawn.TALL],
                [
                    drawn.TOP + drawn.TALL * len(moments) + drawn.GAP,
                    drawn.LOW,
                ],
            ],
        },
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return raw(
        '<div class="preact-explorer preact-cover" role="group" aria-label="'
        f'{escape(words["@cover-label"], quote=True)}" '
        f'data-cover="{escape(text, quote=True)}" hidden></div>'
    )


def logs(values: Any) -> Any:
    """Return powers of ten, in hundredths."""
    return np.rint(100 * np.log10(np.maximum(values, 1e-300)))


def runs_of(line: Any) -> str:
    """Write whole numbers as `value*times`, equal neighbors once."""
    return " ".join(_runs(np.asarray(line, int)))


def _runs(line: Any) -> Iterator[str]:
    edges = [0, *(np.flatnonzero(np.diff(line)) + 1), len(line)]
    for start, end in pairwise(edges):
        times = f"*{end - start}" if end - start > 1 else ""
        yield f"{line[start]}{times}"


def raw(html: str) -> nodes.raw:
    """Return markup as it is."""
    return nodes.raw("", html, format="html")
