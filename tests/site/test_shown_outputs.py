"""What was run last is what the pages show."""

import pytest
from bs4 import BeautifulSoup
from jupyter_cache import get_cache

from book.site.exercises import TO_FILL_IN
from book.tools.execution import cache_folder, cells_of
from built import html
from paths import ROOT

CHAPTERS = [p for p in sorted(ROOT.glob("book/*/*.md")) if cells_of(p)]


def told(markup):
    """What HTML tells: its words, and names of its pictures and its data.

    How drawings and spaces are written is not told; a page writes less.
    """
    soup = BeautifulSoup(markup, "html.parser")
    for idle in soup(["script", "style"]):
        idle.decompose()
    named = {
        value
        for node in soup.find_all(True)
        for name, value in node.attrs.items()
        if name == "aria-label" or name.startswith("data-")
    }
    return [*soup.strings], named


def shown_outputs(notebook):
    """Outputs of the cells that a page shows."""
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        hidden = {"remove-cell", "remove-output"} & {*tags}
        if cell.cell_type != "code" or TO_FILL_IN.fullmatch(cell.source):
            continue
        if not hidden:
            yield from cell.outputs


@pytest.mark.parametrize(
    "path", CHAPTERS, ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_a_page_shows_the_outputs_of_its_last_run(path):
    cache = get_cache(cache_folder(path))
    record = max(cache.list_cache_records(), key=lambda r: r.created)
    notebook = cache.get_cache_bundle(record.pk).nb
    words, named = told(html(f"{path.parent.name}/{path.stem}"))
    text = "".join(words)
    together = "".join(text.split())
    shown = 0
    for output in shown_outputs(notebook):
        assert output.output_type != "error"
        assert output.get("name") != "stderr"
        if output.output_type == "stream":
            for line in output.text.splitlines():
                assert line.rstrip() in text
                shown += 1
        elif "text/html" in output.data:
            words, names = told(output.data["text/html"])
            assert all("".join(word.split()) in together for word in words)
            assert names <= named
            shown += 1
    assert shown > 0
