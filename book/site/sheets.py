"""The style sheets of the built pages, without the rules that nothing uses.

The book's sheets are written by what they are for (`book/_static/sheets`), in
the order in which a page reads them; that of one chapter's explorer stands in
the chapter's room. `loading` makes one file of all that a page has. Of all
rules, the theme's too, an edition keeps those that its pages use, a third.
"""

import re
import shutil
from pathlib import Path

from book.tools import ROOT

# From the general to the particular: a later sheet may say more.
SHARED = (
    "page",
    "chinese",
    "cover",
    "cells",
    "cards",
    "figures",
    "tables",
    "scrolling",
    "explorers",
    "builder",
    "orders",
    "claims",
    "search",
    "parallel",
)
PAPER = ("sheets/print.css", {"media": "print"})
CLASSES = re.compile(r'\bclass="([^"]*)"')
WORD = re.compile(r"[A-Za-z][\w-]*")
READ = re.compile(r"var\(\s*(--[\w-]+)")
VARIABLE = re.compile(
    r"""(--[\w-]+)\s*:(?:[^;{}"']|"[^"]*"|'[^']*')*(?:;|(?=\}))"""
)
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
HOLDS = re.compile(r":has\(([^(),]*)\)")
LACKS = re.compile(r":not\(:has\(([^(),]*)\)\)")
# "In a cell of two parts": each node that comes or goes anywhere may be a
# second part, so a browser would judge this and all other `:has()` anew.
OF_TWO = re.compile(
    r"div\.cell:has\(>\s*\*:nth-child\(2\)\) ([\w.]+):(first|last)-child"
)


def linked() -> list[str | tuple[str, dict[str, str]]]:
    """Return the book's sheets as Sphinx takes them."""
    names = [*SHARED, *of_rooms(), "awaiting"]
    return [*(f"sheets/{name}.css" for name in names), PAPER]


def of_rooms() -> dict[str, Path]:
    """Return the sheets of the chapters' explorers, by room."""
    found = ROOT.glob("src/preact/book/*/explorer.css")
    return {path.parent.name: path for path in sorted(found)}


def copy_sheets(folder: Path) -> None:
    """Copy the rooms' sheets to where pages load them from."""
    (folder / "sheets").mkdir(parents=True, exist_ok=True)
    for room, path in of_rooms().items():
        shutil.copy(path, folder / "sheets" / f"{room}.css")


def finish_sheets(folder: Path) -> None:
    """Rewrite an edition's style sheets: what its pages use, no more."""
    known = used_words(folder)
    paths = list(folder.glob("_static/**/*.css"))
    sheets = []
    for path in paths:
        text = OF_TWO.sub(
            r"div.cell \1:\2-child:not(:only-child)",
            path.read_text("utf-8"),
        )
        sheets.append(RULE.sub(lambda m: keep_rule(m[1], m[2], known), text))
    others = "".join(
        path.read_text("utf-8")
        for path in (*folder.rglob("*.html"), *folder.rglob("*.js"))
    )
    for path, text in zip(paths, drop_unread(sheets, others), strict=True):
        path.write_text(text, "utf-8")


def used_words(folder: Path) -> set[str]:
    """Classes of the pages, and every word of the scripts that set more."""
    known: set[str] = set()
    for page in folder.rglob("*.html"):
        for names in CLASSES.findall(page.read_text("utf-8")):
            known.update(names.split())
    for script in folder.rglob("*.js"):
        known.update(WORD.findall(script.read_text("utf-8")))
    return known


def drop_unread(sheets: list[str], others: str) -> list[str]:
    """Return style sheets without the variables that nothing reads.

    Parameters
    ----------
    sheets : list of str
        The style sheets.
    others : str
        Pages and scripts, which may read variables too.
    """
    elsewhere = set(re.findall(r"--[\w-]+", others))
    while True:
        read = elsewhere | set(READ.findall("".join(sheets)))
        kept = [drop_variables(sheet, read) for sheet in sheets]
        if kept == sheets:
            return kept
        sheets = kept


def drop_variables(sheet: str, read: set[str]) -> str:
    """Return a style sheet that sets only these variables."""
    return VARIABLE.sub(lambda m: m[0] if m[1] in read else "", sheet)


def keep_rule(selectors: str, body: str, known: set[str]) -> str:
    """Return a style rule without the selectors that match nothing.

    What stands in parentheses, as in `:is(.a, .b)`, is not judged: a part of
    it may match. But that nothing holds what no page has is not asked: a
    browser would search all that comes and goes for it.
    """
    if selectors.lstrip().startswith("@"):
        return f"{selectors}{{{body}}}"
    kept = [
        LACKS.sub(lambda m: m[0] if all_known(m[1], known) else "", selector)
        for selector, outside in split_selectors(selectors)
        if all_known(outside, known)
        and all(all_known(held, known) for held in must_hold(selector))
    ]
    return f"{','.join(kept)}{{{body}}}" if kept else ""


def must_hold(selector: str) -> list[str]:
    """Return what `:has()` asks for outside of all other parentheses."""
    return [
        found[1]
        for found in HOLDS.finditer(selector)
        if selector.count("(", 0, found.start())
        == selector.count(")", 0, found.start())
    ]


def all_known(selector: str, known: set[str]) -> bool:
    """Whether every class of a selector is a page's or a script's."""
    names = re.findall(r"\.(-?[A-Za-z](?:[\w-]|\\.)*)", selector)
    return all(name.replace("\\", "") in known for name in names)


def split_selectors(text: str) -> list[tuple[str, str]]:
    """Return a list's selectors, each whole and without its parentheses."""
    selectors, depth = [["", ""]], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            selectors.append(["", ""])
            continue
        selectors[-1][0] += sign
        if not depth and sign != ")":
            selectors[-1][1] += sign
    return [(whole, outside) for whole, outside in selectors]
