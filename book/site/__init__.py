"""The site in three languages, from a plain `jupyter-book build .`.

`editions`   one build becomes three, and these become a site
`words`      the theme's words in Chinese
`pages`      what every page carries
`claims`     badges of claims, and the pages that list them
`figures`    outputs of cells as numbered figures with captions and data
`exercises`  kinds of exercises, and hints in stages
`sections`   labels as addresses of sections, in all languages
`head`       what search engines and previews read
`glossary`   the terms in three languages
`lessons`    plans for teachers, as tables
`overview`   how long a chapter takes: in its head, and on its card
`cover`      the front page: where to begin, and what is alive
`execution`  what was run before is not run again
`math`       formulas, rendered before they are read
`citations`  names before a citation, as the language joins them
`typography` what a line does not part, brackets in Chinese
`search`     Chinese full-text search
`parallel`   two languages on a page, paragraph by paragraph
`offline`    the site as one file, to be read without a network
`api`        the package reference, by autodoc; `commands`, by argparse
`scripts`    a page's scripts, bundled
`assets`     what pages load, made small: a sheet, a script, faces
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
from book.site.pages import dress_page
from book.site.words import translate

PARTS = (
    *("claims", "figures", "exercises", "sections", "glossary", "lessons"),
    *("overview", "cover", "execution", "math", "typography"),
    *("citations", "search", "api", "api_links"),
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
    app.add_config_value("page_parts", "", "html")  # a change writes all
    app.connect("config-inited", configure, priority=1)  # before the TOC
    app.connect("config-inited", translate, priority=2)  # before numfig
    app.connect("html-page-context", dress_page, priority=900)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": False,  # one process sets formulas
    }
