"""Last touches to built pages: what loads in vain, what speaks English.

The theme ships its icons twice, as a font and as a 1.5 MB script; the font is
enough. Of two thousand icon names in its style sheet the pages use a few
dozen. And a few of its labels are written into templates, out of reach of
translation catalogs.
"""

import re
from pathlib import Path

from fontTools import subset

ICON_SCRIPT = re.compile(r"<script[^>]*fontawesome\.js[^>]*></script>\n?")
PRELOAD = re.compile(r'<link rel="preload"[^>]*fontawesome\.js[^>]*>\n?')
LABEL = re.compile(r'\b(title|aria-label|placeholder)="([^"]+)"')
ICON_RULE = re.compile(
    r'((?:\.fa-[\w-]+:+before,?)+)\{content:"(?:\\[0-9a-f]+|.)"\}'
)


def finish_pages(folder: Path, words: dict[str, str]) -> None:
    """Rewrite the pages and style sheets of one edition in place."""

    def label(match: re.Match[str]) -> str:
        return f'{match[1]}="{words.get(match[2], match[2])}"'

    used: set[str] = set()
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        text = PRELOAD.sub("", ICON_SCRIPT.sub("", text))
        page.write_text(LABEL.sub(label, text), "utf-8")
        used |= set(re.findall(r"\bfa-[\w-]+", text))
    for script in folder.glob("_static/**/*.js"):
        if script.name == "fontawesome.js":
            script.unlink()
            continue
        used |= set(re.findall(r"\bfa-[\w-]+", script.read_text("utf-8")))

    def rule(match: re.Match[str]) -> str:
        names = set(re.findall(r"fa-[\w-]+", match[1]))
        return match[0] if names & used else ""

    for sheet in folder.glob("_static/styles/*.css"):
        text = sheet.read_text("utf-8")
        used |= set(re.findall(r"(?<!\.)\bfa-[\w-]+", ICON_RULE.sub("", text)))
        sheet.write_text(ICON_RULE.sub(rule, text), "utf-8")
    subset_icons(folder)


def subset_icons(folder: Path) -> None:
    """Keep of the icon fonts only the glyphs that a style sheet names."""
    sheets = "".join(
        sheet.read_text("utf-8") for sheet in folder.glob("_static/**/*.css")
    )
    codes = {int(c, 16) for c in re.findall(r"\\([ef][0-9a-f]{3})\b", sheets)}
    for font in folder.glob("_static/vendor/fontawesome/webfonts/*"):
        if font.suffix != ".woff2":
            font.unlink()  # an older format, for browsers that are gone
            continue
        options = subset.Options(flavor="woff2")
        glyphs = subset.load_font(str(font), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=codes)
        subsetter.subset(glyphs)
        subset.save_font(glyphs, str(font), options)
