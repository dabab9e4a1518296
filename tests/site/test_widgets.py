"""An explorer in a notebook computes what it computes in the page."""

import json

import pytest
from bs4 import BeautifulSoup

from paths import ROOT
from preact.book import engine
from preact.book.explorers import ROWS
from preact.strings import Strings

KIT = ROOT / "src/preact/book"
RENDER = """async ([script, css, markup, asks]) => {
  const module = URL.createObjectURL(
    new Blob([script], { type: "text/javascript" }));
  const { default: widget } = await import(module);
  document.head.append(Object.assign(
    document.createElement("style"), { textContent: css }));
  const place = document.querySelector("[data-here]") ?? document.body;
  const el = document.createElement("div");
  const heard = new Set(), traits = { markup, asks };
  const send = async ({ worker, data }) => {
    for (const news of data ? await answer(data) : []) {
      for (const hear of heard) hear({ worker, news });
    }
  };
  widget.render({ el, model: {
    get: (name) => traits[name], send,
    on: (_, hear) => heard.add(hear), off: (_, hear) => heard.delete(hear),
  } });
  await new Promise(requestAnimationFrame);
  place.append(el);  // as JupyterLab does, when it is made
}"""


def markup_of(site_page, place):
    soup = BeautifulSoup(site_page, "html.parser")
    return str(soup.select_one(f".{place}"))


@pytest.fixture
def widget(open_page, cold_page, site):
    """Open a page, and one of its explorers as a notebook has it."""

    def opened(path, place, kernel=None, around=""):
        page = open_page(path)
        source = page.request.get(site + path).text()
        alone = cold_page(viewport={"width": 900, "height": 700})
        alone.goto(f"{site}/404.html")
        alone.evaluate("html => document.body.innerHTML = html", around)
        parts = [
            (KIT / f"widget.{kind}").read_text() for kind in ("js", "css")
        ]
        alone.expose_function("answer", kernel or (lambda _: []))
        markup = markup_of(source, place)
        alone.evaluate(RENDER, [*parts, markup, bool(kernel)])
        return page.locator(f".{place}").first, alone.locator(f".{place}")

    return opened


def answer(host):
    """What an explorer says when it has computed."""
    host.page.wait_for_function(
        "host => host.dataset.live && !host.matches('[aria-busy]')"
        " && host.dataset.state !== 'running'",
        arg=host.element_handle(),
    )
    return host.locator("th, td").all_text_contents()


def by_kernel(asked):
    return [*map(json.dumps, engine.answer(ROWS, asked))]


@pytest.mark.parametrize("kernel", [None, by_kernel])
def test_a_network_is_the_same_in_page_and_notebook(widget, kernel):
    hosts = widget("/en/playground.html", "preact-playground", kernel)
    for host in hosts:
        host.scroll_into_view_if_needed()
    first, again = map(answer, hosts)
    assert first == again
    hosts[1].locator("[name=settings]").click()  # its column is narrow
    for host in hosts:
        host.locator("[name='a.units']").fill("8")
    changed, again = map(answer, hosts)
    assert changed == again != first
    for host in hosts:
        host.locator("[name=train]").click()
    trained, again = map(answer, hosts)
    assert trained == again != changed
    for host in hosts:
        host.locator("[name=step]").fill("1")
    first, again = map(answer, hosts)
    assert first == again != trained
    assert first[:3] == ["step", "A1", "B1"]


QUESTION = (
    '<a id="question" href="#playground?playground.b.row=original'
    '&amp;playground.b.units=5">Many units or few?</a>'
)


def test_a_question_of_the_notebook_sets_the_playground(widget):
    _, host = widget(
        "/en/playground.html", "preact-playground", None, QUESTION
    )
    host.page.locator("#question").click()
    assert host.locator("[name='b.row']").input_value() == "original"
    assert host.locator("[name='b.units']").input_value() == "5"


def test_a_link_of_a_notebook_leads_to_a_notebook(widget):
    _, host = widget("/en/playground.html", "preact-playground")
    link = host.locator(".recorded a").first
    assert link.get_attribute("href").startswith("runs.html?")
    followed = link.evaluate(
        """link => {
            link.addEventListener("click", (event) => event.preventDefault());
            link.click();
            return link.getAttribute("href");
        }"""
    )
    assert followed == "runs.ipynb"


CELLS = f"""<div class="jp-Notebook">
<div class="jp-Cell jp-CodeCell" data-here></div>
<div class="jp-Cell jp-CodeCell">
  <div class="jp-Cell-outputWrapper answer">one</div></div>
<div class="jp-Cell jp-MarkdownCell"><div class="jp-RenderedMarkdown">
  <details><summary>{Strings("en")("predict.folded")}</summary>
  <p class="answer">two</p></details><h3>Within</h3></div></div>
<div class="jp-Cell jp-CodeCell">
  <div class="jp-Cell-outputWrapper answer">three</div></div>
<div class="jp-Cell jp-MarkdownCell"><div class="jp-RenderedMarkdown">
  <h2>Next</h2><details><summary>Hint</summary>
  <p class="hint">four</p></details></div></div>
<div class="jp-Cell jp-CodeCell">
  <div class="jp-Cell-outputWrapper open">five</div></div>
</div>"""


def test_what_is_left_of_a_section_of_a_notebook_waits_for_the_guess(widget):
    _, host = widget("/en/03-gradient.html", "preact-predict", around=CELLS)
    page = host.page

    def visible(kind):
        return [one.is_visible() for one in page.locator(f".{kind}").all()]

    assert visible("answer") == [False] * 3
    assert visible("open") == [True]
    host.locator("[name=guess]").press("ArrowRight")
    for shown in (True, False):  # a guess, and back
        host.locator("[name=commit]").press("Enter")
        assert visible("answer") == [shown] * 3
        assert visible("hint") == [False]


def test_a_signal_is_the_same_in_page_and_notebook(widget):
    hosts = widget("/en/02-signal.html", "preact-growth", by_kernel)
    for host in hosts:
        host.scroll_into_view_if_needed()
        answer(host)
        host.locator("[name=seed]").fill("3")
        answer(host)
    page, notebook = (h.locator(".facts").inner_text() for h in hosts)
    assert page == notebook
