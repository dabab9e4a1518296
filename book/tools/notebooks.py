"""Chapters to notebooks: book/<language>/*.md -> notebooks/<language>/*.ipynb.

Code cells pass unchanged, so that what runs in a notebook is what the book
shows. In the text, what only the book understands (roles, directives, labels)
is turned into plain Markdown. Notebooks have no outputs and stable ids.

    python -m book.tools.notebooks           write what has changed
    python -m book.tools.notebooks --check   fail if anything has changed
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import jupytext
import nbformat
from sphinx.config import Config
from sphinx.directives.code import LiteralInclude, LiteralIncludeReader

from book.site.words import WORDS
from book.tools import ROOT
from book.tools.claims import count_kinds, read_claims
from book.tools.lessons import table
from book.tools.myst import STAGES, read_options
from preact.strings import EDITIONS


def notebook(path: Path) -> str:
    """Return one chapter as the text of a notebook."""
    language = path.parent.name
    book = jupytext.read(path)
    book.metadata.pop("jupytext", None)
    book.metadata["language_info"] = {"name": "python"}
    labels = re.findall(r"^:::+{caption} (\S+)", path.read_text("utf-8"), re.M)
    figures = {label: n for n, label in enumerate(labels, start=1)}
    for i, cell in enumerate(book.cells):
        cell["id"] = f"cell-{i:03d}"
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source, path, language, figures)
    book.cells = [c for c in book.cells if c.source.strip()]
    book.nbformat_minor = 5
    nbformat.validate(book)
    text: str = nbformat.writes(book)
    return text + "\n"


OPTIONS = r"(?::[\w-]+:.*\n)*"
HINT_HEAD = r":::+{hint}.*\n" + OPTIONS
HINT = rf"^{HINT_HEAD}(?:.*\n)*?:::+ *$\n?"


def plain(
    text: str, path: Path, language: str, figures: dict[str, int]
) -> str:
    """Turn MyST into Markdown that any notebook shows.

    By patterns: a parser would not give the author's lines back.

    Parameters
    ----------
    text : str
        One cell.
    path : Path
        The chapter, from which quotations are found.
    language : str
        Of headings.
    figures : dict
        Labels of the chapter's figures, to their numbers in the notebook.
    """
    words = WORDS[language]

    def quote(match: re.Match[str]) -> str:
        return quote_source(path.parent / match[1], match[2])

    def mark(match: re.Match[str]) -> str:
        kind = read_claims()[match[1]].kind
        return f"[{words[f'@claim-{kind}']}: {match[1]}]"

    def figure(match: re.Match[str]) -> str:
        name, number = EDITIONS[language]["figure"], figures.get(match[1])
        return f"{name} {number}" if number else f"`{match[1]}`"

    def caption(match: re.Match[str]) -> str:
        return EDITIONS[language]["opens"].format(figure(match))

    rules: list[tuple[str, Callable[[re.Match[str]], str] | str]] = [
        (r"```{literalinclude} (\S+)\n((?:.*\n)*?)```", quote),
        (r"{claim}`([^`]+)`", mark),
        (r"{numref}`([^`]+)`", figure),
        (r"^:::+{caption} (\S+)\n", caption),
        (r"^:::+{chapter-map}\n", lambda _: contents(path.parent)),
        (r"^:::+{claim-counts}\n", lambda _: kinds(words)),
        (r"^:::+{lesson-plan} (\d)\n", lambda plan: table(plan[1], words)),
        (rf"(?:{HINT}\s*){{2,}}", lambda row: stages(row[0], words)),
        *patterns(EDITIONS[language]),
    ]
    for pattern, made in rules:
        text = re.sub(pattern, made, text, flags=re.MULTILINE)
    return text


def stages(row: str, words: dict[str, str]) -> str:
    """Name the hints of a row by what they give away."""
    hints = re.split(r"^(?=:::+{hint})", row, flags=re.MULTILINE)[1:]
    return "".join(
        re.sub(HINT_HEAD, f"**{words[f'@hint-{stage}']}**\n", hint)
        for stage, hint in zip(STAGES, hints, strict=False)
    )


def contents(folder: Path) -> str:
    """List an edition's numbered chapters with links to their notebooks."""
    found = []
    for chapter in sorted(folder.glob("[0-9]*.md")):
        title = re.search(r"^# (.*)", chapter.read_text("utf-8"), re.M)
        assert title
        found.append(f"1. [{title[1]}]({chapter.stem}.ipynb)\n")
    return "".join(found)


