"""The built site on localhost, in Debian's Chromium."""

import contextlib
import functools
import shutil
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import sync_playwright

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


@contextmanager
def served(folder):
    """Serve a folder on localhost; yield its address."""
    handler = functools.partial(_Silent, directory=str(folder))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def finish(self):
        with contextlib.suppress(ConnectionError):  # the browser went on
            super().finish()


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
def tabs(browser, site):
    """Tabs that tests use one after another, by how they look.

    A tab of its own would start a process, and compile every script anew.
    """
    idle, looks = {}, {}

    class Tabs:
        def take(self, **options):
            look = LOOK | options
            key = repr(sorted(look.items()))
            if not idle.setdefault(key, []):
                page = browser.new_context(**look).new_page()
                idle[key].append(noting(page))
                looks[page] = key, look["viewport"]
            page = idle[key].pop()
            page.requested, page.problems, page.loaded = [], [], []
            return page

        def give_back(self, page):
            """Leave nothing of a test: no view, no memory, no pointer."""
            key, viewport = looks[page]
            page.unroute_all()
            page.emulate_media(media="null")
            page.set_viewport_size(viewport)
            page.mouse.move(0, 0)
            page.goto("about:blank")
            session = page.context.new_cdp_session(page)
            for origin in (site, "file://"):
                kept = {"origin": origin, "storageTypes": "all"}
                session.send("Storage.clearDataForOrigin", kept)
            session.detach()
            idle[key].append(page)

    yield Tabs()
    for page in looks:
        page.context.close()


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
def open_page(tabs, site):
    """Open a path, or an address, in a tab that knows no reader."""
    pages = []

    def opened(path, **options):
        pages.append(tabs.take(**options))
        address = path if "://" in path else site + path
        if options.get("java_script_enabled", True):
            load(pages[-1], address)
        else:
            pages[-1].goto(address)  # where no script runs, none can wait
        return pages[-1]

    yield opened
    for page in pages:
        tabs.give_back(page)


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
def read_page(tabs, site):
    """Open a page for tests that only look at it: one visit for all of them.

    Their group puts the tests of a page one after another.
    """
    page, seen = tabs.take(reduced_motion="reduce"), None

    def opened(path):
        nonlocal seen
        if path != seen:
            page.requested, page.problems, page.loaded = [], [], []
            seen = None  # until all of it is there
            page.set_viewport_size(LOOK["viewport"])
            load(page, f"{site}/{path}.html")
            seen = path
        return page

    return opened
