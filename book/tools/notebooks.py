"""Chapters to notebooks: book/<language>/*.md -> notebooks/<language>/*.ipynb.

Code cells pass unchanged, so that what runs in a notebook is what the book
shows; before them stands one that gets the package. The text becomes plain
Markdown. Notebooks have stable ids, and outputs only where the site offers
them.

    python -m book.tools.notebooks           write what has changed
    python -m book.tools.notebooks --check   fail if anything has changed
"""

import re
import sys
from base64 import b64encode
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jupytext
import nbformat

from book.tools import ROOT
from book.tools.execution import executed, printed
from book.tools.places import WHEELS, wheel_name
from book.tools.plain import Page, fold, fold_solutions, plain
from book.words import WORDS
from preact.figures.svg import SVG
from preact.strings import EDITIONS, Strings

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
        {!r}
    ) from None
"""


def notebook(
    path: Path,
    package: str = "",
    site: str = "",
    *,
    with_outputs: bool = False,
) -> str:
    """Return one chapter as the text of a notebook.

    Parameters
    ----------
    path : Path
        `book/LANGUAGE/NAME.md`.
    package : str
        What pip installs the package from. Where nobody knows, the first
        cell says what to install.
    site : str
        Address of the site, for links to pages that are no notebooks.
    with_outputs : bool
        Whether it has what its cells printed and drew when they were run,
        in the text, too; a chapter that was not run has none.
    """
    ran = executed(path) if with_outputs else None
    book = jupytext.read(path)
    book.metadata.pop("jupytext", None)
    book.metadata["language_info"] = {"name": "python"}
    page = Page(path, printed(ran), site)
    if ran:
        keep_outputs(ran, book)
    fold_solutions(book.cells, EDITIONS[page.language]["solution"])
    fold_answers(book.cells)
    for i, cell in enumerate(book.cells):
        cell["id"] = f"cell-{i:03d}"
        if cell.cell_type == "markdown":
            cell.source = plain(cell.source, page).strip("\n")
    fold_text(book.cells, Strings(page.language)("predict.waits"))
    book.cells = [c for c in book.cells if c.source.strip()]
    book.cells.insert(1, first_cell(page.language, package))
    book.nbformat_minor = 5
    nbformat.validate(book)
    text: str = nbformat.writes(book)
    return text + "\n"


def keep_outputs(ran: Any, book: Any) -> None:
    """Give a notebook's code cells what they returned when they were run.

    What was handed to the prose is in the prose.
    """
    codes = [
        [c for c in one.cells if c.cell_type == "code"] for one in (ran, book)
    ]
    for done, cell in zip(*codes, strict=True):
        cell.execution_count = done.execution_count
        for output in done.outputs:
            if "text/html" in output.get("data", {}):
                output.data["text/html"] = as_images(output.data["text/html"])
        cell.outputs = [
            output
            for output in done.outputs
            if "scrapbook" not in output.get("metadata", {})
        ]


def as_images(html: str) -> str:
    """Return markup with its drawings as images.

    Of a notebook that was run elsewhere, Jupyter and GitHub show no inline
    SVG, but its words. What is drawn for phones goes, and an image has its
    own paper: it inherits no ink.
    """
    before, found, rest = html.partition("<svg")
    if not found:
        return html
    drawing, end, after = rest.partition("</svg>")
    root = ET.fromstring(found + drawing + end)
    alt = escape(root.get("aria-label", ""))
    root.set("xmlns", SVG)
    paper = "background:#fff;color:#222;font-family:sans-serif"
    root.set("style", f"{root.get('style', '')};{paper}")
    code = b64encode(ET.tostring(root)).decode()
    image = f'<img alt="{alt}" src="data:image/svg+xml;base64,{code}">'
    narrow = root.get("class") == "narrow"
    return before + ("" if narrow else image) + as_images(after)


def fold_answers(cells: list[Any]) -> None:
    """Fold what the cell behind a prediction prints: it is the answer.

    So are, often, the numbers that a cell without a place on the page hands
    to the prose.
    """
    codes = [cell for cell in cells if cell.cell_type == "code"]
    for asked, cell in pairwise(codes):
        removed = "remove-cell" in cell.metadata.get("tags", ())
        if removed or "conceal=True" in asked.source:
            folded = cell.metadata.setdefault("jupyter", {})
            folded["outputs_hidden"] = True


def fold_text(cells: list[Any], head: str) -> None:
    """Fold the text behind a prediction up to the next heading."""
    asked = False
    for cell in cells:
        if cell.cell_type == "code":
            asked = asked or "conceal=True" in cell.source
        elif asked:
            start = re.search(r"^#+ ", cell.source, re.MULTILINE)
            end = start.start() if start else len(cell.source)
            text, rest = cell.source[:end], cell.source[end:]
            folded = fold(head, text) if text.strip() else ""
            cell.source = (folded + rest).strip("\n")
            asked = not start


def first_cell(language: str, package: str) -> Any:
    """Return the cell that gets the package, or asks for it; folded."""
    asked = WORDS[language]["@ask"].format(wheel=wheel_name(), folder=WHEELS)
    source = GET.format(package) if package else ASK.format(asked)
    folded = {"jupyter": {"source_hidden": True}}
    return nbformat.v4.new_code_cell(
        source.rstrip(), id="install", metadata=folded
    )


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
