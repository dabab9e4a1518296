"""What pages load, made small, and last touches to what the theme wrote.

A few of the theme's labels are written into templates, out of reach of
translation catalogs. `book/scripts/assets.js` makes an edition's sheet and its
script; of the icons and the face of formulas the glyphs stay that pages show.
"""

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterable
from html import unescape
from pathlib import Path

from fontTools import subset

from book.tools import ROOT

MATH_FACE = ROOT / "book/site/fonts/book-math.woff2"
VENDORED = {  # folder on the site: npm package and its files
    "minisearch": ("minisearch", ["LICENSE.txt"]),  # bundled
    "source-serif-4": (
        "@fontsource/source-serif-4",
        [
            "LICENSE",
            "files/source-serif-4-latin-400-*.woff2",
            "files/source-serif-4-latin-600-normal.woff2",
        ],
    ),
}
# A letter of a formula is drawn as the mathematical italic of its character.
ITALICS = (0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C))
ITALIC = {unicodedata.normalize("NFKC", chr(code)): code for code in ITALICS}
FORMULA = re.compile(r"<math\b.*?</math>", re.S)
ROOT_OF = re.compile(r"<m(?:sqrt|root)\b")  # drawn with a sign no text holds
# What pages load as it is; all else is in the sheet and the script.
LOADED = (
    *("explorers*.js", "digits.js", "search-engine.js", "favicon.png"),
    *("images/*", "vendor/fontawesome/webfonts/*.woff2"),
)
LABEL = re.compile(r'\b(title|aria-label|placeholder)="([^"]+)"')
# Its words say what it does; the label would hide them, and says less.
SUMMARY = re.compile(r'<summary aria-label="[^"]*">')
# The theme's arrow beside a part of the menu has no words at all.
ARROW = re.compile(r'<summary>(?=<span class="toctree-toggle")')
SEARCH = re.compile(
    r'(<button class="btn search-button-f[^>]*?) aria-label="\w+"'
)
# What holds a table scrolls; a sheet that asked what it holds, by `:has()`,
# would ask again at each move of an explorer.
OF_TABLE = re.compile(r'(?<=<div class="output text_html)(?="><table\b)')
# Modules' names have no space to part at; a phone is as wide as half of one.
MODULE = re.compile(r"(?<=<h[12]>)(?:\w+\.)+(?=\w+<a )")


def finish_pages(pages: Iterable[Path], words: dict[str, str]) -> None:
    """Rewrite pages of one edition in place; `words` has its labels."""
    for page in pages:
        text = page.read_text("utf-8")
        text = LABEL.sub(lambda m: f'{m[1]}="{words.get(m[2], m[2])}"', text)
        text = SUMMARY.sub("<summary>", text)
        text = ARROW.sub(f'<summary aria-label="{words["@part"]}">', text)
        text = SEARCH.sub(r"\1", text)
        text = OF_TABLE.sub(" of-table", text)
        text = MODULE.sub(lambda m: m[0].replace(".", ".<wbr>"), text)
        page.write_text(text, "utf-8")


def write_assets(built: Path, edition: Path) -> None:
    """Write what an edition's finished pages load."""
    for name in LOADED:
        for source in (built / "_static").glob(name):
            copy = edition / source.relative_to(built)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    script = ROOT / "book/scripts/assets.js"
    subprocess.run(["node", script, built, edition], check=True)
    keep_icons(edition / "_static")


def keep_icons(folder: Path) -> None:
    """Keep of the icon fonts only the glyphs that the sheet names."""
    sheet = (folder / "styles/book.css").read_text("utf-8")
    codes = {int(c, 16) for c in re.findall(r"\\([ef][0-9a-f]{3})\b", sheet)}
    codes |= {ord(c) for c in re.findall("[\ue000-\uf8ff]", sheet)}
    for font in folder.glob("vendor/fontawesome/webfonts/*"):
        keep_glyphs(font, codes)


def cut_math_face(face: Path, site: Path) -> None:
    """Write the formulas' face with the glyphs that a site's pages show."""
    shown: set[str] = set()
    for page in site.rglob("*.html"):
        for formula in FORMULA.findall(page.read_text("utf-8")):
            shown.update(unescape(re.sub(r"<[^>]*>", "", formula)))
            shown.update("√" if ROOT_OF.search(formula) else "")
    face.parent.mkdir(parents=True, exist_ok=True)
    for part in MATH_FACE.parent.iterdir():
        shutil.copy2(part, face.parent)
    codes = {*map(ord, shown), *(ITALIC[c] for c in shown if c in ITALIC)}
    keep_glyphs(face, codes)


def keep_glyphs(font: Path, codes: Iterable[int]) -> None:
    """Rewrite a font file with the glyphs of these code points alone."""
    options = subset.Options(flavor="woff2", layout_features=[])
    glyphs = subset.load_font(str(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(glyphs)
    subset.save_font(glyphs, str(font), options)
    glyphs.close()


def copy_vendored(folder: Path) -> None:
    """Copy the faces that pages load, and the licenses of what they load."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, (package, patterns) in VENDORED.items():
        source = ROOT / "node_modules" / package
        for pattern in patterns:
            for path in source.glob(pattern):
                copy = folder / name / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
    cut_math_face(folder / "math" / MATH_FACE.name, folder.parent)
