"""Numbered figures: what a cell shows, with the finding below it, as data too.

The directive {caption} LABEL stands directly after a code cell. The cell's
output becomes a figure with a number; {numref}`LABEL` refers to it.

The numbers of a picture stand in its markup as CSV (`preact.figures.style`).
They become a file beside the page, and a link below the picture.
"""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any, TypeGuard

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from book.site.words import WORDS, language_of
from preact.figures.series import COLUMNS

NUMBERS = "_data"  # of an edition, beside its pages
HELD = re.compile(r'<script type="text/csv">(.*?)</script>', re.S)

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    """Add the directive, and the step that gives it its cell's output."""
    app.add_directive("caption", Caption)
    app.add_transform(WrapOutputs)
    # after Sphinx has numbered the headings, which it finds in sections alone
    app.connect("doctree-read", gather_concealed, priority=900)
    app.connect("env-get-updated", letter_numbers, priority=900)
    app.connect("html-page-context", offer_numbers)


def letter_numbers(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Let the page of runs count its figures apart, as R.1 and so on.

    The count of the front page would go on, as if they were the paper's.
    """
    figures: Any = env.toc_fignumbers.get("runs", {}).get("figure", {})
    for count, name in enumerate(figures, 1):
        figures[name] = ("R", count)
    return []


def words_of_numbers(language: str) -> dict[str, str]:
    """Return what the link to a chart's numbers and its columns are called."""
    names = ("link", *COLUMNS)
    return {name: WORDS[language][f"@data-{name}"] for name in names}


def offer_numbers(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Write the numbers of a page's pictures, and link to them."""
    body = context.get("body", "")
    if not HELD.search(body):
        return
    words = words_of_numbers(language_of(app))
    folder = Path(app.outdir) / NUMBERS
    folder.mkdir(exist_ok=True)
    up = "../" * page.count("/")
    count = 0

    def link(held: re.Match[str]) -> str:
        nonlocal count
        count += 1
        name = f"{page.replace('/', '-')}-{count}.csv"
        head, _, rows = unescape(held[1]).partition("\n")
        for column in COLUMNS:
            head = re.sub(rf"(?<![^,])@{column}(?![^,])", words[column], head)
        # With the mark that Excel needs to read Chinese.
        (folder / name).write_text(f"{head}\n{rows}", "utf-8-sig")
        return (
            f'<a class="preact-data" href="{up}{NUMBERS}/{name}" download>'
            f"{escape(words['link'])}</a>"
        )

    context["body"] = HELD.sub(link, body)


class Caption(SphinxDirective):
    """What a figure has found: its first paragraph, and notes below it."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        finding, *notes = self.parse_content_to_nodes()
        if not isinstance(finding, nodes.paragraph):
            raise self.error("a caption begins with a paragraph")
        figure = nodes.figure(classes=["finding"])
        figure += nodes.caption("", "", *finding.children)
        if notes:
            figure += nodes.legend("", *notes)
        self.options["name"] = self.arguments[0]
        self.set_source_info(figure)
        self.add_name(figure)
        return [figure]


class WrapOutputs(SphinxTransform):
    """Move the output of the cell before a caption into its figure."""

    default_priority = 5  # before gated solutions gather their cells

    def apply(self, **_: Any) -> None:
        for figure in list(self.document.findall(nodes.figure)):
            if "finding" not in figure["classes"]:
                continue
            output = _output_before(figure)
            if output is None:
                logger.warning(
                    "a caption stands directly after a cell with an output; "
                    "%s does not",
                    figure["names"][0],
                    location=figure,
                )
                continue
            figure.parent.remove(figure)
            for shown in reversed(list(output.children)):
                output.remove(shown)
                figure.insert(0, shown)
            output += figure


def gather_concealed(app: Sphinx, document: nodes.document) -> None:
    """Gather what a prediction conceals until its reader has guessed.

    That is all that is left of its section: a script conceals it, and until
    it has come a style sheet.
    """
    for shown in list(document.findall(nodes.raw)):
        html = shown.astext()
        if "data-predict" in html and '"conceal":true' in unescape(html):
            cell: nodes.Node = shown
            while cell.parent and not _is_code(cell):
                cell = cell.parent
            if cell.parent:
                _gather(cell.parent, cell.parent.index(cell) + 1)


def _gather(section: nodes.Element, start: int) -> None:
    """Put what stands from a place to the section's end into one box."""
    concealed = section.children[start:]
    while concealed and isinstance(concealed[-1], nodes.target):
        concealed.pop()  # of the next heading
    if not concealed:
        return
    box = nodes.container(classes=["concealed"])
    for one in concealed:
        section.remove(one)
        box += one
    section.insert(start, box)


def _is_code(node: nodes.Node | None) -> TypeGuard[nodes.container]:
    """Whether a node is a code cell, with its output."""
    return (
        isinstance(node, nodes.container)
        and node.get("nb_element") == "cell_code"
    )


def _output_before(figure: nodes.figure) -> nodes.Element | None:
    """Return the output of the cell that a figure follows, if it has one."""
    place = figure.parent.index(figure)
    cell = figure.parent[place - 1] if place else None
    if not _is_code(cell) or not cell.children:
        return None
    last = cell[-1]
    if last.get("nb_element") != "cell_code_output":
        return None
    return last
