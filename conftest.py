"""nbmake runs every notebook; what it ran is handed to the book's cache."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that `make test` gives."""
    parser.addoption(
        "--fill-cache",
        action="store_true",
        help="with --nbmake: keep executed notebooks for the book's build",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Wrap nbmake's runner to store what it ran."""
    if not (
        getattr(config.option, "nbmake", False) and config.option.fill_cache
    ):
        return
    from jupyter_cache import get_cache
    from jupyter_cache.base import CacheBundleIn
    from nbmake.nb_run import NotebookRun

    from execution import cache_folder

    run = NotebookRun.execute

    def execute(self: NotebookRun):  # type: ignore[no-untyped-def]
        result = run(self)
        if result.error is None:
            for cell in result.nb.cells:
                # nbmake's timings would be part of the key
                cell.metadata.pop("execution", None)
            get_cache(cache_folder()).cache_notebook_bundle(
                CacheBundleIn(result.nb, str(self.filename)),
                check_validity=True,
                overwrite=True,
            )
        return result

    NotebookRun.execute = execute
