"""Whichever runs a chapter first, the other reads it; and what reruns it."""

import os
import shutil
import subprocess
import sys

import nbformat.v4 as nb
import pytest
from jupyter_cache import get_cache
from nbformat import reads, write
from nbmake.nb_run import NotebookRun
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from book.tools.execution import cache_folder, keep, modules_of, needed, once
from book.tools.notebooks import notebook
from paths import ROOT
from preact import propagation
from preact.book.measurements import FOLDER, measured, share_propagation

CHAPTER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A chapter

```{code-cell} python
from pathlib import Path

from preact.spec import TABLE_2

with Path("%s").open("a") as log:
    log.write("ran ")
print(len(TABLE_2))
```
"""


@pytest.fixture
def tree(tmp_path):
    """A book of one chapter that notes each time it is run."""
    for folder in ("book/en", "notebooks/en", "src"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("torch==2\n")
    chapter = tmp_path / "book/en/index.md"
    chapter.write_text(CHAPTER % (tmp_path / "log"), "utf-8")
    made = tmp_path / "notebooks/en/index.ipynb"
    made.write_text(notebook(chapter), "utf-8")
    return tmp_path


def by_nbmake(tree):
    path = tree / "notebooks/en/index.ipynb"
    execute = once(NotebookRun.execute)
    result = execute(NotebookRun(path, default_timeout=100))
    assert result.error is None
    (cell,) = [c for c in result.nb.cells if c.cell_type == "code"]
    assert cell.outputs[0].text == "5\n"


def test_an_offered_notebook_has_the_outputs_of_the_run(tree):
    chapter = tree / "book/en/index.md"
    offered = reads(notebook(chapter, with_outputs=True), as_version=4)
    assert not any(cell.get("outputs") for cell in offered.cells)
    by_nbmake(tree)
    offered = reads(notebook(chapter, with_outputs=True), as_version=4)
    _, *first, cell = offered.cells
    assert [c.id for c in first] == ["install"]
    assert cell.outputs[0].text == "5\n"


def by_the_site(tree):
    out = tree / "_build/en"
    with docutils_namespace():
        app = Sphinx(
            srcdir=tree / "book/en",
            confdir=None,
            outdir=out / "html",
            doctreedir=out / "trees",
            buildername="html",
            confoverrides={
                "extensions": ["myst_nb", "book.site.execution"],
                "nb_execution_mode": "cache",
                "nb_merge_streams": True,
            },
            status=None,
        )
        app.build()
    page = (out / "html/index.html").read_text("utf-8")
    assert "<span></span>5\n" in page


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    "order",
    [
        (by_the_site, by_nbmake),
        pytest.param((by_nbmake, by_the_site), marks=pytest.mark.slow),
    ],
)
def test_in_any_order_a_chapter_runs_once(tree, order):
    for run in order:
        run(tree)
    assert (tree / "log").read_text() == "ran "
    folder = cache_folder(tree / "book/en/index.md")
    assert folder == cache_folder(tree / "notebooks/en/index.ipynb")
    assert len(get_cache(folder).list_cache_records()) == 1


@pytest.mark.slow
def test_a_chapter_computes_with_one_thread(tree):
    path = tree / "notebooks/en/index.ipynb"
    text = path.read_text("utf-8")
    asked = "__import__('os').environ['OMP_NUM_THREADS']"
    text = text.replace('log.write(\\"ran \\")', f"log.write({asked})")
    path.write_text(text, "utf-8")
    env = {k: v for k, v in os.environ.items() if "_NUM_THREADS" not in k}
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    run = ("-m", "pytest", "-q", "-p", "conftest", "--nbmake", "notebooks")
    subprocess.run(
        [sys.executable, *run],
        cwd=tree,
        env=env | {"PYTHONPATH": paths},
        check=True,
    )
    assert (tree / "log").read_text() == "1"


# ------------------------------------------------------------ what it reads
@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The package and the notebooks, to be changed."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("src/preact", "book/tools", "notebooks"):
        shutil.copytree(
            ROOT / name,
            tree / name,
            ignore=shutil.ignore_patterns("__pycache__", "seed-*"),
        )
    for name in ("book/__init__.py", "requirements.txt"):
        shutil.copy(ROOT / name, tree / name)
    return tree


LIST = """
from pathlib import Path
from book.tools.execution import cache_folder
for path in Path("notebooks").glob("*/*.ipynb"):
    print(cache_folder(path).name)
