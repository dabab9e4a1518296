"""Measurements are made once for three editions, and only in the build."""

import nbformat
import nbformat.v4 as nb
import pytest
from jupyter_cache import get_cache

from book.tools.execution import cache_folder, keep
from preact.book.measurements import FOLDER, measured


@pytest.fixture
def calls():
    """A measurement, and the list of arguments that it was called with."""
    called = []

    @measured
    def growth(units, *, width=64):
        called.append((units, width))
        return {"growth": 2.0**units, "width": width}

    return growth, called


def test_what_one_edition_has_measured_the_others_read(
    calls, tmp_path, monkeypatch
):
    growth, called = calls
    monkeypatch.setenv(FOLDER, str(tmp_path))
    first, second = growth(10), growth(10)
    assert first == second == {"growth": 1024.0, "width": 64}
    assert called == [(10, 64)]
    growth(10, width=8)
    assert called == [(10, 64), (10, 8)]


def test_another_version_of_a_chapter_measures_anew(
    calls, tmp_path, monkeypatch
):
    growth, called = calls
    for folder in ("before", "after"):
        monkeypatch.setenv(FOLDER, str(tmp_path / folder))
        growth(3)
    assert called == [(3, 64), (3, 64)]


def test_outside_of_the_build_nothing_is_kept(calls, monkeypatch):
    growth, called = calls
    monkeypatch.delenv(FOLDER, raising=False)
    growth(3)
    growth(3)
    assert called == [(3, 64), (3, 64)]


def test_a_translation_takes_a_reader_as_long_as_the_original(tmp_path):
    (tmp_path / "requirements.txt").write_text("torch==2\n")
    took = []
    for edition, seconds in (("en", 68.0), ("zh-Hant", 4.0)):
        path = tmp_path / "notebooks" / edition / "09-training.ipynb"
        path.parent.mkdir(parents=True)
        book = nb.new_notebook(cells=[nb.new_code_cell("1")])
        nbformat.write(book, path)
        chapter = tmp_path / "book" / edition / "09-training.md"
        chapter.parent.mkdir(parents=True)
        chapter.write_text("```{code-cell} python\n1\n```\n")
        keep(book, path, seconds)
        (record,) = get_cache(cache_folder(path)).list_cache_records()
        took.append(record.data["execution_seconds"])
    assert took == [68.0, 68.0]
