"""Workers have a thread each; nbmake runs every notebook once."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from book.tools.threads import give_one_thread

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
    """Limit the threads of workers to come; wrap nbmake's runner."""
    options = config.option
    with_nbmake = getattr(options, "nbmake", False)
    if with_nbmake or getattr(options, "numprocesses", None):
        give_one_thread(os.environ)
    if with_nbmake and options.share_cache:
        from nbmake.nb_run import NotebookRun

        from book.tools.execution import once
        from book.tools.wheel import build_wheel, install_wheel

        if not hasattr(config, "workerinput"):
            # Kernels have the package as readers have it: from its wheel.
            folder = Path(tempfile.mkdtemp(prefix="preact-wheel-"))
            config.add_cleanup(lambda: shutil.rmtree(folder))
            install_wheel(build_wheel(folder), folder / "site")
            os.environ["PYTHONPATH"] = str(folder / "site")

        NotebookRun.execute = once(NotebookRun.execute)
