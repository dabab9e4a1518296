"""The built site on localhost, in Debian's Chromium."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

from book.tools.pdf import served
from paths import ROOT

SITE = ROOT / "_build/html"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def site():
    assert (SITE / "index.html").exists(), "no site: run `make book` first"
    with served(SITE) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    assert path, "no browser: install Chromium (Debian: apt install chromium)"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


SETTLED = "!document.querySelector('[aria-busy=true]')"
RESTED = "new Promise((rested) => setTimeout(rested, 400))"


def visit(browser, address, **options):
    """Load a page in a context of its own; it remembers what went on.

    `settle` waits until all explorers show what their controls say, `address`
    until the address does, which is written after the last move.
    """
    page = browser.new_context(**options).new_page()
    page.settle = lambda: page.wait_for_function(SETTLED)
    page.address = lambda: page.evaluate(RESTED) or page.url
    page.requested, page.problems, page.loaded = [], [], []
    page.on("request", lambda r: page.requested.append(r.url))
    page.on("requestfailed", lambda r: page.problems.append(r.url))
    page.on("response", lambda r: page.loaded.append(r))
    page.on("pageerror", lambda e: page.problems.append(str(e)))
    page.on(
        "console",
        lambda m: m.type == "error" and page.problems.append(m.text),
    )
    page.goto(address)  # to its end, which a busy machine reaches late
    page.wait_for_load_state("networkidle")
    page.settle()
    return page


@pytest.fixture
def open_page(browser, site):
    """Open a path; the page remembers requests, failures and errors."""
    pages = []

    def opened(path, **options):
        pages.append(visit(browser, site + path, **options))
        return pages[-1]

    yield opened
    for page in pages:
        page.context.close()


LOOK = {"viewport": {"width": 1280, "height": 720}, "color_scheme": "light"}


@pytest.fixture(scope="session")
def read_page(browser, site):
    """Like `open_page`, for tests that only look: they share the page.

    The last four are kept, the looks at one page; `place` puts the tests of
    a page side by side.
    """
    pages = {}

    def opened(path, **options):
        look = LOOK | options
        key = path, repr(look)
        if key not in pages:
            pages[key] = visit(browser, site + path, **look)
        if len(pages) > 4:
            pages.pop(next(iter(pages))).context.close()
        return pages[key]

    yield opened
    for page in pages.values():
        page.context.close()


@pytest.fixture(scope="session")
def place(request):
    """Language and name of a page: of all tests of it, one after another."""
    return request.param
