"""Cells as a reader of the page needs them: what sets up is folded."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

SETS_UP = "strings = setup("


def setup(app: Sphinx) -> dict[str, Any]:
    """Look at the cells of each page that is read."""
    app.connect("doctree-read", fold_set_up)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def fold_set_up(app: Sphinx, page: nodes.document) -> None:
    """Fold the cell that imports and sets the language; it prints nothing."""
    for cell in page.findall(nodes.container):
        is_cell = cell.get("nb_element") == "cell_code"
        if is_cell and SETS_UP in cell.astext():
            cell["hide_mode"] = "input"
            cell["prompt_show"] = app.config.nb_code_prompt_show
            cell["prompt_hide"] = app.config.nb_code_prompt_hide
            return
