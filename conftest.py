"""Workers have a thread each."""

import os

import pytest

from book.tools import give_one_thread


def pytest_configure(config: pytest.Config) -> None:
    """Limit the threads of workers to come."""
    if getattr(config.option, "numprocesses", None):
        give_one_thread(os.environ)