"""


def folders(tree):
    """Each chapter's cache as a process of its own sees it."""
    answer = subprocess.run(
        [sys.executable, "-c", LIST],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": f"{tree / 'src'}:{tree}"},
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split()
    return {name.rpartition("-")[0]: name for name in answer}


@pytest.fixture(scope="module")
def before(copy):
    """Each chapter's cache before anything is changed."""
    return folders(copy)


def changed_by(tree, before, name, text="\n# a comment\n"):
    """Chapters that more text in a file makes run again."""
    path = tree / name
    original = path.read_text("utf-8") if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((original or "") + text, "utf-8")
    after = folders(tree)
    path.unlink() if original is None else path.write_text(original, "utf-8")
    assert before.keys() == after.keys()
    assert len(before) == len(list(tree.glob("notebooks/*/*")))
    return {chapter for chapter in before if before[chapter] != after[chapter]}


EDITIONS = sorted(path.name for path in ROOT.glob("notebooks/*"))
ROOM = "src/preact/book/shortcuts"


@pytest.mark.slow
def test_a_change_runs_those_chapters_again_that_read_it(copy, before):
    everywhere = {f"{edition}-{{}}" for edition in EDITIONS}
    chapters = {path.stem for path in ROOT.glob("notebooks/zh-Hant/*")}
    for name, chapter, editions in [
        ("src/preact/bench/times.py", None, ()),
        ("src/preact/reference/unit.py", "04-units", everywhere),
        ("src/preact/paper/table_2.toml", "index", everywhere),
        (f"{ROOM}/zh-Hant.toml", "05-shortcuts", {"zh-Hant-{}"}),
        (f"{ROOM}/claims.toml", None, ()),
        ("src/preact/book/bugs/explorer.css", None, ()),
        (f"{ROOM}/exercises.py", "05-shortcuts", everywhere),
    ]:
        changed = changed_by(copy, before, name)
        wanted = {edition.format(chapter) for edition in editions}
        alone = name.startswith(ROOM) or not wanted
        assert changed == wanted if alone else wanted <= changed, name
    changed = changed_by(copy, before, "src/preact/strings/zh-Hant.toml")
    assert changed == {f"zh-Hant-{name}" for name in chapters}


@pytest.mark.slow
def test_a_new_record_runs_only_who_reads_records_again(copy, before):
    record = "src/preact/results/digits_table_2/seed-0.json"
    changed = changed_by(copy, before, record, "{}")
    assert {f"{edition}-09-training" for edition in EDITIONS} <= changed
    assert not any(name.endswith(("-why", "-signal")) for name in changed)


def test_modules_are_found_however_they_are_imported():
    code = """
try:
    import preact
except ModuleNotFoundError:
    %pip install preact
import preact.spec
from preact import plan
def late():
    from preact.reference.unit import unit_forward
preact.propagation.profile
"""
    assert modules_of(code) == {
        "preact.spec",
        "preact.plan",
        "preact.reference.unit",
        "preact.propagation",
    }
    assert "preact.plan.makers" in needed({"preact.plan"})
    assert "preact.reference" in needed({"preact.reference.unit"})
    assert "preact.spec" in needed({"preact.reference.unit"})


def test_what_one_edition_has_measured_the_others_read(tmp_path, monkeypatch):
    called = []

    @measured
    def growth(units, *, width=64):
        called.append((units, width))
        return {"growth": 2.0**units, "width": width}

    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert growth(10) == growth(10) == {"growth": 1024.0, "width": 64}
    growth(10, width=8)
    assert called == [(10, 64), (10, 8)]
    monkeypatch.delenv(FOLDER)  # outside of the build nothing is kept
    growth(10)
    assert called == [(10, 64), (10, 8), (10, 64)]


def test_a_translation_takes_a_reader_as_long_as_the_original(tmp_path):
    (tmp_path / "requirements.txt").write_text("torch==2\n")
    took = []
    for edition, seconds in (("en", 68.0), ("zh-Hant", 4.0)):
        path = tmp_path / "notebooks" / edition / "09-training.ipynb"
        path.parent.mkdir(parents=True)
        book = nb.new_notebook(cells=[nb.new_code_cell("1")])
        write(book, path)
        chapter = tmp_path / "book" / edition / "09-training.md"
        chapter.parent.mkdir(parents=True)
        chapter.write_text("```{code-cell} python\n1\n```\n")
        keep(book, path, seconds)
        (record,) = get_cache(cache_folder(path)).list_cache_records()
        took.append(record.data["execution_seconds"])
    assert took == [68.0, 68.0]


def test_measurements_are_shared_once_however_often_a_cell_sets_up(
    tmp_path, monkeypatch
):
    plain = propagation.profile
    monkeypatch.setenv(FOLDER, str(tmp_path))
    for name in ("direct_coefficient", "profile"):  # back after the test
        monkeypatch.setattr(propagation, name, getattr(propagation, name))
    share_propagation()
    share_propagation()
    assert propagation.profile.__wrapped__ is plain
