"""Cards and heads of the chapters say how long each takes."""

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
    ("language", "times", "place"),
    [
        ("en", ["3 min to read", "1 min to read"], "Chapter 1 of 2"),
        ("zh-Hant", ["閱讀約 3 分鐘", "閱讀約 1 分鐘"], "第 1 章，共 2 章"),
    ],
)
def test_a_card_for_each_chapter_stands_in_their_order(
    tmp_path, language, times, place
):
    source = tmp_path / language
    source.mkdir()
    (source / "conf.py").touch()
    (source / "index.md").write_text(INDEX, "utf-8")
    short = "# First\n\nModules.\n\n**Question.** Is it\nshort?\n"
    (source / "first.md").write_text(short, "utf-8")
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
    cards = page.select("ul.chapter-map > li")
    assert [card.a.text for card in cards] == ["1 Second", "2 First"]
    assert cards[0].a["href"] == "second.html"
    assert cards[0].select_one(".question") is None  # it asks nothing
    assert cards[1].select_one(".question").text == "Is it short?"
    said = [card.select_one(".times").text for card in cards]
    assert [text.replace("\xa0", " ") for text in said] == times
    html = (tmp_path / "html/second.html").read_text("utf-8")
    head = BeautifulSoup(html, "html.parser").select_one("h1 + .chapter-times")
    assert head.text.replace("\xa0", " ") == f"{place} · {times[0]}"


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
    assert "1. [單元究竟該怎麼寫？](04-units.ipynb)\n" in listed
    assert "index" not in listed
