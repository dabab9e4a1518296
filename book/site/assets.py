"""Last touches to built pages: what loads in vain, what speaks English.

The theme ships its icons twice, as a font and as a 1.5 MB script; the font is
enough, and of its glyphs a few dozen. Of the style sheets' rules the pages
use a third. And a few of the theme's labels are written into templates, out
of reach of translation catalogs.
"""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset
from rjsmin import jsmin

from book.tools import ROOT

VENDOR = "../../_vendor/"  # as seen from <language>/_static/
VENDORED = {  # npm package: (folder on the site, files)
    "mathjax/es5": (
        "mathjax",
        ("tex-chtml.js", "output/chtml/fonts/**/*.woff"),
    ),
    "@jupyter-widgets/html-manager/dist": (
        "html-manager",
        ("embed.js", "*.woff2"),
    ),
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
ICON_SCRIPT = re.compile(r"<script[^>]*fontawesome\.js[^>]*></script>\n?")
PRELOAD = re.compile(r'<link rel="preload"[^>]*fontawesome\.js[^>]*>\n?')
LABEL = re.compile(r'\b(title|aria-label|placeholder)="([^"]+)"')
TWICE = re.compile(r"<title>(.+?) &#8212; \1</title>")
# Its words say what it does; the label would hide them, and says less.
SUMMARY = re.compile(r'<summary aria-label="[^"]*">')
SEARCH = re.compile(
    r'(<button class="btn search-button-f[^>]*?) aria-label="\w+"'
)
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


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
        text = PRELOAD.sub("", ICON_SCRIPT.sub("", text))
        text = LABEL.sub(lambda m: f'{m[1]}="{words.get(m[2], m[2])}"', text)
        text = SUMMARY.sub("<summary>", text)
        text = SEARCH.sub(r"\1", text)
        text = TWICE.sub(r"<title>\1</title>", text)  # on the front page
        page.write_text(text, "utf-8")
    for map_of_source in folder.glob("_static/**/*.map"):
        map_of_source.unlink()
    shutil.rmtree(folder / "_static/locales", ignore_errors=True)
    for script in folder.glob("_static/**/*.js"):
        if script.name == "fontawesome.js":
            script.unlink()
        elif script.parent.name != "engine":  # that is there to be read
            script.write_text(jsmin(script.read_text("utf-8")), "utf-8")
    known = used_words(folder)
    for sheet in folder.glob("_static/**/*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.S)
        sheet.write_text(
            RULE.sub(lambda m: keep_rule(m[1], m[2], known), text), "utf-8"
        )
    subset_icons(folder)


def used_words(folder: Path) -> set[str]:
    """Every word of pages and scripts: a class that is none is never set."""
    known: set[str] = set()
    vendored = folder.parent / "_vendor"
    for path in (
        *folder.rglob("*.html"),
        *folder.rglob("*.js"),
        *vendored.rglob("*.js"),
    ):
        found = re.findall(r"[A-Za-z][\w-]*", path.read_text("utf-8"))
        if path.is_relative_to(vendored):  # these bring icons of their own
            found = [word for word in found if not word.startswith("fa-")]
        known.update(found)
    return known


def keep_rule(selectors: str, body: str, known: set[str]) -> str:
    """Return a style rule without the selectors that match nothing."""
    if selectors.lstrip().startswith("@"):
        return f"{selectors}{{{body}}}"
    kept = [
        selector
        for selector in re.split(r",(?![^(]*\))", selectors)
        if all(
            name.replace("\\", "") in known
            for name in re.findall(r"\.(-?[A-Za-z](?:[\w-]|\\.)*)", selector)
        )
    ]
    return f"{','.join(kept)}{{{body}}}" if kept else ""


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


def copy_vendored(folder: Path) -> None:
    """Copy the scripts and faces that pages load.

    Without npm MathJax comes from a CDN, and text is set in what the
    reader's system has.
    """
    shutil.rmtree(folder, ignore_errors=True)
    for package, (name, patterns) in VENDORED.items():
        source = ROOT / "node_modules" / package
        for pattern in patterns:
            for path in source.glob(pattern):
                copy = folder / name / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
    subset_text(folder)
