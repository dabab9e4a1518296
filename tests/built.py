"""The built site: its files, and how a test opens a page of it."""

from functools import cache
from urllib.parse import urlsplit

import pytest

from paths import ROOT
from preact.strings import LANGUAGES

SITE = ROOT / "_build/html"
PAGES = sorted(path.stem for path in (ROOT / "book/en").glob("*.md"))
CHAPTERS = [name for name in PAGES if name[0].isdigit()]
API = sorted(path.stem for path in (SITE / "en/api").glob("*.html"))

NIGHTLY = pytest.mark.nightly

# A page can be used: its scripts have run, its explorers show what their
# controls say, and its faces are there.
READY = """document.readyState === "complete"
  && !document.querySelector("[aria-busy=true]")
  && document.fonts.status === "loaded\""""
# What follows a change of the window or of the page has been drawn.
DRAWN = """new Promise((drawn) => requestAnimationFrame(() =>
  requestAnimationFrame(() => setTimeout(drawn))))"""


@cache
def html(path):
    """Return a page of the site as it was written; `path` is en/01-why."""
    return (SITE / f"{path}.html").read_text("utf-8")


def load(page, address):
    """Open an address; return when the page can be used."""
    page.goto(address)
    page.wait_for_function(READY)


def reload(page):
    """Load the page again; return when it can be used."""
    page.reload()
    page.wait_for_function(READY)


def settle(page):
    """Return when the page shows what its controls say, and has drawn it."""
    page.wait_for_function(READY)
    page.evaluate(DRAWN)


def show_concealed(page):
    """Show all that waits for a guess."""
    while (waiting := page.locator(".waits:visible [name=skip]")).count():
        waiting.first.click()


def resize(page, width):
    """Give the window a width; return when the page fills it."""
    if page.viewport_size["width"] != width:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("(width) => innerWidth === width", arg=width)
        settle(page)


def address(page):
    """The page's address; a reader who goes has the last move written."""
    return page.evaluate("dispatchEvent(new Event('blur')) && location.href")


def query(page):
    """What the address of a page asks for."""
    return urlsplit(address(page)).query


def each(paths, nightly=()):
    """Parametrize by pages; one worker has all the tests of a page."""
    return pytest.mark.parametrize(
        "path",
        [
            pytest.param(
                path,
                marks=[pytest.mark.xdist_group(path), *late],
                id=path,
            )
            for some, late in ((paths, []), (nightly, [NIGHTLY]))
            for path in some
        ],
    )


EVERY_PAGE = [f"{code}/{name}" for code in LANGUAGES for name in PAGES]
EVERY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)
# Words of an explorer: as they are written, and as they are translated.
TWO_LANGUAGES = pytest.mark.parametrize("language", ["en", "zh-Hans"])
