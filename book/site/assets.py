"""Last touches to built pages: what loads in vain, what speaks English.

Of the theme's icons, a font, a few dozen are used. And a few of the theme's
labels are written into templates, out of reach of translation catalogs. Style
sheets are made small in `sheets`; `loading` joins those of a page.
"""

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterable
from html import unescape
from pathlib import Path

from fontTools import subset

from book.site.drawings import say_once
from book.site.loading import join_sheets
from book.site.sheets import finish_sheets
from book.tools import ROOT

MATH_FACE = ROOT / "book/site/fonts/book-math.woff2"
VENDORED = {  # npm package: (folder on the site, files)
    "minisearch": ("minisearch", ("LICENSE.txt",)),  # bundled
    "@fontsource/source-serif-4": (
        "source-serif-4",
        (
            "LICENSE",
            *(
                f"files/source-serif-4-latin-{face}.woff2"
                for face in ("400-normal", "400-italic", "600-normal")
            ),
        ),
    ),
}
# What English text is set in, and the figures and ligatures it uses.
TEXT_GLYPHS = [
    *range(0x20, 0x7F),
    *map(ord, "\xa0§°±²³·×àáäåçèéíñóöøü–—‘’“”…′"),
]
TEXT_FEATURES = ["kern", "liga"]
# A letter of a formula is drawn as the mathematical italic of its character.
ITALICS = (0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C))
ITALIC = {unicodedata.normalize("NFKC", chr(code)): code for code in ITALICS}
FORMULA = re.compile(r"<math\b.*?</math>", re.S)
ROOT_OF = re.compile(r"<m(?:sqrt|root)\b")  # drawn with a sign no text holds
# Sphinx's own search, its marks, a kernel; icons that a font has already, and
# Bootstrap, for which menus.js stands in.
UNUSED = (
    *("doctools.js", "documentation_options.js", "language_data.js"),
    *("searchtools.js", "sphinx_highlight.js", "translations.js"),
    *("sphinx-thebe.js", "scripts/bootstrap.js", "scripts/fontawesome.js"),
)
# What of a page a sheet is for; thebe's is for nothing.
SERVES = {
    r"copybutton|pygments": r'class="highlight\b',
    "togglebutton": r'class="[^"]*\b(?<!-)(?:toggle|dropdown)(?!-)\b',
    r"sphinx-design\.min": r'class="sd-',
    "exercise": r'class="[^"]*\b(?:exercise|solution)\b',
    r"mystnb\.\w+": r'class="cell\b',
    "sphinx-thebe": r"(?!)",
}
SHEET = r"<link[^>]*/(?:{0})\.css[^>]*>\n?"
# What a writer of HTML calls every box; hundreds of claims are one.
ENTRY = re.compile(r'(?<=<div class="claim-entry) docutils container"')
LABEL = re.compile(r'\b(title|aria-label|placeholder)="([^"]+)"')
TWICE = re.compile(r"<title>(.+?) &#8212; \1</title>")
# Its words say what it does; the label would hide them, and says less.
SUMMARY = re.compile(r'<summary aria-label="[^"]*">')
# The theme's arrow beside a part of the menu has no words at all.
ARROW = re.compile(r'<summary>(?=<span class="toctree-toggle")')
SEARCH = re.compile(
    r'(<button class="btn search-button-f[^>]*?) aria-label="\w+"'
)
# Names, signs and spaces of code have the color of the text around them.
PLAIN = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')
# What holds a table scrolls; a sheet that asked what it holds, by `:has()`,
# would ask again at each move of an explorer.
OF_TABLE = re.compile(r'(?<=<div class="output text_html)(?="><table\b)')
# Modules' names have no space to part at; a phone is as wide as half of one.
MODULE = re.compile(r"(?<=<h[12]>)(?:\w+\.)+(?=\w+<a )")
MARK = re.compile(r'(class="claim-mark claim-\w+) reference internal"')
# A name of code that is one piece, of which no style sheet knows more.
CODE = re.compile(
    r'<code class="[a-z -]*\bliteral notranslate"><span class="pre">'
    r"([^<]*)</span></code>"
)


