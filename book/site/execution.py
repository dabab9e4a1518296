"""A page shows what was run before; the build runs what was not."""

import os
from pathlib import Path
from typing import Any

from myst_nb.core import render
from myst_nb.core.utils import coalesce_streams
from sphinx.application import Sphinx
from sphinx.config import Config

from book.tools.execution import (
    cache_folder,
    join_streams,
    measured_folder,
)
from book.tools.threads import give_one_thread
from preact.book.measurements import FOLDER as MEASURED


def setup(app: Sphinx) -> None:
    """Give each chapter its own cache, which knows what it computes with."""
    give_one_thread(os.environ)  # kernels inherit it
    # myst-nb would end a line wherever the kernel happened to send one part
    render.coalesce_streams = lambda parts: coalesce_streams(
        join_streams(parts)
    )
    # a chapter is read again when this changes, though its text has not
    app.add_config_value("chapter_caches", {}, "env")
    app.connect("config-inited", find_caches)
    app.connect("source-read", choose_cache)


def find_caches(app: Sphinx, config: Config) -> None:
    """Note the cache of each chapter of the edition."""
    config.chapter_caches = {
        path.stem: cache_folder(path).as_posix()
        for path in sorted(Path(app.srcdir).glob("*.md"))
    }


def choose_cache(app: Sphinx, name: str, source: list[str]) -> None:
    """Before a chapter is parsed, and run: point myst-nb at its cache."""
    if name not in app.config.chapter_caches:
        return  # of the package reference; it has no cells
    chapter = Path(app.srcdir) / f"{name}.md"
    os.environ[MEASURED] = str(measured_folder(chapter))
    environment: Any = app.env
    environment.mystnb_config = environment.mystnb_config.copy(
        execution_cache_path=app.config.chapter_caches[name]
    )
