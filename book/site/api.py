"""The package reference: its pages.

The English build writes the pages of all editions into `book/LANGUAGE/api`;
git ignores them. `api_text` and `commands` say what stands in them,
`api_links` lets names in code lead to them.
"""

from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from book.site.api_links import FOLDER
from book.site.api_text import room_text
from book.site.commands import commands_text
from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.api import Entry, read_api, sections
from preact.strings import LANGUAGES, ORIGINAL


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the pages, and what leads to them."""
    app.connect("config-inited", configure, priority=0)
    app.setup_extension("book.site.api_links")
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def configure(app: Sphinx, config: Config) -> None:
    """Write the pages once, for all editions."""
    config.add_module_names = False
    config.html_domain_indices = False
    if language_of(app) == ORIGINAL:
        write_pages()


def write_pages() -> None:
    """Write the pages of all editions; one that stays is not touched."""
    for language in LANGUAGES:
        folder = ROOT / "book" / language / FOLDER
        folder.mkdir(exist_ok=True)
        for name, text in pages(WORDS[language]):
            path = folder / f"{name}.md"
            if not path.exists() or path.read_text("utf-8") != text:
                path.write_text(text, "utf-8")


def pages(words: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield name and text of each page of an edition."""
    yield "commands", commands_text(words)
    api = read_api()
    for page in api.pages:
        rooms = [room for room in api.rooms if room.page == page]
        if page == "index":
            yield page, index_text(words)
            continue
        text = [
            room_text(room, words, level=1 + bool(i))
            for i, room in enumerate(rooms)
        ]
        yield page, "\n\n".join(text) + "\n"


def index_text(words: dict[str, str]) -> str:
    """Return the page that leads to all others."""
    api = read_api()
    door = api.rooms[-1]
    parts = [
        f"(api)=\n# {words['@api-title']}",
        words["@api-intro"] + words["@api-language"],
        f"## {words['@api-door']}",
        names_text(door.repeated),
        f"## {words['@api-rooms']}",
        '<div lang="en">',
    ]
    for room in api.rooms[:-1]:
        (first, *_) = sections(room.module)[0].value.splitlines()
        names = names_text(room.entries)
        parts.append(f"`{room.path}`\n: {first}\n\n  {names}")
    return "\n\n".join([*parts, "</div>"]) + "\n"


def names_text(entries: tuple[Entry, ...]) -> str:
    """Return names that show no more than their last part."""
    return " ".join(f"`{entry.path}`{{.api-name}}" for entry in entries)
