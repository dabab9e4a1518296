"""What a page loads before it is read: two sheets, few scripts, its faces.

Sphinx, the theme and each extension link files of their own, some forty to a
page, and nearly half of them keep it from being painted. Here the theme's
sheets, which all pages have, become one file, and the others of a page
another; of its scripts, for which no page waits, one is what pages share, and
one its explorers. The engine of the explorers stays as it is, there to be
read. The faces of the first lines are asked for before the sheets are there.
"""

import os
import re
from hashlib import sha256
from pathlib import Path

from jinja2 import Template

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
        spent |= {folder / name for name, _ in scripts_of(text, up)}
        text = join_sheets(join_scripts(text, folder, up), folder, up)
        page.write_text(text, "utf-8")
    spent |= {
        sheet
        for sheet in folder.glob("_static/**/*.css")
        if sheet.parent != folder / JOINED
    }
    for path in spent:
        path.unlink()


def opening(text: str, up: str) -> str:
    """Return the script that runs before a page is painted.

    It asks for the faces of the first lines, and takes light or dark from the
    system; the theme does that later, and until then has no colors at all.

    Parameters
    ----------
    text : str
        The page.
    up : str
        Steps from it to its edition's folder.
    """
    faces = [
        f"{up}../_vendor/{face}"
        for face, asking in FACES.items()
        if asking.search(text)
    ]
    template = Template(OPENING.read_text("utf-8"))
    return str(template.render(faces=faces))


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


def scripts_of(text: str, up: str) -> list[tuple[str, dict[str, str]]]:
    """Return the scripts of a page but the engine, with their attributes."""
    found = [attributes(tag) for tag in SCRIPT.findall(text)]
    named = [(address(told.pop("src"), up), told) for told in found]
    return [(n, told) for n, told in named if not n.startswith(ENGINE)]


def join_scripts(text: str, folder: Path, up: str) -> str:
    """Return a page whose scripts are the engine, its explorers, the others.

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
    said, own, shared = [opening(text, up)], [], []
    told_own: dict[str, str] = {}
    for name, told in scripts_of(text, up):
        script = (folder / name).read_text("utf-8")
        if name == OPTIONS:
            said.append(script)
        elif name in EXPLORERS:
            own.append(script)
            told_own |= told
        else:
            shared.append(script)
    scripts = [tag for tag in SCRIPT.findall(text) if ENGINE in tag]
    if own:
        one = write_joined(own, folder, ".js")
        scripts.append(deferred(f"{up}{one}", told_own))
    scripts.append(deferred(f"{up}{write_joined(shared, folder, '.js')}", {}))
    text = UNTHEMED.sub(r"\1light", PRELOAD.sub("", SCRIPT.sub("", text)))
    head, body = text.split("</head>", 1)
    said += INLINE.findall(head)
    inline = "<script>{}</script>\n".format("\n".join(said))
    head = INLINE.sub("", head)
    first = SHEET.findall(head)[0]
    head = head.replace(first, inline + first, 1) + "".join(scripts)
    return f"{head}</head>{body}"


def deferred(address: str, told: dict[str, str]) -> str:
    """Return the tag of a script that runs when its page has been read."""
    said = "".join(f' {name}="{value}"' for name, value in told.items())
    return f'<script defer="defer" src="{address}"{said}></script>\n'


def attributes(tag: str) -> dict[str, str]:
    """Return what a tag says, but that it is deferred."""
    told = dict(ATTRIBUTE.findall(tag))
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
