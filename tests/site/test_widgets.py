"""An explorer in a notebook computes what it computes in the page."""

import pytest
from bs4 import BeautifulSoup

from paths import ROOT

KIT = ROOT / "src/preact/book"
RENDER = """async ([script, css, markup]) => {
  const module = URL.createObjectURL(
    new Blob([script], { type: "text/javascript" }));
  const { default: widget } = await import(module);
  document.head.append(Object.assign(
    document.createElement("style"), { textContent: css }));
  const el = document.body.appendChild(document.createElement("div"));
  widget.render({ model: { get: () => markup }, el });
}"""


def markup_of(site_page, place):
    soup = BeautifulSoup(site_page, "html.parser")
    return str(soup.select_one(f".{place}"))


@pytest.fixture
def widget(open_page, cold_page, site):
    """Open a page, and one of its explorers as a notebook has it."""

    def opened(path, place):
        page = open_page(path)
        source = page.request.get(site + path).text()
        alone = cold_page(viewport={"width": 900, "height": 700})
        alone.goto(f"{site}/404.html")
        alone.evaluate("document.body.replaceChildren()")
        parts = [
            (KIT / f"widget.{kind}").read_text() for kind in ("js", "css")
        ]
        alone.evaluate(RENDER, [*parts, markup_of(source, place)])
        return page.locator(f".{place}").first, alone.locator(f".{place}")

    return opened


def answer(host):
    """What an explorer says when it has computed."""
    host.page.wait_for_function(
        "host => host.dataset.live && !host.matches('[aria-busy]')",
        arg=host.element_handle(),
    )
    return host.locator(".said").all_text_contents()


def test_a_fresh_network_is_the_same_in_page_and_notebook(widget):
    hosts = widget("/en/playground.html", "preact-playground")
    for host in hosts:
        host.scroll_into_view_if_needed()
    first, again = map(answer, hosts)
    assert first == again
    for host in hosts:
        host.locator("[name='a.units']").fill("8")
    changed, again = map(answer, hosts)
    assert changed == again != first
