"""Chapters to notebooks: book/<language>/*.md -> notebooks/<language>/*.ipynb.

Code cells pass unchanged, so that what runs in a notebook is what the book
shows; before them stands one that gets the package. The text becomes plain
Markdown. Notebooks have no outputs and stable ids.

    python -m book.tools.notebooks           write what has changed
    python -m book.tools.notebooks --check   fail if anything has changed
"""

import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from book.tools import ROOT
from book.tools.execution import INSTALL
from book.tools.places import WHEELS, wheel_name
from book.tools.plain import Page, plain
from book.words import WORDS

GET = """# On Colab the package is not there yet; elsewhere this does nothing.
try:
    import preact
except ModuleNotFoundError:
    %pip install -q "preact-resnet[notebook] @ {}"
"""
ASK = """try:
    import preact
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "{}"
    ) from None
"""


def notebook(
    path: Path,
    package: str = "",
    printed: dict[str, str] | None = None,
    site: str = "",
) -> str:
    """Return one chapter as the text of a notebook.

    Parameters
    ----------
    path : Path
        `book/LANGUAGE/NAME.md`.
    package : str
        What pip installs the package from. Where nobody knows, the first
        cell says what to install.
    printed : dict, optional
        Name to value of what the chapter's cells hand to its prose.
    site : str
        Address of the site, for links to pages that are no notebooks.
    """
    book = jupytext.read(path)
    book.metadata.pop("jupytext", None)
    book.metadata["language_info"] = {"name": "python"}
    page = Page(path, printed or {}, site)
    for i, cell in enumerate(book.cells):
        cell["id"] = f"cell-{i:03d}"
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source, page).strip("\n")
    book.cells = [c for c in book.cells if c.source.strip()]
    book.cells.insert(1, first_cell(page.language, package))
    book.nbformat_minor = 5
    nbformat.validate(book)
    text: str = nbformat.writes(book)
    return text + "\n"


def first_cell(language: str, package: str) -> Any:
    """Return the cell that gets the package, or asks for it."""
    asked = WORDS[language]["@ask"].format(wheel=wheel_name(), folder=WHEELS)
    source = GET.format(package) if package else ASK.format(asked)
    return nbformat.v4.new_code_cell(source.rstrip(), id=INSTALL)


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
