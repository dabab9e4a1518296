"""Chapters to notebooks: book/<language>/*.md -> notebooks/<language>/*.ipynb.

Code cells pass unchanged, so that what runs in a notebook is what the book
shows; before them stands one that gets the package. But the code of solutions
is folded text, so that who runs all cells sees no answer, and a cell that
asks for a function has its first line. The text becomes plain Markdown.
Notebooks have stable ids, and outputs only where the site offers them.

    python -m book.tools.notebooks           write what has changed
    python -m book.tools.notebooks --check   fail if anything has changed
"""

import re
import sys
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jupytext
import nbformat
from bs4 import BeautifulSoup

from book.tools import ROOT, WORDS
from book.tools.execution import executed, printed
from book.tools.places import WHEELS, wheel_name
from book.tools.plain import Page, fold, plain_cells
from preact.figures.svg import SVG
from preact.strings import Strings

GET = """# On Colab the package is not there yet; elsewhere this does nothing.
try:
    import preact
except ModuleNotFoundError:
    %pip install -q "preact-resnet[notebook] @ {}"
"""
HIDDEN = {"hide-input", "remove-cell"}  # tags of cells
ASK = """# Says what to install where the package is not there.
try:
    import preact
except ModuleNotFoundError:
    print(
{}        sep="\\n",
    )
    raise
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
    say = Strings(page.language)
    if ran:
        keep_outputs(ran, book)
    book.cells = plain_cells(book.cells, page)
    fold_answers(book.cells, say("predict.waits"), say("predict.skip"))
    book.cells = [c for c in book.cells if c.source.strip()]
    for i, cell in enumerate(book.cells):
        cell["id"] = f"cell-{i:03d}"
        if HIDDEN & {*cell.metadata.get("tags", ())}:
            cell.metadata["jupyter"] = {"source_hidden": True}
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
                html = as_images(output.data["text/html"])
                still = without_sliders(html) if "data-of=" in html else html
                output.data["text/html"] = still
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
    alt, style = escape(root.get("aria-label", "")), root.get("style", "")
    wide = re.search(r"\bwidth:(\d+)px", style)
    width = wide[1] if wide else root.get("width", "640")
    root.set("xmlns", SVG)
    paper = "background:#fff;color:#222;font-family:sans-serif"
    root.set("style", f"{style};{paper}")
    code = f"data:image/svg+xml;base64,{b64encode(ET.tostring(root)).decode()}"
    image = f'<img alt="{alt}" width="{width}" src="{code}">'
    narrow = root.get("class") == "narrow"
    return before + ("" if narrow else image) + as_images(after)


def without_sliders(html: str) -> str:
    """Return markup as its sliders stand: no script moves them yet."""
    soup = BeautifulSoup(html, "html.parser")
    for part in soup.select("[hidden], label:has(> input[type=range])"):
        part.decompose()
    return str(soup)


def fold_answers(cells: list[Any], waits: str, skip: str) -> None:
    """Fold what tells the answer of a question, in words and outputs.

    Behind a prediction that is all up to the next heading; a race that is to
    be ranked shows its order itself.
    """
    asked = False
    for cell in cells:
        if cell.cell_type == "code":
            if asked:
                cell.outputs = [
                    fold_output(out, waits) for out in cell.outputs
                ]
            asked = asked or "conceal=True" in cell.source
            for out in cell.outputs:
                if "preact-ranking" in out.get("data", {}).get(
                    "text/html", ""
                ):
                    fold_output(out, skip)
        elif asked:
            start = re.search(r"^#+ ", cell.source, re.MULTILINE)
            end = start.start() if start else len(cell.source)
            text, rest = cell.source[:end], cell.source[end:]
            folded = fold(waits, text) if text.strip() else ""
            cell.source = (folded + rest).strip("\n")
            asked = not start


def fold_output(output: Any, head: str) -> Any:
    """Return what a cell has printed or shown as markup that is folded."""
    if output.output_type == "stream":
        text = f"<pre>{escape(output.text)}</pre>"
        output = nbformat.v4.new_output("display_data", {"text/html": text})
    if "text/html" in output.get("data", {}):
        body = output.data["text/html"]
        opening = f"<details><summary>{escape(head)}</summary>"
        output.data = {"text/html": f"{opening}{body}</details>"}
    return output


def first_cell(language: str, package: str) -> Any:
    """Return the cell that gets the package, or asks for it; folded."""
    asked = WORDS[language]["@ask"].format(wheel=wheel_name(), folder=WHEELS)
    lines = "".join(f"        {line!r},\n" for line in asked.split("\n"))
    source = GET.format(package) if package else ASK.format(lines)
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
