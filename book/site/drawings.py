"""What the drawings of a page repeat is said once.

Each of matplotlib's elements brings its style along, and refers to markers by
long names; a page has thousands. Equal styles become one rule, which weighs as
much as the attribute did; names become short. Both are hashes of what they
stand for, so that pages may be put together. A line is written by its steps,
which are shorter than places and say the same to the last digit; one that
several drawings share, as the pictures of a stepper their grid and ghosts, is
drawn once and shown by the others; so are the axes of a stepper's panels.
"""

import base64
import hashlib
import re
from collections import Counter

DRAWING = re.compile(r"(<svg\b[^>]*>)(.*?)(</svg>)", re.S)
STYLED = re.compile(r'<(\w+)([^<>]*?) style="([^"]*)"([^<>]*?)(/?)>')
NAME = re.compile(r"\b[0-9a-f]{8}-[a-z][0-9a-f]{10}\b")
# Straight lines, to hundredths at most.
_PLACE = r"[ML]-?\d+(?:\.\d\d?)? -?\d+(?:\.\d\d?)?"
LINES = re.compile(rf' d="((?:{_PLACE})(?:{_PLACE}|[zZ])*)"')
PART = re.compile(r"([MLzZ])(?:(-?[\d.]+) (-?[\d.]+))?")
# Zeros that say nothing, of places and lengths; what HTML does not read.
MEASURES = re.compile(r' (?:d|x|y)="[^"]*"')
ZERO = re.compile(r"(?<=\d)\.0(?!\d)")
UNREAD = re.compile(r' (?:xmlns|version)="[^"]*"')
# Signs of a formula are set each in its place: no space is seen between.
SPACE = re.compile(r'\s*\n\s*(?=<tspan (?:class="\w+" )?x=|</text>)')
# The marks of a curve, and what of a style marks do not inherit.
MARKS = re.compile(
    r'<use class="(\w+)"[^<>]*/>(?:<use class="\1"[^<>]*/>){2,}'
)
APART = re.compile(r"(?:^|;)\s*(?:opacity|clip|mask|filter|transform)")
# What may be shown elsewhere: it has no name and no style sheet knows it.
SHARED = re.compile(
    r'<g class="axes">(?:(?!</g>).)*</g>'
    r"|(?<!<defs>)<path (?![^<>]*\b(?:id|clip-path|style)=)"
    r'(?:class="(?P<name>\w+)" )?[^<>]*/>',
    re.S,
)
LENT = (
    '<svg aria-hidden="true" height="0" style="position:absolute" width="0">'
)
CLASS = re.compile(r' class="([^"]*)"')
ARTICLE = re.compile(r'<article class="bd-article"[^>]*>')


def say_once(page: str) -> str:
    """Return a page whose drawings share their styles.

    Parameters
    ----------
    page : str
        HTML. A page without an article is left as it is.
    """
    if not (article := ARTICLE.search(page)):
        return page
    counts = Counter(
        style
        for drawing in DRAWING.finditer(page)
        for _, _, style, _, _ in STYLED.findall(drawing[2])
    )
    shared = {style: short(style) for style, n in counts.items() if n > 2}
    whole = {name for style, name in shared.items() if APART.search(style)}

    def lighter(drawing: re.Match[str]) -> str:
        content = STYLED.sub(lambda m: classed(m, shared), drawing[2])
        content = LINES.sub(lambda m: f' d="{steps(m[1])}"', content)
        content = MEASURES.sub(lambda m: ZERO.sub("", m[0]), content)
        content = NAME.sub(lambda m: short(m[0]), SPACE.sub("", content))
        content = MARKS.sub(lambda m: gathered(m, whole), content)
        return UNREAD.sub("", drawing[1]) + content + drawing[3]

    page = DRAWING.sub(lighter, page)
    page, lent = lend(page, set(shared.values()))
    # An id outweighs the classes of the style sheets, as an attribute does;
    # behind a class, so that a browser asks this of that class alone.
    rules = "".join(
        f".{name}:not(#_){{{style}}}" for style, name in shared.items()
    )
    head = (f"<style>{rules}</style>" if rules else "") + lent
    return page.replace(article[0], article[0] + head, 1)


def gathered(marks: re.Match[str], whole: set[str]) -> str:
    """Return marks of one style in a group, which has the style for them.

    A style of `whole` is one of each mark, and stays where it is.
    """
    name = marks[1]
    if name in whole:
        return marks[0]
    bare = marks[0].replace(f' class="{name}"', "")
    return f'<g class="{name}">{bare}</g>'


def lend(page: str, names: set[str]) -> tuple[str, str]:
    """Return a page whose equal lines are one, and the drawing of those.

    Parameters
    ----------
    page : str
        HTML.
    names : set of str
        Classes that mean the same in every drawing.
    """
    lines = Counter(
        line[0]
        for drawing in DRAWING.finditer(page)
        for line in SHARED.finditer(drawing[2])
        if line["name"] is None or line["name"] in names
    )
    lent = {
        line: short(line)
        for line, n in lines.items()
        if (n - 1) * (len(line) - len('<use href="#1234567"/>')) > 40
    }
    if not lent:
        return page, ""

    def borrowed(line: re.Match[str]) -> str:
        name = lent.get(line[0])
        return f'<use href="#{name}"/>' if name else line[0]

    page = DRAWING.sub(
        lambda m: m[1] + SHARED.sub(borrowed, m[2]) + m[3], page
    )
    own = "".join(
        re.sub(r"^<\w+", rf'\g<0> id="{name}"', line)
        for line, name in lent.items()
    )
    return page, f"{LENT}<defs>{own}</defs></svg>"


def classed(element: re.Match[str], shared: dict[str, str]) -> str:
    """Return an element's start with a class in the place of its style."""
    tag, before, style, after, end = element.groups()
    if style not in shared:
        return element[0]
    others = before + after
    names = [shared[style]]
    if own := CLASS.search(others):
        others = others.replace(own[0], "", 1)
        names.insert(0, own[1])
    return f'<{tag} class="{" ".join(names)}"{others}{end}>'


def steps(path: str) -> str:
    """Return a path of straight lines, each written from where it begins."""
    made: list[str] = []
    start = here = (0, 0)
    for command, *place in PART.findall(path):
        if command in "zZ":
            made.append("z")
            here = start
            continue
        x, y = (round(100 * float(part)) for part in place)
        dx, dy = x - here[0], y - here[1]
        here = x, y
        if command == "M":
            start = here
            made.append(f"M{number(x)}{joined(y)}")
        elif dy == 0:
            made.append(f"h{number(dx)}")
        elif dx == 0:
            made.append(f"v{number(dy)}")
        else:
            made.append(f"l{number(dx)}{joined(dy)}")
    return "".join(made)


def number(hundredths: int) -> str:
    """Write hundredths as shortly as a path may have them."""
    text = f"{hundredths / 100:.2f}".rstrip("0").rstrip(".")
    return re.sub(r"^(-?)0(?=\.)", r"\1", text)


def joined(hundredths: int) -> str:
    """Write a second number, with a space where no sign parts it."""
    text = number(hundredths)
    return text if text.startswith("-") else f" {text}"


def short(text: str) -> str:
    """Return a name for a text: a letter, and six that differ."""
    digest = hashlib.sha256(text.encode()).digest()
    return "s" + base64.b32encode(digest)[:6].decode().lower()