def kinds(words: dict[str, str]) -> str:
    """List how many claims there are of each kind."""
    return "".join(
        f"- {words[f'@claim-{kind}']}: {n}\n"
        for kind, n in count_kinds().items()
    )


def patterns(say: dict[str, str]) -> list[tuple[str, str]]:
    """Return what only the book understands, and what stands for it."""
    return [
        (r"^%.*\n?", ""),
        (r"^\([\w-]+\)=\n", ""),  # labels
        (r"(\$\$) \([\w-]+\)$", r"\1"),
        (
            r"^:::+{exercise} *(.*)\n" + OPTIONS,
            say["opens"].format(say["exercise"]) + r"\1\n",
        ),
        (
            r"^:::+{solution(?:-start)?}.*\n" + OPTIONS,
            f"**{say['solution']}**\n",
        ),
        (r"^:::+{solution-end}\n", ""),
        (
            r"^:::+{(?:tab-item|admonition)} (.*)\n" + OPTIONS,
            r"**\1**\n",
        ),
        ("^" + HINT_HEAD, f"**{say['hint']}**\n"),
        (r"^:::+{[\w-]+}.*\n" + OPTIONS, ""),
        (r"^:::+ *$\n?", ""),
        (r"```{footbibliography}\n```\n?", ""),
        (r"{[\w:]+}`([^`<]+?) *<[^`>]+>`", r"\1"),
        (r"{doc}`([^`]+)`", r"[\1](\1.ipynb)"),
        (r"{footcite[:\w]*}`([^`]+)`", r"[\1]"),
        (r"{[\w:]+}`([^`]+)`", r"`\1`"),
    ]


def quote_source(path: Path, content: str) -> str:
    """Return what a literalinclude shows, as a code block.

    Sphinx reads it, so the notebook shows what the page shows.

    Parameters
    ----------
    path : Path
        The quoted file.
    content : str
        What stands in the directive: its options.

    Raises
    ------
    ValueError
        If an option is unknown or wrong, or what it names is not there.
    """
    options, _ = read_options(content)
    legal = LiteralInclude.option_spec
    if unknown := sorted(options.keys() - legal.keys()):
        raise ValueError(
            f"literalinclude: options must be of {', '.join(sorted(legal))}; "
            f"got {', '.join(unknown)}"
        )
    values = {
        # docutils says None where a flag has no value
        name: legal[name](value or None)  # type: ignore[arg-type]
        for name, value in options.items()
    }
    reader = LiteralIncludeReader(str(path.resolve()), values, Config())
    code, _ = reader.read()
    return f"```python\n{code.rstrip()}\n```"


def main(check: bool) -> int:
    """Write or check all notebooks; return the exit code."""
    stale, wanted = [], set()
    for chapter in sorted(ROOT.glob("book/*/*.md")):
        if "{code-cell}" not in chapter.read_text("utf-8"):
            continue  # a page that computes nothing
        out = (
            ROOT / "notebooks" / chapter.parent.name / f"{chapter.stem}.ipynb"
        )
        wanted.add(out)
        text = notebook(chapter)
        if not out.exists() or out.read_text("utf-8") != text:
            stale.append(out)
            if not check:
                out.parent.mkdir(parents=True, exist_ok=True)
                out.write_text(text, "utf-8")
    orphans = set(ROOT.glob("notebooks/*/*.ipynb")) - wanted
    for path in [*stale, *sorted(orphans)]:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
    if not check:
        for path in orphans:
            path.unlink()
    return 1 if check and (stale or orphans) else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
