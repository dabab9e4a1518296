"""What was run is what the pages show, and nothing ran twice."""

import re
from html import unescape

import pytest
from jupyter_cache import get_cache

from book.site.assets import PLAIN
from book.tools.execution import cache_folder
from paths import ROOT

NOTEBOOKS = sorted(ROOT.glob("notebooks/*/*.ipynb"))


@pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_a_page_shows_the_outputs_of_its_one_run(path):
    cache = get_cache(cache_folder(path))
    (record,) = cache.list_cache_records()
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
                    assert line.rstrip() in text
                    shown += 1
            elif "text/html" in output.data:
                markup = output.data["text/html"]
                # code loses its colorless marks on the page
                whole = PLAIN.sub(r"\1", markup.strip())
                assert whole in page.read_text("utf-8")
                shown += 1
    assert shown > 0
