"""What was run is what the pages show, and nothing ran twice."""

import pytest
from bs4 import BeautifulSoup
from jupyter_cache import get_cache

from book.tools.execution import cache_folder
from paths import ROOT

NOTEBOOKS = sorted(ROOT.glob("notebooks/*/*.ipynb"))


def told(markup):
    """What HTML tells: its words, and names of its pictures and its data.

    How drawings and spaces are written is not told; a page writes less.
    """
    soup = BeautifulSoup(markup, "html.parser")
    for idle in soup(["script", "style"]):
        idle.decompose()
    words = ["".join(text.split()) for text in soup.strings]
    named = {
        value
        for node in soup.find_all(True)
        for name, value in node.attrs.items()
        if name == "aria-label" or name.startswith("data-")
    }
    return words, named


@pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_a_page_shows_the_outputs_of_its_one_run(path):
    cache = get_cache(cache_folder(path))
    (record,) = cache.list_cache_records()
    notebook = cache.get_cache_bundle(record.pk).nb
    page = ROOT / "_build/html" / path.parent.name / f"{path.stem}.html"
    words, named = told(page.read_text("utf-8"))
    together = "".join(words)
    text = BeautifulSoup(page.read_text("utf-8"), "html.parser").text
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
                words, names = told(output.data["text/html"])
                assert all(word in together for word in words)
                assert names <= named
                shown += 1
    assert shown > 0
