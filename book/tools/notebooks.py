"""Chapters to notebooks: book/<language>/*.md -> notebooks/<language>/*.ipynb.

Code cells pass unchanged, so that what runs in a notebook is what the book
shows. In the text, what only the book understands (roles, directives, labels)
is turned into plain Markdown. Notebooks have no outputs and stable ids.

    python -m book.tools.notebooks           write what has changed
    python -m book.tools.notebooks --check   fail if anything has changed
"""

import re
import sys
from pathlib import Path

import jupytext
import nbformat
from sphinx.config import Config
from sphinx.directives.code import LiteralInclude, LiteralIncludeReader

from book.site.words import WORDS
from book.tools import ROOT
from book.tools.claims import read_claims
from book.tools.myst import read_options
from preact.strings import EDITIONS


def notebook(path: Path) -> str:
    """Return one chapter as the text of a notebook."""
    language = path.parent.name
    book = jupytext.read(path)
    book.metadata.pop("jupytext", None)
    book.metadata["language_info"] = {"name": "python"}
    for i, cell in enumerate(book.cells):
        cell["id"] = f"cell-{i:03d}"
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source, path, language)
    book.cells = [c for c in book.cells if c.source.strip()]
    book.nbformat_minor = 5
    nbformat.validate(book)
    text: str = nbformat.writes(book)
    return text + "\n"


OPTIONS = r"(?::[\w-]+:.*\n)*"


def plain(text: str, path: Path, language: str) -> str:
    """Turn MyST into Markdown that any notebook shows.

    By patterns: a parser would not give the author's lines back.
    """
    say = EDITIONS[language]

    def quote(match: re.Match[str]) -> str:
        return quote_source(path.parent / match[1], match[2])

    def mark(match: re.Match[str]) -> str:
        kind = read_claims()[match[1]].kind
        return f"[{WORDS[language][f'@claim-{kind}']}: {match[1]}]"

    text = re.sub(
        r"```{literalinclude} (\S+)\n(.*?)```", quote, text, flags=re.DOTALL
    )
    text = re.sub(r"{claim}`([^`]+)`", mark, text)
    for pattern, plain_text in (
        (r"^%.*\n?", ""),
        (r"^\([\w-]+\)=\n", ""),  # labels
        (r"(\$\$) \([\w-]+\)$", r"\1"),
        (
            r"^:::+{exercise} *(.*)\n" + OPTIONS,
            rf"**{say['exercise']}.** \1\n",
        ),
        (
            r"^:::+{solution-start}.*\n" + OPTIONS,
            f"**{say['solution']}**\n",
        ),
        (r"^:::+{solution-end}\n", ""),
        (r"^:::+{tab-item} (.*)\n" + OPTIONS, r"**\1**\n"),
        (r"^:::+{hint}.*\n" + OPTIONS, f"**{say['hint']}**\n"),
        (r"^:::+{[\w-]+}.*\n" + OPTIONS, ""),
        (r"^:::+ *$\n?", ""),
        (r"```{footbibliography}\n```\n?", ""),
        (r"{[\w:]+}`([^`<]+?) *<[^`>]+>`", r"\1"),
        (r"{doc}`([^`]+)`", r"[\1](\1.ipynb)"),
        (r"{footcite[:\w]*}`([^`]+)`", r"[\1]"),
        (r"{[\w:]+}`([^`]+)`", r"`\1`"),
    ):
        text = re.sub(pattern, plain_text, text, flags=re.MULTILINE)
    return text


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
