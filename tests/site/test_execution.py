"""What nbmake ran is what the pages show, and nothing ran twice."""

import re
from html import unescape

import pytest
from jupyter_cache import get_cache

from execution import cache_folder
from paths import ROOT

NOTEBOOKS = sorted(ROOT.glob("notebooks/*/*.ipynb"))


def records():
    return get_cache(cache_folder()).list_cache_records()


def test_every_notebook_was_run_by_nbmake_and_none_by_the_build():
    """The build would have left records that name its own sources."""
    uris = sorted(record.uri for record in records())
    assert uris == sorted(map(str, NOTEBOOKS)), (
        "run `make test` before `make book`"
    )


@pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_a_page_shows_the_outputs_that_nbmake_saw(path):
    cache = get_cache(cache_folder())
    (record,) = [r for r in records() if r.uri == str(path)]
    notebook = cache.get_cache_bundle(record.pk).nb
    page = ROOT / "_build/html" / path.parent.name / f"{path.stem}.html"
    text = re.sub(r"<[^>]+>", "", page.read_text("utf-8"))
    text = unescape(text)
    shown = 0
    for cell in notebook.cells:
        if cell.cell_type != "code" or "remove-cell" in cell.metadata.get(
            "tags", []
        ):
            continue
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr"
            if output.output_type == "stream":
                for line in output.text.splitlines():
                    assert line in text
                    shown += 1
            elif "text/html" in output.data:
                markup = output.data["text/html"]
                assert markup.strip() in page.read_text("utf-8")
                shown += 1
    assert shown > 0
