"""The front page as a cover: where to begin, in which language, what is alive.

Below the question stand a way in and the editions. Below the picture of two
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
from preact.strings import EDITIONS, Strings

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
            _whole_label(asked)
            section.insert(section.index(asked) + 1, self.ways_in())
        for figure in self.document.findall(nodes.figure):
            if PICTURE in figure["ids"]:
                caption = figure.first_child_matching_class(nodes.caption)
                figure.insert(caption or 0, live(language_of(self.app)))

    def ways_in(self) -> nodes.raw:
        """Return the links to begin with, and to the other editions."""
        language = language_of(self.app)
        name, builder = self.env.docname, self.app.builder
        start = builder.get_relative_uri(name, chapters(self.env)[0])
        play = builder.get_relative_uri(name, _beside(name, "playground"))
        page = builder.get_target_uri(name)
        here = {language: ' aria-current="true"'}
        editions = "".join(
            f'<a href="../{code}/{page}" hreflang="{code}" lang="{code}"'
            f"{here.get(code, '')}>{escape(edition['name'])}</a>"
            for code, edition in EDITIONS.items()
        )
        words = WORDS[language]
        return raw(
            f'<div class="ways-in"><a class="start" href="{start}">'
            f"{escape(words['@cover-start'])}</a>"
            f'<a href="{play}">{escape(words["@cover-playground"])}</a>'
            f'<nav class="editions" aria-label="'
            f'{escape(words["@cover-editions"], quote=True)}">'
            f"{editions}</nav></div>"
        )


def _beside(name: str, page: str) -> str:
    """Return the name of a page of the same edition."""
    return f"{name.rpartition('/')[0]}/{page}".lstrip("/")


def _whole_label(asked: nodes.paragraph) -> None:
    """Move a colon after the bold word into it: on the cover it is unseen."""
    (strong,) = list(asked.findall(nodes.strong))[:1]
    place = asked.index(strong) + 1
    after = asked[place] if place < len(asked) else None
    if isinstance(after, nodes.Text) and after.startswith("："):
        strong += nodes.Text("：")
        asked.replace(after, nodes.Text(after.removeprefix("：")))


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
