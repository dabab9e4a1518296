"""How many threads a chapter computes with, where the book runs it."""

from collections.abc import MutableMapping


def give_one_thread(environment: MutableMapping[str, str]) -> None:
    """Let processes to come have a thread each, unless told otherwise.

    The matrices of a chapter are small: with a second thread it takes no
    less time, and workers that each use every core fight. A library asks
    when it loads: in a worker, before any conftest.
    """
    for library in ("OMP", "OPENBLAS", "MKL"):
        environment.setdefault(f"{library}_NUM_THREADS", "1")
