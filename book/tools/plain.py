"""MyST to Markdown that any notebook shows, by what the page shows.

What only the book understands (roles, directives, labels) becomes words:
figures and equations have the page's numbers, citations the page's list, and a
number from a cell is the one that was printed.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from nbformat.v4 import new_markdown_cell
from pybtex.database import BibliographyData, Entry, parse_file
from pybtex.plugin import find_plugin
from sphinx.config import Config
from sphinx.directives.code import LiteralInclude, LiteralIncludeReader

from book.tools import ROOT, WORDS
from book.tools.myst import STAGES, read_options
from preact.strings import EDITIONS

OPTIONS = r"((?::[\w-]+:.*\n)*)"
BODY = r"((?:.*\n)*?)"
FENCE = rf"^(:::+|```){{([\w-]+)}} *(.*)\n{OPTIONS}{BODY}\1 *(?:\n|\Z)"
HINT = rf"^:::{{hint}}.*\n{OPTIONS}{BODY}::: *(?:\n\s*|\Z)"
EDGE = rf"^:::{{solution-(start|end)}}.*\n{OPTIONS}{BODY}::: *(?:\n|\Z)"
ROLE = r"{([\w:]+)}`([^`]+)`"
EQUATION = r"^\$\$\n((?:(?!\$\$).*\n)*?)\$\$ \(([\w-]+)\)$"


@dataclass
class Page:
    """What the words of one notebook depend on besides its text.

    Parameters
    ----------
    path : Path
        The chapter, `book/LANGUAGE/NAME.md`.
    printed : dict
        Name to value of what its cells handed to the prose; what is not
        there is said to be folded above.
    site : str
        Address of the site, for pages that are no notebooks; may be empty.
    cited : list of str
        Keys of publications in the order of their numbers, filled on the way.
    """

    path: Path
    printed: dict[str, str] = field(default_factory=dict)
    site: str = ""
    cited: list[str] = field(default_factory=list)

    @property
    def language(self) -> str:
        """Code of the edition."""
        return self.path.parent.name

    @property
    def words(self) -> dict[str, str]:
        """The edition's words."""
        return WORDS[self.language]


def plain(text: str, page: Page) -> str:
    """Turn the MyST of one cell into Markdown.

    By patterns: a parser would not give the author's lines back.
    """
    known = labels(page.path.parent)
    for pattern, made in (
        (r"\s?{claim}`[^`]+`", ""),  # evidence is on the page
        (ROLE, lambda m: role(m[1], m[2], page)),
        (EQUATION, lambda m: f"$$\n{m[1]}\\tag{{{known[m[2]].number}}}\n$$"),
        (rf"(?:{HINT})+", lambda m: stages(m[0], page)),
        (FENCE, lambda m: block(m, page)),
        (r"^%.*\n?|^\([\w-]+\)=\n", ""),  # comments, labels
        (
            r'<a href="([\w-]+)\.html(\?[^"]*)?">([^<]+)</a>',
            lambda m: link(m, page),
        ),
        # a list of terms
        (r"^(?![-:# |])(\S.*)\n: {1,3}(?=\S)", r"- **\1**<br>\n  "),
        # what is folded keeps no distance
        (r"</details>\n+(?=[^\s<#])", "</details>\n\n<br>\n\n"),
    ):
        text = re.sub(pattern, made, text, flags=re.MULTILINE)
    return text


def role(name: str, said: str, page: Page) -> str:
    """Return what the page shows for a role."""
    if named := re.fullmatch(r"([^<]+?) *<([^>]+)>", said):
        # a section has a title here, and no number
        return section(named[2], page) if name == "numref" else named[1]
    if name.startswith("footcite"):
        return cite(name, said, page)
    shown = {
        "glue:text": value,
        "numref": figure,
        "eq": equation,
        "doc": chapter,
        "ref": section,
    }
    return shown[name](said, page)


def block(fence: re.Match[str], page: Page) -> str:
    """Return what stands for a directive."""
    _, name, argument, options, body = fence.groups()
    body = re.sub(FENCE, lambda m: block(m, page), body, flags=re.MULTILINE)
    say = EDITIONS[page.language]
    match name:
        case "literalinclude":
            return quote_source(page.path.parent / argument, options) + "\n"
        case "footbibliography":
            return bibliography(page) + "\n"
        case "chapter-map":
            return contents(page.path.parent)
        case "caption":
            return say["opens"].format(figure(argument, page)) + body
        case "exercise":
            label = read_options(options)[0]["label"]
            opened = say["opens"].format(exercise(label, page))
            return f"### {opened.replace('*', '')}{argument}\n{body}"
        case "solution":
            return fold(say["solution"], body)
        case "admonition" if "dropdown" in options:
            return fold(argument, body)
        case "admonition":
            return f"**{argument}**\n{body}"
        case "tab-item":
            return f"#### {argument}\n\n{body}"
    return body


