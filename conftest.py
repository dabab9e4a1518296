"""nbmake runs every notebook once, and shares it with the site's build."""

import pytest

pytest_plugins = ["pytester"]  # a pytest of its own, for the plugin's tests


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that `make test` gives."""
    parser.addoption(
        "--share-cache",
        action="store_true",
        help="with --nbmake: read what the site's build ran, keep what it did "
        "not run",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Wrap nbmake's runner."""
    options = config.option
    if getattr(options, "nbmake", False) and options.share_cache:
        from nbmake.nb_run import NotebookRun

        from book.tools.execution import once

        NotebookRun.execute = once(NotebookRun.execute)
