"""Explorers alive in a notebook, by anywidget.

A page of the book brings its scripts along. A notebook has none, so each
explorer hands it the same scripts as a widget: `widget.js` and `widget.css`,
which `make notebooks` bundles. Where there is no kernel or no anywidget, and
while the book is built, the markup is shown as it is.

Every chapter.
"""

import os
from functools import cache
from importlib.resources import files
from typing import Any

from preact.book.measurements import FOLDER as MEASURED


def view(markup: str) -> dict[str, Any]:
    """Return what a notebook shows as a widget, by MIME type.

    Parameters
    ----------
    markup : str
        HTML of an explorer, as a page of the book has it.

    Returns
    -------
    dict
        Empty where nobody could show a widget.
    """
    if MEASURED in os.environ or not _in_notebook():
        return {}
    try:
        make = _make()
    except ImportError:
        return {}
    shown = make(markup=markup)._repr_mimebundle_()[0]
    return {kind: told for kind, told in shown.items() if "widget" in kind}


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return hasattr(get_ipython(), "kernel")


@cache
def _make() -> Any:
    """Return the class of all explorers.

    Raises
    ------
    ImportError
        If anywidget is not installed.
    """
    import anywidget
    from traitlets import Unicode

    here = files("preact.book")

    class Explorer(anywidget.AnyWidget):
        _esm = here.joinpath("widget.js").read_text("utf-8")
        _css = here.joinpath("widget.css").read_text("utf-8")
        markup = Unicode().tag(sync=True)

    return Explorer
