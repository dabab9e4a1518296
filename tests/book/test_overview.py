"""Cards and heads of the chapters say how long each takes."""

import pytest
import small_book
from bs4 import BeautifulSoup

from book.site.overview import reading_minutes
from book.tools.myst import chapters
from book.tools.plain import contents
from paths import ROOT
from preact.strings import LANGUAGES

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
    short = "# First\n\nModules.\n\n**Question.** Is it\nshort?\n"
    long = "word " * 600 + "\n\n```python\n" + "code " * 600 + "\n```\n"
    sources = {
        "index.md": INDEX,
        "first.md": short,
        "second.md": f"# Second\n\n{long}",
    }
    pages, warnings = small_book.build(
        tmp_path, language, sources, ["myst_nb", "book.site.overview"]
    )
    assert warnings == ""
    page = BeautifulSoup(pages["index"], "html.parser")
    cards = page.select("ul.chapter-map > li")
    assert [card.a.text for card in cards] == ["1 Second", "2 First"]
    assert cards[0].a["href"] == "second.html"
    assert cards[0].select_one(".question") is None  # it asks nothing
    assert cards[1].select_one(".question").text == "Is it short?"
    said = [card.select_one(".times").text for card in cards]
    assert [text.replace("\xa0", " ") for text in said] == times
    second = BeautifulSoup(pages["second"], "html.parser")
    head = second.select_one("h1 + .chapter-times")
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
