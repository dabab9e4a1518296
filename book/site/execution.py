"""A page shows what was run before."""

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from book.tools.execution import cache_folder


def setup(app: Sphinx) -> None:
    """Give each chapter its own cache, which knows what it computes with."""
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
    """Before a chapter is parsed: point myst-nb at its cache."""
    if cache := app.config.chapter_caches.get(name):  # no page of api has one
        environment: Any = app.env
        environment.mystnb_config = environment.mystnb_config.copy(
            execution_cache_path=cache
        )