# ------------------------------------------------------------ labels
class Label(NamedTuple):
    """What a label stands for, on which page; numbers are the page's."""

    page: str
    title: str = ""
    number: str = ""


LABELS = re.compile(
    r"^\((?P<section>[\w-]+)\)=\n#+ (?P<title>.*)"
    r"|^:::+{caption} (?P<caption>\S+)"
    r"|^\$\$ \((?P<equation>[\w-]+)\)$"
    r"|^:::+{exercise}.*\n:label: (?P<exercise>\S+)",
    re.MULTILINE,
)


@cache
def labels(folder: Path) -> dict[str, Label]:
    """Return all labels of an edition."""
    found: dict[str, Label] = {}
    for path in sorted(folder.glob("*.md")):
        start = re.match(r"0*(\d+)-", path.name)
        before = f"{start[1]}." if start else ""
        before = "R." if path.stem == "runs" else before  # as on the site
        count = Counter[str]()
        for match in LABELS.finditer(path.read_text("utf-8")):
            kind = str(match.lastgroup)
            if kind == "title":
                found[match["section"]] = Label(path.stem, match["title"])
            else:
                count[kind] += 1
                number = f"{before}{count[kind]}"
                found[match[kind]] = Label(path.stem, "", number)
    return found


def value(name: str, page: Page) -> str:
    """Return a number of a cell, or say where the reader sees it."""
    if name in page.printed:
        return page.printed[name]
    return page.words["@printed"].format(f"`{name}`")


# ------------------------------------------------------------ other chapters
def title(path: Path) -> str:
    """Return the heading of a chapter."""
    return path.read_text("utf-8").partition("\n# ")[2].partition("\n")[0]


def chapter(name: str, page: Page, said: str = "") -> str:
    """Return a link to another notebook, or to the page of one without."""
    path = page.path.with_name(f"{name}.md")
    said = said or title(path)
    if "{code-cell}" in path.read_text("utf-8"):
        return f"[{said}]({name}.ipynb)"
    if page.site:
        return f"[{said}]({page.site}/{page.language}/{name}.html)"
    return f"*{said}*"


def link(found: re.Match[str], page: Page) -> str:
    """Return a link to a page with settings; in its own notebook they act.

    Of a link to another notebook they are said: it opens without them.
    """
    name, settings, said = found.groups(default="")
    if name == page.path.stem:
        return f"[{said}](#{name}{unescape(settings)})"
    there = chapter(name, page, said)
    keys = re.findall(rf"\b{name}\.([\w.]+=[\w.-]+)", unescape(settings))
    if not keys:
        return there
    return page.words["@settings"].format(there, f"`{', '.join(keys)}`")


def section(name: str, page: Page) -> str:
    """Return the heading with a label, and a link to its notebook.

    An exercise has no heading: its number is its name.
    """
    label = labels(page.path.parent)[name]
    said = label.title or exercise(name, page)
    if label.page == page.path.stem:
        return f"*{said}*"
    return f"[{said}]({label.page}.ipynb)"


def exercise(name: str, page: Page) -> str:
    """Return an exercise's number, as the page has it."""
    word = EDITIONS[page.language]["exercise"]
    return f"{word} {labels(page.path.parent)[name].number}"


def contents(folder: Path) -> str:
    """List an edition's numbered chapters with links to their notebooks."""
    return "".join(
        f"1. [{title(path)}]({path.stem}.ipynb)\n"
        for path in sorted(folder.glob("[0-9]*.md"))
    )


def equation(name: str, page: Page) -> str:
    """Return an equation's number, as the page has it."""
    return f"({labels(page.path.parent)[name].number})"


def figure(name: str, page: Page) -> str:
    """Return a figure's number, as the page has it."""
    word = EDITIONS[page.language]["figure"]
    return f"{word} {labels(page.path.parent)[name].number}"


def stages(row: str, page: Page) -> str:
    """Name the hints of a row by what they give away."""
    hints = re.findall(HINT, row, flags=re.MULTILINE)
    return "".join(
        fold(page.words[f"@hint-{stage}"], hint)
        for stage, (_, hint) in zip(STAGES, hints, strict=False)
    )


def plain_cells(cells: list[Any], page: Page) -> list[Any]:
    """Return cells of plain Markdown and of code, with solutions folded.

    A solution's code is words, too: what is run with all cells would print
    the answer. A function that it checks is to be written in the cell before.
    """
    made: list[Any] = []
    solution: list[str] | None = None
    for cell in cells:
        if cell.cell_type != "code":
            for edge, part in parts_of(cell.source):
                solution = [] if edge == "start" else solution
                text = plain(part, page).strip()
                if solution is None:
                    made += [new_markdown_cell(text)] if text else []
                    continue
                solution += [text] if text else []
                if edge == "end":
                    head = EDITIONS[page.language]["solution"]
                    folded = fold(head, "\n\n".join(solution)).strip()
                    made.append(new_markdown_cell(folded))
                    solution = None
        elif solution is None:
            made.append(cell)
        else:
            solution.append(quote_cell(cell))
            leave_to_write(made[-2].source, made[-1], cell.source)
    return made


