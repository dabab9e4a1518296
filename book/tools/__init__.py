"""Programs that look after the chapters: `python -m book.tools.NAME`.

`language`   terms, script, numerals, translations: what is to be mended
`parity`     what must be equal in the three editions
`claims`     the ledger: what is asserted, on what evidence
`notebooks`  chapters to notebooks
`results`    the tables of README.md, from the records
`pdf`        each edition as one PDF
`execution`  what a chapter computes with, and what it computed
`plain`      the Markdown of notebooks
`places`     where the book is, by one setting
`wheel`      the package as readers install it
`serve`      the built site, rebuilt while somebody writes
`radicals`   what a PDF's Chinese text is searched and copied as
`sentences`  what cells print, in all languages
`myst`       how a chapter is read: one parser for all of them
"""

from collections.abc import MutableMapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def give_one_thread(environment: MutableMapping[str, str]) -> None:
    """Let processes to come have a thread each, unless told otherwise.

    Workers that each use every core fight: 10 times slower, seen. And a page
    says how many threads its outputs were computed with, once for all
    chapters. A library asks when it loads: in a worker, before any conftest.
    """
    for library in ("OMP", "OPENBLAS", "MKL"):
        environment.setdefault(f"{library}_NUM_THREADS", "1")
