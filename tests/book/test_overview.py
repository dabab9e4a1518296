"""Cards and heads of the chapters say how long each takes."""

from book.site.overview import reading_minutes
from book.tools.myst import chapters
from book.tools.plain import contents
from paths import ROOT
from preact.strings import LANGUAGES


def test_a_chapter_takes_about_as_long_in_every_language():
    minutes = [
        {name: reading_minutes(text) for name, text in chapters(one).items()}
        for one in LANGUAGES
    ]
    for name, original in minutes[0].items():
        for translation in minutes[1:]:
            assert 0.5 < (translation[name] + 1) / (original + 1) < 2


def test_code_takes_no_time_to_read():
    code = "\n\n```python\n" + "code " * 600 + "\n```\n"
    assert reading_minutes("word " * 600 + code) == 3


def test_a_notebook_lists_the_chapters_with_links():
    listed = contents(ROOT / "book/zh-Hant")
    assert "1. [單元究竟該怎麼寫？](04-units.ipynb)\n" in listed
    assert "index" not in listed
