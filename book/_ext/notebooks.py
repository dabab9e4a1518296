"""Chapters to notebooks: book/<language>/*.md -> notebooks/<language>/*.ipynb.

Code cells pass unchanged, so that what runs in a notebook is what the book
shows. In the text, what only the book understands (roles, directives, labels)
is turned into plain Markdown. Notebooks have no outputs and stable ids.

    python book/_ext/notebooks.py           write what has changed
    python book/_ext/notebooks.py --check   fail if anything has changed
"""

import ast
import re
import sys
import textwrap
from pathlib import Path

import jupytext
import nbformat

ROOT = Path(__file__).resolve().parents[2]
HINTS = {"en": "Hint", "zh-Hans": "提示", "zh-Hant": "提示"}
EXERCISE = {"en": "Exercise", "zh-Hans": "练习", "zh-Hant": "練習"}
SOLUTION = {"en": "Solution", "zh-Hans": "解答", "zh-Hant": "解答"}


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
    return nbformat.writes(book) + "\n"


OPTIONS = r"(?::[\w-]+:.*\n)*"


def plain(text: str, path: Path, language: str) -> str:
    """Turn MyST into Markdown that any notebook shows."""

    def quote(match: re.Match[str]) -> str:
        return quote_source(path.parent / match[1], match[2])

    text = re.sub(
        r"```{literalinclude} (\S+)\n(.*?)```", quote, text, flags=re.DOTALL
    )
    for pattern, plain_text in (
        (r"^%.*\n?", ""),
        (r"^\([\w-]+\)=\n", ""),  # labels
        (r"(\$\$) \([\w-]+\)$", r"\1"),
        (
            r"^:::+{exercise} *(.*)\n" + OPTIONS,
            rf"**{EXERCISE[language]}.** \1\n",
        ),
        (
            r"^:::+{solution-start}.*\n" + OPTIONS,
            f"**{SOLUTION[language]}**\n",
        ),
        (r"^:::+{solution-end}\n", ""),
        (r"^:::+{tab-item} (.*)\n" + OPTIONS, r"**\1**\n"),
        (r"^:::+{hint}.*\n" + OPTIONS, f"**{HINTS[language]}**\n"),
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


def quote_source(path: Path, options: str) -> str:
    """Return the source that a literalinclude shows, as a code block."""
    text = path.resolve().read_text("utf-8")
    lines = text.splitlines()
    fields = dict(
        re.findall(r'^:([\w-]+): *"?(.*?)"?$', options, re.MULTILINE)
    )
    if name := fields.get("pyobject"):
        for node in ast.walk(ast.parse(text)):
            if getattr(node, "name", None) == name.split(".")[-1]:
                first = min(
                    [node.lineno, *(d.lineno for d in node.decorator_list)]
                )
                lines = lines[first - 1 : node.end_lineno]
                break
        else:
            raise ValueError(f"{path}: no {name}")
    if start := fields.get("start-at"):
        lines = lines[next(i for i, v in enumerate(lines) if start in v) :]
    if end := fields.get("end-at"):
        lines = lines[: next(i for i, v in enumerate(lines) if end in v) + 1]
    code = textwrap.dedent("\n".join(lines)).rstrip()
    return f"```python\n{code}\n```"


def main(check: bool) -> int:
    """Write or check all notebooks; return the exit code."""
    stale, wanted = [], set()
    for chapter in sorted(ROOT.glob("book/*/*.md")):
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
