"""What search engines and previews read of a page."""

import re
from html import escape, unescape
from itertools import pairwise
from typing import Any

from docutils import nodes

from preact.strings import LANGUAGES, ORIGINAL

DEFAULT = "x-default"  # whom no other edition fits
LONGEST = 300  # characters of a description


def head_of_page(
    language: str, page: str, base: str, title: str, tree: Any
) -> str:
    """Return the tags of a page's head: its twins, and its question.

    Parameters
    ----------
    language, page : str
        Code of the edition; name of the page in it.
    base : str
        What an edition's folder is addressed by: the site, or `../` steps.
    title : str
        The page's, as HTML.
    tree : docutils document or None
        The page, whose first paragraph with a bold start is its question.
    """
    twins = {code: code for code in LANGUAGES} | {DEFAULT: ORIGINAL}
    tags = [
        f'<link rel="alternate" hreflang="{code}" '
        f'href="{base}{folder}/{page}.html" />'
        for code, folder in twins.items()
    ]
    plain = escape(unescape(re.sub(r"<[^>]+>", "", title)), quote=True)
    named = {"og:type": "article", "og:title": plain}
    if described := escape(question(tree)[:LONGEST], quote=True):
        tags.append(f'<meta name="description" content="{described}" />')
        named["og:description"] = described
    named["og:locale"] = language.replace("-", "_")
    tags += [
        f'<meta property="{name}" content="{value}" />'
        for name, value in named.items()
    ]
    return "\n".join(tags) + "\n"


def question(tree: Any) -> str:
    """Return the question that a page opens with, or nothing."""
    paragraph = question_in(tree)
    if paragraph is None:
        return ""
    strong = next(paragraph.findall(nodes.strong))
    text = " ".join(paragraph.astext().split())
    return text.removeprefix(strong.astext()).removeprefix("：").strip()


def question_in(tree: Any) -> nodes.paragraph | None:
    """Return the first paragraph with a bold start, if there is one."""
    for paragraph in tree.findall(nodes.paragraph) if tree else ():
        if opens_bold(paragraph):
            return paragraph
    return None


def opens_bold(paragraph: nodes.paragraph) -> bool:
    """Whether a paragraph's first word is bold."""
    # myst puts an empty text before what opens a line
    parts = [part for part in paragraph.children if part.astext()]
    return bool(parts) and isinstance(parts[0], nodes.strong)


def name_openings(section: nodes.section) -> None:
    """Give the paragraphs of a page's head the classes they are styled by.

    A sheet could ask by `:has()` which of them starts in bold; a browser
    would ask that of every paragraph again while an explorer is moved. The
    one right below the title names a chapter's modules.
    """
    for above, part in pairwise(section.children):
        if not isinstance(part, nodes.paragraph):
            continue
        if opens_bold(part):
            part["classes"].append("opening")
        elif isinstance(above, nodes.title):
            part["classes"].append("modules")
