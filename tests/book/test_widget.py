"""Explorers in a notebook: a widget where one can be shown, else markup."""

import shutil
import subprocess

import nbclient
import nbformat
import pytest

from paths import ROOT

VIEW = "application/vnd.jupyter.widget-view+json"
KIT = ROOT / "src/preact/book"
CELL = """
from preact.book import predict, setup
strings = setup("en")
predict("depth_ask", {"depth_fresh": 2e7}, limits=(1, 1e8), log=True)
"""


def shown(monkeypatch, code=CELL, **variables):
    """What a cell's last line puts into a notebook, by MIME type."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(book, kernel_name="python3").execute()
    (output,) = [o for o in book.cells[0].outputs if "data" in o]
    return output.data


@pytest.mark.slow
def test_a_notebook_has_a_widget_and_the_markup_for_who_cannot_show_it(
    monkeypatch,
):
    monkeypatch.delenv("PREACT_BUILD", raising=False)
    data = shown(monkeypatch)
    assert data[VIEW]["model_id"]
    assert data["text/html"].startswith('<div class="preact-explorer preact-p')


@pytest.mark.slow
def test_while_the_book_is_built_and_without_anywidget_there_is_markup_alone(
    monkeypatch,
):
    building = shown(monkeypatch, PREACT_BUILD="1")
    monkeypatch.delenv("PREACT_BUILD")
    missing = "import sys; sys.modules['anywidget'] = None\n" + CELL
    for data in (building, shown(monkeypatch, missing)):
        assert VIEW not in data
        assert "preact-predict" in data["text/html"]


HANDED = """
from preact.book import glue, setup
strings = setup("en")
for depth in (2, 8, 20):
    glue(f"plain-{depth}", depth)
"""


@pytest.mark.slow
def test_what_a_cell_hands_to_the_text_is_one_fold_in_a_notebook(monkeypatch):
    monkeypatch.delenv("PREACT_BUILD", raising=False)
    shown_html = shown(monkeypatch, HANDED)["text/html"]
    assert shown_html.count("<details>") == 1
    assert shown_html.count("<li>") == 3
    assert "<code>plain-20</code>: 20" in shown_html


@pytest.mark.slow
def test_the_widgets_script_and_sheet_are_bundled_from_the_pages_own(tmp_path):
    node = shutil.which("node")
    if not node or not (ROOT / "node_modules/esbuild").exists():
        pytest.skip("npm is not here: nothing can be bundled")
    subprocess.run(
        [node, "book/scripts/build.js", "--widget", tmp_path],
        cwd=ROOT,
        check=True,
    )
    for name in ("widget.js", "widget.css"):
        stale = (tmp_path / name).read_bytes() != (KIT / name).read_bytes()
        assert not stale, f"{name} is stale: run `make notebooks`"
