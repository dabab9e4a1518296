"""What a page waits for: two style sheets.

Sphinx, the theme and each extension link sheets of their own, some thirty to
a page. Here the theme's, which all pages have, become one file, and the others
of a page another.
"""

import os
import re
from hashlib import sha256
from html import unescape
from pathlib import Path

LINK = re.compile(r'<link\b[^>]*\brel="stylesheet"[^>]*>\s*')
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
CHARSET = re.compile(r'@charset "[^"]*";?')
IMPORT = re.compile(r"""@import\s*["']([^"']+)["'];?""")
ADDRESS = re.compile(r"""url\((["']?)(?!data:|#)([^"')]+)\1\)""")
JOINED = "_static/joined"
THEME = 2  # sheets that the theme links before all others


def join_sheets(folder: Path) -> None:
    """Let an edition's pages link two sheets; remove those that are in them.

    Parameters
    ----------
    folder : Path
        The edition's built pages, their sheets finished.
    """
    for page in sorted(folder.rglob("*.html")):
        text = page.read_text("utf-8")
        if LINK.search(text):
            up = "../" * len(page.relative_to(folder).parents[:-1])
            page.write_text(with_two_sheets(text, folder, up), "utf-8")
    for sheet in folder.glob("_static/**/*.css"):
        if sheet.parent != folder / JOINED:
            sheet.unlink()


def with_two_sheets(text: str, folder: Path, up: str) -> str:
    """Return a page that loads its sheets as two, in their order.

    Parameters
    ----------
    text : str
        The page.
    folder : Path
        Its edition's.
    up : str
        Steps from the page to that folder.
    """
    links = LINK.findall(text)
    tags = []
    for part in (links[:THEME], links[THEME:]):
        sheets = []
        for link in part:
            told = {k: unescape(v) for k, v in ATTRIBUTE.findall(link)}
            address = told["href"].split("?")[0].removeprefix(up)
            sheet = read_sheet(folder / address, folder / JOINED)
            media = told.get("media")
            sheets.append(f"@media {media}{{{sheet}}}" if media else sheet)
        one = write_joined(sheets, folder)
        tags.append(f'<link rel="stylesheet" href="{up}{one}" />\n')
    before, after = text.split(links[0], 1)
    return "".join((before, *tags, LINK.sub("", after)))


def read_sheet(path: Path, place: Path) -> str:
    """Return a sheet, and what it imports, as it reads in another folder."""
    text = CHARSET.sub("", path.read_text("utf-8"))
    text = ADDRESS.sub(
        lambda m: f'url("{os.path.relpath(path.parent / m[2], place)}")', text
    )
    return IMPORT.sub(lambda m: read_sheet(path.parent / m[1], place), text)


def write_joined(sheets: list[str], folder: Path) -> str:
    """Write sheets as one file named by its content; return its address."""
    text = "\n".join(sheets)
    name = f"{JOINED}/{sha256(text.encode()).hexdigest()[:8]}.css"
    (folder / JOINED).mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return name
