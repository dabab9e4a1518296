"""The site in three languages, from a plain `jupyter-book build .`.

`editions` makes one build three, and lays them side by side; the first line
of each other module says what it is for.
"""

import logging
from importlib import import_module
from typing import Any

from sphinx.application import Sphinx

from book.site.editions import (
    build_translations,
    configure,
    finish,
    refuse_drift,
    start,
)
from book.site.pages import LabelFirst, dress_page
from book.site.words import translate

PARTS = (
    *("claims", "figures", "exercises", "glossary", "overview"),
    *("execution", "math", "typography", "search", "api"),
)


def setup(app: Sphinx) -> dict[str, Any]:
    """Point the build at one edition and listen in on its steps."""
    logging.getLogger("fontTools").setLevel(logging.WARNING)
    if start(app):
        app.connect("config-inited", refuse_drift, priority=0)
        app.connect("builder-inited", build_translations)
        app.connect("build-finished", finish, priority=900)
    for part in PARTS:
        import_module(f"book.site.{part}").setup(app)
    app.add_transform(LabelFirst)
    app.add_config_value("page_parts", "", "html")  # a change writes all
    app.connect("config-inited", configure, priority=1)  # before the TOC
    app.connect("config-inited", translate, priority=2)  # before numfig
    app.connect("html-page-context", dress_page, priority=900)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": False,  # one process sets formulas
    }
