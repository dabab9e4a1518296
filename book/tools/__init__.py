"""Programs that look after the chapters: `python -m book.tools.NAME`.

The first line of each says what it is for; `myst`, `places`, `plain`,
`sentences` and `wheel` are no programs, but parts of them.
"""

from collections.abc import MutableMapping
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
# Words of pages and notebooks, in each language of the book.
WORDS: dict[str, dict[str, str]] = yaml.safe_load(
    (ROOT / "book/site/ui_strings.yml").read_text("utf-8")
)


def give_one_thread(environment: MutableMapping[str, str]) -> None:
    """Let processes to come have a thread each, unless told otherwise.

    Workers that each use every core fight: 10 times slower, seen. And a page
    says how many threads its outputs were computed with, once for all
    chapters. A library asks when it loads: in a worker, before any conftest.
    """
    for library in ("OMP", "OPENBLAS", "MKL"):
        environment.setdefault(f"{library}_NUM_THREADS", "1")
