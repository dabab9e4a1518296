"""The built site on localhost, in Debian's Chromium."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

from book.tools.pdf import served
from built import SITE, load

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LOOK = {"viewport": {"width": 1280, "height": 720}, "color_scheme": "light"}


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


@pytest.fixture(scope="session")
def new_page(browser, site):
    """Open a tab of a browser that remembers nothing of its reader.

    Tabs of the same look share what has been loaded once: a context of its
    own would read and compile every script anew.
    """
    contexts = {}

    def opened(**options):
        look = LOOK | options
        key = repr(sorted(look.items()))
        if key not in contexts:
            contexts[key] = browser.new_context(**look)
        page = contexts[key].new_page()
        session = contexts[key].new_cdp_session(page)
        session.send(
            "Storage.clearDataForOrigin",
            {"origin": site, "storageTypes": "all"},
        )
        session.detach()
        return noting(page)

    yield opened
    for context in contexts.values():
        context.close()


def noting(page):
    """Let a page remember what it asked for, and what went wrong."""
    page.requested, page.problems, page.loaded = [], [], []
    page.on("request", lambda r: page.requested.append(r.url))
    page.on(  # what the next page interrupts is no failure
        "requestfailed",
        lambda r: (
            r.failure == "net::ERR_ABORTED" or page.problems.append(r.url)
        ),
    )
    page.on("response", lambda r: page.loaded.append(r))
    page.on("pageerror", lambda e: page.problems.append(str(e)))
    page.on(
        "console",
        lambda m: m.type == "error" and page.problems.append(m.text),
    )
    return page


@pytest.fixture
def open_page(new_page, site):
    """Open a path, or an address, in a tab that is closed after the test."""
    pages = []

    def opened(path, **options):
        pages.append(new_page(**options))
        load(pages[-1], path if "://" in path else site + path)
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


@pytest.fixture
def cold_page(browser):
    """A tab that has loaded nothing before, for tests of how a page comes."""
    pages = []

    def opened(**options):
        pages.append(noting(browser.new_context(**options).new_page()))
        return pages[-1]

    yield opened
    for page in pages:
        page.context.close()


@pytest.fixture(scope="session")
def read_page(new_page, site):
    """Open a page for tests that only look at it: one visit for all of them.

    Their group puts the tests of a page one after another.
    """
    seen = {}

    def opened(path):
        if path not in seen:
            while seen:
                seen.popitem()[1].close()
            seen[path] = new_page(reduced_motion="reduce")
            load(seen[path], f"{site}/{path}.html")
        return seen[path]

    return opened
