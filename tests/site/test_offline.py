"""The site as one file: it has all it needs, and asks for nothing else."""

import re
import zipfile
from urllib.parse import urlsplit

import pytest

from built import LANGUAGES, SITE, load


@pytest.fixture(scope="module")
def top(tmp_path_factory):
    """Return the folder of the site's zip, in a folder of its own."""
    folder = tmp_path_factory.mktemp("unzipped")
    with zipfile.ZipFile(SITE / "preact.zip") as bundle:
        assert bundle.testzip() is None
        bundle.extractall(folder)
    (top,) = folder.iterdir()
    return top


def test_no_link_of_an_unzipped_edition_is_dead(top):
    names = {path.name for path in top.iterdir() if path.name[0] != "_"}
    assert names == {*LANGUAGES, "index.html"}
    dead = set()
    for page in top.rglob("*.html"):
        text = re.sub(
            r"<pre>.*?</pre>", "", page.read_text("utf-8"), flags=re.S
        )
        for address in re.findall(r'<[^>]*\s(?:href|src)="([^"]+)"', text):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            if not (page.parent / parts.path).exists():
                dead.add((page.name, address))
    assert dead == set()


def test_an_unzipped_edition_is_read_searched_and_compared(cold_page, top):
    page = cold_page(locale="zh-CN")
    page.goto((top / "index.html").as_uri())
    page.wait_for_url("**/zh-Hans/index.html")
    load(page, (top / "zh-Hans/search.html").as_uri() + "?q=ReLU")
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**?mark=*")
    load(page, (top / "zh-Hans/03-gradient.html").as_uri())
    page.locator(".parallel-choice button").first.click()
    page.locator(".twin").first.wait_for()
    page.locator(".language-switch a[hreflang=en]").click()
    page.wait_for_url("**/en/03-gradient.html*")
    assert page.problems == []
    here = top.as_uri()
    own = (here, "data:", "blob:")  # a worker is a blob of the page
    assert all(url.startswith(own) for url in page.requested)
