"""What a page loads before it is read: two sheets and its faces, no script.

Sphinx, the theme and each extension link files of their own, some forty to a
page, and nearly half of them keep it from being painted. Here the theme's
sheets, which all pages have, become one file, and the others of a page
another; of its scripts, which come when it has been painted, one is what pages
share, and one its explorers. The engine of the explorers stays as it is, there
to be read. The faces of the first lines are asked for before the sheets.
"""

import os
import re
from hashlib import sha256
from html import unescape
from pathlib import Path

from jinja2 import Template
from rjsmin import jsmin

from book.site.pages import SCRIPTS
from book.tools import ROOT

SHEET = re.compile(r'<link\b[^>]*\brel="stylesheet"[^>]*>\s*')
SCRIPT = re.compile(r'<script\b[^>]*\bsrc="[^"]*\b_static/[^>]*></script>\s*')
INLINE = re.compile(r"<script>(.*?)</script>\s*", re.S)
PRELOAD = re.compile(r'<link rel="preload" as="script"[^>]*>\s*')
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
CHARSET = re.compile(r'@charset "[^"]*";?')
IMPORT = re.compile(r"""@import\s*["']([^"']+)["'];?""")
ADDRESS = re.compile(r"""url\((["']?)(?!data:|#)([^"')]+)\1\)""")
OPENING = ROOT / "book/site/templates/opening.js"
UNTHEMED = re.compile(r'(<html[^>]* data-theme=")auto\b')
JOINED = "_static/joined"
THEME = 2  # sheets that the theme links before all others
ENGINE = "_static/engine/"
OPTIONS = "_static/documentation_options.js"  # a line that others read
EXPLORERS = {f"_static/{name}" for names in SCRIPTS.values() for name in names}
# Faces of a page's first lines, by what asks for them: where one is not there
# in time, text is set twice.
ENGLISH = re.compile(r'<html lang="en".*/fonts\.css', re.S)
FACES = {
    "source-serif-4/files/source-serif-4-latin-400-normal.woff2": ENGLISH,
    "source-serif-4/files/source-serif-4-latin-600-normal.woff2": ENGLISH,
    "math/book-math.woff2": re.compile("<math"),
}


def join_assets(folder: Path) -> None:
    """Let an edition's pages load few files; remove those that are in them.

    Parameters
    ----------
    folder : Path
        The edition's built pages, their sheets and scripts finished.
    """
    spent: set[Path] = set()
    for page in sorted(folder.rglob("*.html")):
        text = page.read_text("utf-8")
        if not SHEET.search(text):
            continue
        up = "../" * len(page.relative_to(folder).parents[:-1])
        links = [attributes(tag)["src"] for tag in SCRIPT.findall(text)]
        names = [address(link, up) for link in links]
        spent |= {folder / n for n in names if not n.startswith(ENGINE)}
        text = join_sheets(join_scripts(text, folder, up), folder, up)
        page.write_text(text, "utf-8")
    spent |= {
        sheet
        for sheet in folder.glob("_static/**/*.css")
        if sheet.parent != folder / JOINED
    }
    for path in spent:
        path.unlink()


def opening(text: str, up: str, scripts: list[dict[str, str]]) -> str:
    """Return the script that runs before a page is painted.

    It asks for the faces of the first lines, and takes light or dark from the
    system; the theme does that later, and until then has no colors at all.
    After the first paint it brings the page's other scripts.

    Parameters
    ----------
    text : str
        The page.
    up : str
        Steps from it to its edition's folder.
    scripts : list of dict
        The attributes of each script of the page, in their order.
    """
    faces = [
        f"{up}../_vendor/{face}"
        for face, asking in FACES.items()
        if asking.search(text)
    ]
    template = Template(OPENING.read_text("utf-8"))
    return str(jsmin(template.render(faces=faces, scripts=scripts)))


def join_sheets(text: str, folder: Path, up: str) -> str:
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
    links = SHEET.findall(text)
    tags = []
    for part in (links[:THEME], links[THEME:]):
        sheets = []
        for told in map(attributes, part):
            path = folder / address(told["href"], up)
            sheet = read_sheet(path, folder / JOINED)
            media = told.get("media")
            sheets.append(f"@media {media}{{{sheet}}}" if media else sheet)
        one = write_joined(sheets, folder, ".css")
        tags.append(f'<link rel="stylesheet" href="{up}{one}" />\n')
    before, after = text.split(links[0], 1)
    return "".join((before, *tags, SHEET.sub("", after)))


def read_sheet(path: Path, place: Path) -> str:
    """Return a sheet, and what it imports, as it reads in another folder."""
    text = CHARSET.sub("", path.read_text("utf-8"))
    text = ADDRESS.sub(
        lambda m: f'url("{os.path.relpath(path.parent / m[2], place)}")', text
    )
    return IMPORT.sub(lambda m: read_sheet(path.parent / m[1], place), text)


def join_scripts(text: str, folder: Path, up: str) -> str:
    """Return a page whose scripts are the engine, its explorers, the others.

    They come after its first paint, as `templates/opening.js` says.

    What its head has as text comes before the sheets: behind them it would
    wait for them, and the page for it.

    Parameters
    ----------
    text : str
        The page.
    folder : Path
        Its edition's.
    up : str
        Steps from the page to that folder.
    """
    said, own, shared, scripts = [], [], [], []
    told_own: dict[str, str] = {}
    for told in map(attributes, SCRIPT.findall(text)):
        link = told.pop("src")
        name = address(link, up)
        if name.startswith(ENGINE):
            scripts.append({"src": link})
            continue
        script = (folder / name).read_text("utf-8")
        if name == OPTIONS:
            said.append(script)
        elif name in EXPLORERS:
            own.append(script)
            told_own |= told
        else:
            shared.append(script)
    for pieces, told in ((own, told_own), (shared, {})):
        if pieces:
            one = up + write_joined(pieces, folder, ".js")
            scripts.append({"src": one} | told)
    text = UNTHEMED.sub(r"\1light", PRELOAD.sub("", SCRIPT.sub("", text)))
    head, body = text.split("</head>", 1)
    said = [opening(text, up, scripts), *said, *INLINE.findall(head)]
    inline = "<script>{}</script>\n".format("\n".join(said))
    head = INLINE.sub("", head)
    first = SHEET.findall(head)[0]
    return f"{head.replace(first, inline + first, 1)}</head>{body}"


def attributes(tag: str) -> dict[str, str]:
    """Return what a tag says, but that it is deferred."""
    told = {name: unescape(value) for name, value in ATTRIBUTE.findall(tag)}
    told.pop("defer", None)
    return told


def address(link: str, up: str) -> str:
    """Return what a page links to, as seen from its edition's folder."""
    return link.split("?")[0].removeprefix(up)


def write_joined(pieces: list[str], folder: Path, suffix: str) -> str:
    """Write pieces as one file named by its content; return its address."""
    # A script may leave out its last semicolon, and the next begin with "(".
    text = (";\n" if suffix == ".js" else "\n").join(pieces)
    name = f"{JOINED}/{sha256(text.encode()).hexdigest()[:8]}{suffix}"
    (folder / JOINED).mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return name
