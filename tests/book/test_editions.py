"""Sources of the book: parity, notebooks in step, modules and chapters."""

import re

import pytest

from book.tools.plain import quote_source
from paths import ROOT
from preact.strings import LANGUAGES, TRANSLATIONS

NAMES = sorted(path.stem for path in (ROOT / "book/en").glob("*.md"))
CHAPTERS = [
    path
    for path in sorted(ROOT.glob("book/*/*.md"))
    if "{code-cell}" in path.read_text("utf-8")
]
NUMBERED = [
    path
    for path in CHAPTERS
    if path.parent.name == "en" and path.stem[0].isdigit()
]


def cells(path):
    return re.findall(
        r"```{code-cell}.*?\n(.*?)```", path.read_text("utf-8"), re.DOTALL
    )


def test_every_chapter_is_in_the_table_of_contents():
    toc = (ROOT / "_toc.yml").read_text("utf-8")
    listed = re.findall(r"(?:root|file): ([\w-]+)$", toc, re.MULTILINE)
    assert sorted(listed) == NAMES


def test_a_cell_is_short_and_narrow():
    for path in CHAPTERS:
        for cell in cells(path):
            shown = re.sub(r"^:tags:.*\n+", "", cell).strip()
            lines = [line for line in shown.splitlines() if line.strip()]
            assert len(lines) <= 20, path
            assert max(map(len, lines)) <= 79, path


def test_a_chapter_opens_with_question_folded_result_and_equations():
    for path in (path for path in CHAPTERS if path.stem[0].isdigit()):
        text = path.read_text("utf-8").split("```{code-cell}")[0]
        parts = [
            title or bold
            for bold, title in re.findall(
                r"^\*\*(.+?)[.。]?\*\*"
                r"|^:::{admonition} (.+)\n:class: dropdown\n",
                text,
                re.MULTILINE,
            )
        ]
        assert parts[:3] in (
            ["Question", "Result, in one sentence", "Equations"],
            ["问题", "一句话结论", "公式"],
            ["問題", "一句話結論", "公式"],
        )


def test_a_chapter_ends_with_summary_exercises_and_references():
    for path in NUMBERED:
        text = path.read_text("utf-8")
        labels = re.findall(r"^\((\w+-\w+)\)=\n## ", text, re.MULTILINE)
        name = labels[0].split("-")[0]
        ends = ["summary", "exercises", "references"]
        if f"{name}-further" in labels:
            ends.insert(1, "further")
        assert labels[-len(ends) :] == [f"{name}-{part}" for part in ends]
        summary = text.split(f"({name}-summary)=")[1]
        summary = summary.split(f"({name}-{ends[1]})")[0]
        assert "{claim}`" in summary
        for kind in ("compute", "diagnose", "investigate"):
            assert f":class: {kind}\n" in text


def test_every_language_has_its_words_for_the_theme():
    import yaml

    words = yaml.safe_load(
        (ROOT / "book/site/ui_strings.yml").read_text("utf-8")
    )
    assert list(words) == list(LANGUAGES)
    own = {key for key in words["en"] if key.startswith("@")}
    for language in TRANSLATIONS:
        assert set(words[language]) == set(words[TRANSLATIONS[0]]) > own


# ------------------------------------------------------------ code on a page
def test_a_notebook_quotes_what_the_page_quotes(tmp_path):
    path = tmp_path / "source.py"
    path.write_text("class A:\n    # start\n    def b(self):\n        pass\n")
    quoted = quote_source(path, ":pyobject: A.b\n:dedent: 4\n")
    assert quoted == "```python\ndef b(self):\n    pass\n```"
    quoted = quote_source(path, ':start-after: "# start"\n:lines: 1\n')
    assert quoted == "```python\n    def b(self):\n```"
    with pytest.raises(ValueError, match=r"A\.c"):
        quote_source(path, ":pyobject: A.c\n")
