"""The built site on this machine, rebuilt while somebody writes.

A saved chapter is built anew, with the pages that follow from it, and the
browser loads it again; then the gates say what the editions lack. The other
editions, styles and scripts are those of the last `make book`.

    python -m book.tools.serve [EDITION [PORT]]
"""

import multiprocessing
import shutil
import socket
import sys
import time
from pathlib import Path

from jupyter_book.sphinx import build_sphinx
from livereload import Server

from book.site.assets import finish_pages
from book.site.editions import one_edition
from book.site.parallel import pair_page
from book.tools import ROOT, WORDS, language
from book.tools.execution import run_missing
from book.tools.parity import differences
from preact.strings import LANGUAGES

BUILDS = ROOT / "_build"
SITE = BUILDS / "html"
PORT = "8000"
# A fork has loaded what a build loads, and forgets what it built.
fork = multiprocessing.get_context("fork")


def build(edition: str) -> None:
    """Build an edition's chapters that have changed; move them to the site."""
    start = time.time()
    run_missing([edition])
    made = BUILDS / edition / "html"
    build_sphinx(**one_edition(edition, BUILDS / edition), freshenv=False)
    pages = [p for p in made.glob("*.html") if p.stat().st_mtime >= start]
    deliver(pages, edition, SITE)
    print(f"{len(pages)} pages in {time.time() - start:.1f} s", flush=True)


def deliver(pages: list[Path], edition: str, site: Path) -> None:
    """Give pages their last touches, and put them in their place."""
    places = [Path(shutil.copy(page, site / edition)) for page in pages]
    finish_pages(places, WORDS[edition])
    for page in pages:
        twins = [site / code / page.name for code in LANGUAGES]
        if page.stem != "search" and all(twin.exists() for twin in twins):
            pair_page(site, page.stem)


def gates() -> None:
    """Say what `make check` would refuse of the chapters."""
    for problem in [*differences(ROOT), *language.problems()]:
        print(problem, flush=True)


def rebuild(edition: str) -> None:
    """Build in one process, wait for it; judge in another."""
    building = fork.Process(target=build, args=(edition,))
    building.start()
    building.join()
    fork.Process(target=gates, daemon=True).start()


def main(edition: str = LANGUAGES[0], port: str = PORT) -> int | str:
    """Serve until stopped; return the exit code, or what is wrong."""
    if edition not in LANGUAGES:
        legal = ", ".join(LANGUAGES)
        return f"the edition must be one of {legal}; got {edition}"
    if not (port.isdecimal() and 0 < int(port) < 2**16):
        return f"the port must be a number from 1 to 65535; got {port}"
    if not (SITE / "index.html").exists():
        return "there is no site yet: run `make book` first"
    try:
        socket.create_server(("localhost", int(port))).close()
    except OSError as error:
        return f"port {port}: {error.strerror}; try `make serve PORT=8001`"
    server = Server()
    server.watch(
        str(ROOT / "book" / edition / "*.md"), lambda: rebuild(edition)
    )
    print(f"http://localhost:{port}/{edition}/index.html", flush=True)
    server.serve(root=str(SITE), port=int(port), host="localhost")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