def finish_pages(folder: Path, words: dict[str, str]) -> None:
    """Rewrite the pages and style sheets of one edition in place.

    Parameters
    ----------
    folder : Path
        The edition's built pages.
    words : dict
        English label to the edition's.
    """
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        text = LABEL.sub(lambda m: f'{m[1]}="{words.get(m[2], m[2])}"', text)
        text = SUMMARY.sub("<summary>", text)
        text = ARROW.sub(f'<summary aria-label="{words["@part"]}">', text)
        text = SEARCH.sub(r"\1", text)
        text = TWICE.sub(r"<title>\1</title>", text)  # on the front page
        text = PLAIN.sub(r"\1", text)
        text = CODE.sub(r'<code class="literal notranslate">\1</code>', text)
        text = MARK.sub(r'\1"', text)
        text = ENTRY.sub('"', text)
        text = OF_TABLE.sub(" of-table", text)
        text = MODULE.sub(lambda m: m[0].replace(".", ".<wbr>"), text)
        page.write_text(say_once(drop_idle(text)), "utf-8")
    for map_of_source in folder.glob("_static/**/*.map"):
        map_of_source.unlink()
    shutil.rmtree(folder / "_static/locales", ignore_errors=True)
    for template in folder.glob("_static/*webpack-macros.html"):
        template.unlink()
    for script in UNUSED:
        (folder / "_static" / script).unlink(missing_ok=True)
    minify(folder)
    finish_sheets(folder)
    subset_icons(folder)
    join_sheets(folder)


def minify(folder: Path) -> None:
    """Rewrite an edition's sheets without comments and spaces.

    Not the scripts of others: esbuild would read them as modules, in which
    `this` is nothing.
    """
    files = [*folder.glob("_static/**/*.css")]
    if not files:
        return
    subprocess.run(
        [
            ROOT / "node_modules/.bin/esbuild",
            *files,
            *("--minify", "--charset=utf8", "--log-level=error"),
            *("--allow-overwrite", f"--outbase={folder}"),
            f"--outdir={folder}",
        ],
        check=True,
    )


def drop_idle(page: str) -> str:
    """Return a page without the sheets that nothing in it needs."""
    for names, served in SERVES.items():
        if not re.search(served, page):
            page = re.sub(SHEET.format(names), "", page)
    return page


def subset_icons(folder: Path) -> None:
    """Keep of the icon fonts only the glyphs that a style sheet names."""
    sheets = "".join(
        sheet.read_text("utf-8") for sheet in folder.glob("_static/**/*.css")
    )
    codes = {int(c, 16) for c in re.findall(r"\\([ef][0-9a-f]{3})\b", sheets)}
    codes |= {ord(c) for c in re.findall("[\ue000-\uf8ff]", sheets)}
    for font in folder.glob("_static/vendor/fontawesome/webfonts/*"):
        if font.suffix != ".woff2":
            font.unlink()  # an older format, for browsers that are gone
        else:
            keep_glyphs(font, codes, subset.Options())


def subset_text(vendored: Path) -> None:
    """Keep of the text's faces the glyphs of English, without hints."""
    options = subset.Options(hinting=False, layout_features=TEXT_FEATURES)
    for font in vendored.glob("source-serif-4/**/*.woff2"):
        keep_glyphs(font, TEXT_GLYPHS, options)


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
    keep_glyphs(face, codes, subset.Options(layout_features=[]))


def keep_glyphs(
    font: Path, codes: Iterable[int], options: subset.Options
) -> None:
    """Rewrite a font file with the glyphs of these code points alone."""
    options.flavor = "woff2"
    glyphs = subset.load_font(str(font), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(glyphs)
    subset.save_font(glyphs, str(font), options)
    glyphs.close()


def copy_vendored(folder: Path) -> None:
    """Copy the faces that pages load, and the licenses of what they load."""
    shutil.rmtree(folder, ignore_errors=True)
    for package, (name, patterns) in VENDORED.items():
        source = ROOT / "node_modules" / package
        for pattern in patterns:
            for path in source.glob(pattern):
                copy = folder / name / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
    subset_text(folder)
    cut_math_face(folder / "math" / MATH_FACE.name, folder.parent)
