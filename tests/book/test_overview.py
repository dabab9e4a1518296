"""The map of the chapters says how long each takes."""

from io import StringIO

import pytest
from bs4 import BeautifulSoup
from sphinx.testing.util import SphinxTestApp

from book.site.overview import reading_minutes
from book.tools.myst import chapters
from book.tools.plain import contents
from paths import ROOT
from preact.strings import EDITIONS, LANGUAGES

INDEX = """# Book

:::{chapter-map}
:::

```{toctree}
:numbered: 1
second
first
```
"""


@pytest.mark.parametrize(
    ("language", "times"),
    [("en", ["3 min", "1 min"]), ("zh-Hant", ["3 分鐘", "1 分鐘"])],
)
def test_the_map_lists_the_chapters_in_their_order(tmp_path, language, times):
    source = tmp_path / language
    source.mkdir()
    (source / "conf.py").touch()
    (source / "index.md").write_text(INDEX, "utf-8")
    (source / "first.md").write_text("# First\n\nShort.\n", "utf-8")
    long = "word " * 600 + "\n\n```python\n" + "code " * 600 + "\n```\n"
    (source / "second.md").write_text(f"# Second\n\n{long}", "utf-8")
    warnings = StringIO()
    app = SphinxTestApp(
        srcdir=source,
        builddir=tmp_path,
        warning=warnings,
        confoverrides={
            "extensions": ["myst_nb", "book.site.overview"],
            "language": EDITIONS[language]["catalog"],
            "myst_enable_extensions": ["colon_fence"],
            "nb_execution_mode": "off",
            "suppress_warnings": ["app"],  # of another test's build
        },
    )
    try:
        app.build()
    finally:
        app.cleanup()
    assert warnings.getvalue() == ""
    html = (tmp_path / "html/index.html").read_text("utf-8")
    page = BeautifulSoup(html, "html.parser")
    rows = page.select("table.chapter-map tbody tr")
    cells = [[cell.text.strip() for cell in row("td")] for row in rows]
    assert [row[0] for row in cells] == ["1. Second", "2. First"]
    assert [row[1] for row in cells] == times
    assert [row[2] for row in cells] == ["–", "–"]  # nothing was run
    assert rows[0].select_one("a")["href"] == "second.html"


def test_a_chapter_takes_about_as_long_in_every_language():
    minutes = [
        {name: reading_minutes(text) for name, text in chapters(one).items()}
        for one in LANGUAGES
    ]
    for name, original in minutes[0].items():
        for translation in minutes[1:]:
            assert 0.5 < (translation[name] + 1) / (original + 1) < 2


def test_a_notebook_lists_the_chapters_with_links():
    listed = contents(ROOT / "book/zh-Hant")
    assert "1. [單元到底怎麼寫？](04-units.ipynb)\n" in listed
    assert "index" not in listed
