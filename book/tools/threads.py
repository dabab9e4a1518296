"""How many threads a chapter computes with, where the book runs it."""

from collections.abc import MutableMapping


def give_one_thread(environment: MutableMapping[str, str]) -> None:
    """Let processes to come have a thread each, unless told otherwise.

    Workers that each use every core fight: 10 times slower, seen. And a page
    says how many threads its outputs were computed with, once for all
    chapters. A library asks when it loads: in a worker, before any conftest.
    """
    for library in ("OMP", "OPENBLAS", "MKL"):
        environment.setdefault(f"{library}_NUM_THREADS", "1")
