"""The front page leads into the book; a chapter says how long it takes.

The directive {chapter-map} becomes a card for each chapter when all of them
have been read; below its title every chapter says the same of itself. The
time is counted in the chapter's own text. Below the front page's question
stand the ways in.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from book.site.head import name_openings, question, question_in
from book.site.words import WORDS, language_of
from book.tools.language import prose

WORDS_A_MINUTE = 200
DOT = "\xa0· "


def setup(app: Sphinx) -> None:
    """Add the directive, the step that fills it, and the heads of pages."""
    app.add_directive("chapter-map", ChapterMap)
    app.add_post_transform(FillMap)
    app.add_post_transform(HeadOfChapter)
    app.add_post_transform(HeadOfFrontPage)


class ChapterMap(SphinxDirective):
    """The place of the map."""

    def run(self) -> list[nodes.Node]:
        return [nodes.container(map_of_chapters=True)]


class FillMap(SphinxPostTransform):
    """Put the cards in their place."""

    default_priority = 100

    def run(self, **_: Any) -> None:
        for place in list(self.document.findall(nodes.container)):
            if place.get("map_of_chapters"):
                cards = nodes.bullet_list("", classes=["chapter-map"])
                cards += map(self.card, chapters(self.env))
                place.replace_self(cards)

    def card(self, name: str) -> nodes.list_item:
        """Return a chapter's number, title, question and times."""
        number = number_of(self.env, name)
        title = self.env.titles[name].astext()
        link = nodes.reference(
            "",
            "",
            nodes.inline("", f"{number}", classes=["number"]),
            nodes.Text(f" {title}"),
            internal=True,
            refuri=self.app.builder.get_relative_uri(self.env.docname, name),
        )
        asked = question(self.env.get_doctree(name))
        lines = [
            link,
            nodes.Text(asked),
            nodes.Text(time_to_read(self.app, name)),
        ]
        parts = zip(("title", "question", "times"), lines, strict=True)
        return nodes.list_item(
            "",
            *(
                nodes.paragraph("", "", line, classes=[part])
                for part, line in parts
                if line.astext()
            ),
        )


class HeadOfChapter(SphinxPostTransform):
    """Say below a chapter's title how long it takes; name its openings."""

    default_priority = 100

    def run(self, **_: Any) -> None:
        name, names = self.env.docname, chapters(self.env)
        if name not in names:
            return
        place = WORDS[language_of(self.app)]["@chapter-of"].format(
            number=number_of(self.env, name), count=len(names)
        )
        title = next(self.document.findall(nodes.title))
        head = nodes.paragraph("", classes=["chapter-times"])
        head += nodes.Text(f"{place}{DOT}{time_to_read(self.app, name)}")
        section = title.parent
        name_openings(section)
        section.insert(section.index(title) + 1, head)
        if (asked := question_in(self.document)) is not None:
            asked["classes"].append("asked")


class HeadOfFrontPage(SphinxPostTransform):
    """Put links to begin with below the front page's question."""

    default_priority = 90
    formats = ("html",)

    def run(self, **_: Any) -> None:
        asked = question_in(self.document)
        is_front = self.env.docname == self.config.root_doc
        if not is_front or asked is None or not chapters(self.env):
            return
        section = asked.parent
        section["classes"].append("front")
        asked["classes"].append("asked")
        name_openings(section)
        section.insert(section.index(asked) + 1, self.ways_in())

    def ways_in(self) -> nodes.raw:
        """Return the links to begin with."""
        words = WORDS[language_of(self.app)]
        uri = self.app.builder.get_relative_uri
        start = uri(self.env.docname, chapters(self.env)[0])
        play = uri(self.env.docname, "playground")
        html = (
            f'<div class="ways-in"><a class="start" href="{start}">'
            f'{escape(words["@cover-start"])}</a><a href="{play}">'
            f"{escape(words['@cover-playground'])}</a></div>"
        )
        return nodes.raw("", html, format="html")


def chapters(env: BuildEnvironment) -> list[str]:
    """Return the names of the numbered chapters, in their order."""
    return sorted(env.toc_secnumbers, key=lambda name: number_of(env, name))


def number_of(env: BuildEnvironment, name: str) -> int:
    """Return a chapter's number."""
    (number,) = env.toc_secnumbers[name][""]
    return number


def time_to_read(app: Sphinx, name: str) -> str:
    """Return how long a chapter takes to read; no line parts the number."""
    words, path = WORDS[language_of(app)], Path(app.env.doc2path(name))
    minutes = reading_minutes(path.read_text("utf-8"))
    time = words["@to-read"].format(words["@minutes"].format(minutes))
    return time.replace(" ", "\xa0")


def reading_minutes(text: str) -> int:
    """Return how many minutes a chapter's prose takes to read, at least one.

    A Chinese character takes half as long as an English word.
    """
    read = prose(text)
    characters = len(re.findall(r"[\u3400-\u9fff]", read))
    words = len(re.findall(r"[A-Za-z]+", read))
    return max(1, round((words + characters / 2) / WORDS_A_MINUTE))
