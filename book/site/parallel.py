"""Parallel reading: which block of a page says what a block of another says.

The editions have the same structure (`book.tools.parity`), so their blocks are
paired when the site is built: a block and its twins carry the same number,
`data-twin`. What a page says, by number, stands in a script that its readers
in another language load when they ask for it (`book/scripts/parallel.js`). A
script, since a page opened as a file may load nothing else.
"""

import re
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag
from bs4.filter import SoupStrainer

from book.site.scripts import handed_over
from preact.strings import LANGUAGES, ORIGINAL

FOLDER = "_parallel"  # of the site, with a folder for each language
TITLES = ("h1", "h2", "h3", "h4")
TEXTS = (*TITLES, "p", "li", "dt", "dd", "th", "td")
BLOCKS = "p, ul, ol, dl, table, div, pre, aside, figure, details, blockquote"
# Code, what it prints and draws, and what is the same in all languages.
UNPAIRED = {
    *("cell_input", "highlight", "preact-explorer", "preact-figure"),
    *("preact-predict", "preact-answer", "preact-ranking"),
    *("preact-table", "preact-lab", "footnote-list"),
    *("toctree-wrapper", "terms"),
}
UNREAD = {"svg", "math", "script", "style", "summary", "pre", "button"}
# Equal in all editions: blocks before and after one are no twins.
ANCHORS = {"math", "cell", "admonition", "sd-tab-set"}
NOT_REPEATED = (
    "svg, script, .headerlink, .claim-mark, .footnote-reference, "
    ".section-number, .caption-number, .exercise-kind"
)
MARK = re.compile(r' data-twin="\d+"')
PICTURE = re.compile(r"(?<=<svg).*?(?=</svg>)", re.S)


class Block(NamedTuple):
    """A paragraph, title, item or cell: where it stands, what it says."""

    group: tuple[str, int]
    tag: Tag
    start: int  # of its tag in the page


class Page(NamedTuple):
    """A built page with its blocks."""

    text: str
    blocks: list[Block]


def pair_editions(site: Path) -> dict[str, tuple[int, int]]:
    """Number the blocks of all pages; write what the pages say by number.

    Parameters
    ----------
    site : Path
        The built site, with all editions.

    Returns
    -------
    dict
        For each page: how many of its blocks have a twin of their own, and
        how many only a group of others, or none; all editions together.
    """
    return {
        path.stem: pair_page(site, path.stem)
        for path in sorted((site / ORIGINAL).glob("*.html"))
        if path.stem != "search"
    }


def pair_page(site: Path, name: str) -> tuple[int, int]:
    """Pair one page with itself in the other languages."""
    pages = {
        code: read_page((site / code / f"{name}.html").read_text("utf-8"))
        for code in LANGUAGES
    }
    numbers: dict[str, dict[int, int]] = {code: {} for code in LANGUAGES}
    said: dict[str, list[str]] = {code: [] for code in LANGUAGES}
    own, loose = 0, 0
    for group in dict.fromkeys(
        block.group for page in pages.values() for block in page.blocks
    ):
        parts = {
            code: [b for b in page.blocks if b.group == group]
            for code, page in pages.items()
        }
        if alike(parts):
            rows = [list(row) for row in zip(*parts.values(), strict=True)]
            twins = [[[block] for block in row] for row in rows if differ(row)]
            own += len(twins) * len(LANGUAGES)
        else:
            twins = [list(parts.values())] if all(parts.values()) else []
            loose += sum(map(len, parts.values()))
        for row in twins:
            for code, blocks in zip(LANGUAGES, row, strict=True):
                numbers[code][blocks[-1].start] = len(said[code])
                said[code].append("<br>".join(inner(b.tag) for b in blocks))
    for code, page in pages.items():
        marked = with_numbers(page.text, numbers[code])
        (site / code / f"{name}.html").write_text(marked, "utf-8")
        write_said(site / FOLDER / code / f"{name}.js", said[code])
    return own, loose


def alike(parts: dict[str, list[Block]]) -> bool:
    """Whether the editions have the same kinds of blocks, in one order."""
    names = [[block.tag.name for block in row] for row in parts.values()]
    return all(row == names[0] for row in names)


def differ(row: list[Block]) -> bool:
    """Whether blocks do not all say the same."""
    return len({" ".join(b.tag.get_text().split()) for b in row}) > 1


def write_said(path: Path, said: list[str]) -> None:
    """Write what a page says, by number, as a script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(handed_over(said), "utf-8")


def inner(tag: Tag) -> str:
    """Return a block's HTML without what has one place on a page only."""
    kept = copy(tag)
    for part in kept.select(NOT_REPEATED):
        part.decompose()
    for part in kept.find_all(True):
        for name in ("id", "name", "aria-describedby", "data-twin"):
            part.attrs.pop(name, None)
    return kept.decode_contents(formatter="minimal").strip()


def with_numbers(text: str, numbers: dict[int, int]) -> str:
    """Return a page whose tags at these places carry these numbers."""
    parts, at = [], 0
    for start, number in sorted(numbers.items()):
        end = re.compile(r"<\w+").match(text, start).end()  # type: ignore[union-attr]
        parts += [text[at:end], f' data-twin="{number}"']
        at = end
    return "".join([*parts, text[at:]])


# ------------------------------------------------------------------ blocks
def read_page(text: str) -> Page:
    """Read the blocks of a page; of one that is numbered already, anew."""
    text = MARK.sub("", text)
    soup = BeautifulSoup(
        PICTURE.sub(lambda m: ">" + re.sub(r"[^\n]", " ", m[0][1:]), text),
        "html.parser",
        parse_only=SoupStrainer("article"),
    )
    article = soup.select_one(".bd-article")
    if article is None:
        return Page(text, [])
    lines = [0]
    for line in text.split("\n"):
        lines.append(lines[-1] + len(line) + 1)
    passed: dict[str, int] = {}
    blocks = []
    for tag, scope in readable(article, ""):
        if is_anchor(tag):
            passed[scope] = passed.get(scope, 0) + 1
        if is_block(tag):
            start = lines[(tag.sourceline or 1) - 1] + (tag.sourcepos or 0)
            blocks.append(Block((scope, passed.get(scope, 0)), tag, start))
    return Page(text, blocks)


def readable(tag: Tag, scope: str) -> Iterator[tuple[Tag, str]]:
    """Yield the tags that are read, each with the part of the page it is in.

    What has an id is a part, but for the two wrappers that exercises have.
    """
    for child in tag.find_all(True, recursive=False):
        classes = set(child.get_attribute_list("class"))
        name = str(child.get("id", ""))
        whole = child.name in ("section", "div") and name
        part = name if whole and not name.endswith("-content") else scope
        yield child, part
        if child.name not in UNREAD and not classes & UNPAIRED:
            yield from readable(child, part)


def is_anchor(tag: Tag) -> bool:
    """Whether a tag is a formula, a cell, or another mark for orientation."""
    classes = set(tag.get_attribute_list("class"))
    return tag.name == "div" and bool(classes & ANCHORS)


def is_block(tag: Tag) -> bool:
    """Whether a tag holds a text, and no blocks in turn.

    The title of what is folded is a button.
    """
    classes = tag.get_attribute_list("class")
    if tag.name not in TEXTS or tag.select_one(BLOCKS):
        return False
    folded = "admonition-title" in classes and tag.find_parent(
        class_="dropdown"
    )
    return not folded and bool(re.search(r"[^\W\d_]", tag.get_text()))