def parts_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text at the marks of solutions.

    A part that a mark holds comes with its name, `start` or `end`.
    """
    at = 0
    for mark in re.finditer(EDGE, text + "\n", re.MULTILINE):
        yield "", text[at : mark.start()]
        yield mark[1], mark[3]
        at = mark.end()
    yield "", text[at:]


def quote_cell(cell: Any) -> str:
    """Return the code of a cell and what it printed as Markdown.

    Within a fold Jupyter keeps no distance below code.
    """
    printed = "".join(out.get("text", "") for out in cell.outputs).rstrip()
    blocks = [("python", cell.source)] + [("text", printed)] * bool(printed)
    return "\n\n".join(f"```{n}\n{text}\n```\n\n<br>" for n, text in blocks)


def leave_to_write(text: str, cell: Any, solution: str) -> None:
    """Begin, in the cell that asks for it, the function of a solution.

    It is the text's own, which is to be repaired, or has no body yet.
    """
    checked = re.search(r'check\("[\w-]+", (\w+)\)', solution)
    wanted = function(solution, checked[1]) if checked else None
    if not wanted or function(cell.source):
        return
    cell.outputs, cell.execution_count = [], None
    quoted = re.findall(r"^```python\n(.*?)\n```", text, re.M | re.S)
    broken = function(quoted[-1]) if quoted else None
    named = f"`{wanted.name}(" in text
    if broken and not named and same_arguments(broken, wanted):
        cell.source = f"{quoted[-1]}\n\n\n{cell.source}"
        return
    wanted.body = ast.parse("raise NotImplementedError").body
    asked = cell.source.replace("...", wanted.name)
    cell.source = f"{ast.unparse(wanted)}\n\n\n{asked}"


def function(code: str, name: str = "") -> ast.FunctionDef | None:
    """Return the last function that code defines, or that of a name."""
    for node in reversed(ast.parse(code).body):
        if isinstance(node, ast.FunctionDef) and name in ("", node.name):
            return node
    return None


def same_arguments(one: ast.FunctionDef, other: ast.FunctionDef) -> bool:
    """Tell whether two functions take the same."""
    return ast.unparse(one.args) == ast.unparse(other.args)


def fold(head: str, body: str) -> str:
    """Return Markdown that shows its body when its head is clicked."""
    opening = f"<details><summary>{head}</summary>"
    return f"{opening}\n\n{body.strip()}\n\n</details>\n\n"


# ------------------------------------------------------------ publications
@cache
def publications() -> BibliographyData:
    """Return the book's bibliography."""
    return parse_file(ROOT / "book/references.bib")


def cite(form: str, keys: str, page: Page) -> str:
    """Return numbers in brackets; in running text authors first."""
    keyed = [key.strip() for key in keys.split(",")]
    page.cited += [key for key in keyed if key not in page.cited]
    marks = ", ".join(str(page.cited.index(key) + 1) for key in keyed)
    if form == "footcite:t":
        entry = publications().entries[keyed[0]]
        return f"{authors(entry, page.words)} [{marks}]"
    return f"[{marks}]"


def authors(entry: Entry, words: dict[str, str]) -> str:
    """Return the family names of a publication's authors, two or fewer."""
    family = [" ".join(p.last_names) for p in entry.persons["author"]]
    if len(family) > 2:
        return f"{family[0]}{words['@others']}"
    return words["@and"].join(family)


def bibliography(page: Page) -> str:
    """List what a notebook has cited, by number."""
    return "\n\n".join(
        f"[{n}] {reference(key)}" for n, key in enumerate(page.cited, 1)
    )


@cache
def reference(key: str) -> str:
    """Return a publication as a line of Markdown."""
    backend = find_plugin("pybtex.backends", "markdown")()
    entry = publications().entries[key]
    text: str = citation_style().format_entry("", entry).text.render(backend)
    return text


# To look for it reads the metadata of every package that is installed.
@cache
def citation_style() -> Any:
    """Return how publications are written and sorted."""
    return find_plugin("pybtex.style.formatting", "plain")()


# ------------------------------------------------------------ quoted code
def quote_source(path: Path, content: str) -> str:
    """Return what a literalinclude shows, as a code block.

    Sphinx reads it, so the notebook shows what the page shows.
    """
    options, _ = read_options(content)
    legal: dict[str, Any] = LiteralInclude.option_spec or {}
    # docutils says None where a flag has no value
    values = {
        name: legal[name](value or None) for name, value in options.items()
    }
    reader = LiteralIncludeReader(str(path.resolve()), values, Config())
    code, _ = reader.read()
    language = options.get("language", "python")
    return f"```{language}\n{code.rstrip()}\n```"
