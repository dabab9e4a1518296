"""A chapter runs once, as a reader has it; and what reruns it."""

import os
import shutil
import subprocess
import sys

import pytest
from jupyter_cache import get_cache
from nbformat import reads
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from book.tools import execution
from book.tools.execution import (
    cache_folder,
    executed,
    modules_of,
    needed,
    printed,
    run,
)
from book.tools.notebooks import notebook
from paths import ROOT
from preact.strings import Strings

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
%s
```
"""
NOTE = """from pathlib import Path
from preact.spec import TABLE_2
with Path("{}").open("a") as log:
    log.write("ran ")
print(len(TABLE_2))"""


@pytest.fixture
def chapter(tmp_path):
    """The chapter of a book, which notes each time it is run."""
    made = tmp_path / "book/en/index.md"
    made.parent.mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("torch==2\n")
    made.write_text(CHAPTER % NOTE.format(tmp_path / "log"), "utf-8")
    return made


def test_an_offered_notebook_has_the_outputs_of_the_run(chapter):
    offered = reads(notebook(chapter, with_outputs=True), as_version=4)
    assert not any(cell.get("outputs") for cell in offered.cells)
    run(chapter)
    offered = reads(notebook(chapter, with_outputs=True), as_version=4)
    _, first, cell = offered.cells
    assert first.id == "install"
    assert cell.outputs[0].text == "5\n"


CELL = "\n```{{code-cell}} python\n{}\n```\n"
SHOWN = "from IPython.display import HTML\nHTML('{}')"


def test_an_offered_notebook_shows_no_answer_before_the_question_is_answered(
    chapter,
):
    drawn = '<svg width="7" style="width:300px"></svg>'
    cells = (
        SHOWN.format('<div class="preact-ranking">the order</div>'),
        "asked = 'conceal=True'",
        "print('an answer')",
        SHOWN.format(f"another{drawn}"),
    )
    text = (CHAPTER % "1") + "".join(map(CELL.format, cells))
    chapter.write_text(text + "\n## Next\n" + CELL.format("print('open')"))
    run(chapter)
    offered = reads(notebook(chapter, with_outputs=True), as_version=4)
    *_, race, _, printed, figure, _, open_ = offered.cells
    folded = Strings("en")("predict.folded")
    for cell, answer in (
        (race, "the order"),
        (printed, "an answer"),
        (figure, "another"),
    ):
        (output,) = cell.outputs
        html = output.data["text/html"]
        assert html.startswith(f"<details><summary>{folded}</summary>")
        assert answer in html
        assert list(output.data) == ["text/html"]
    assert 'width="300"' in figure.outputs[0].data["text/html"]
    assert open_.outputs[0].text == "open\n"


STEPPER = """
from preact.book import setup, stepper
from preact.book.explorers import Html

setup("en")
parts = {"8": "<b>Eight.</b>", "9": "<b>Nine.</b>"}
stepper("units", {key: Html(text) for key, text in parts.items()}, start="9")
"""


def test_of_what_a_slider_steps_through_an_offered_notebook_shows_one(chapter):
    chapter.write_text(CHAPTER % STEPPER.strip())
    run(chapter)
    offered = reads(notebook(chapter, with_outputs=True), as_version=4)
    shown = offered.cells[-1].outputs[0].data["text/html"]
    assert "Nine." in shown
    assert "Eight." not in shown
    assert "<input" not in shown


SOLVED = """
```{code-cell} python
check("why-3", ...)
```

:::{solution-start} why-3
:class: dropdown
:::

Two identities.

```{code-cell} python
def weights(d, scale=1):
    return d, scale
print(weights(2))
check("why-3", weights)
```

:::{solution-end}
:::
"""


def test_a_solution_is_one_fold_with_what_it_prints(chapter):
    chapter.write_text((CHAPTER % "check = print") + SOLVED)
    run(chapter)
    offered = reads(notebook(chapter, with_outputs=True), as_version=4)
    *_, asked, solved = offered.cells
    assert asked.source == (
        "def weights(d, scale=1):\n    raise NotImplementedError\n\n\n"
        'check("why-3", weights)'
    )
    assert asked.outputs == []
    assert solved.source.startswith(
        "<details><summary>Solution</summary>\n\nTwo identities.\n\n```python"
    )
    assert "```text\n(2, 1)\nwhy-3 <function" in solved.source
    assert solved.source.endswith("\n```\n\n<br>\n\n</details>")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_the_site_shows_what_was_run_and_runs_nothing_again(chapter, tmp_path):
    run(chapter)
    with docutils_namespace():
        app = Sphinx(
            srcdir=chapter.parent,
            confdir=None,
            outdir=tmp_path / "html",
            doctreedir=tmp_path / "trees",
            buildername="html",
            confoverrides={
                "extensions": ["myst_nb", "book.site.execution"],
                "nb_execution_mode": "cache",
                "nb_merge_streams": True,
            },
            status=None,
        )
        app.build()
    page = (tmp_path / "html/index.html").read_text("utf-8")
    assert "<span></span>5\n" in page
    assert (tmp_path / "log").read_text() == "ran "
    assert len(get_cache(cache_folder(chapter)).list_cache_records()) == 1


PROBE = """import os
from pathlib import Path
import preact
assert os.listdir() == []
home = Path(preact.__file__).parent
assert not home.is_relative_to({root!r}), home
print(os.environ["OMP_NUM_THREADS"], len([*home.rglob("results/**/*.json")]))
"""


@pytest.mark.slow
def test_a_chapter_runs_alone_on_one_thread_with_the_wheel(
    chapter, monkeypatch
):
    chapter.write_text(CHAPTER % PROBE.format(root=str(ROOT)), "utf-8")
    monkeypatch.setattr(execution, "ROOT", chapter.parents[2])
    for name in [name for name in os.environ if "_NUM_THREADS" in name]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    execution.run_missing(["en"])
    (cell,) = [c for c in executed(chapter).cells if c.cell_type == "code"]
    results = [*(ROOT / "src/preact").rglob("results/**/*.json")]
    assert cell.outputs[0].text == f"1 {len(results)}\n"
    assert printed(executed(chapter)) == {}


# ------------------------------------------------------------ what it reads
@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The package and the chapters, to be changed."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("src/preact", "book"):
        shutil.copytree(
            ROOT / name,
            tree / name,
            ignore=shutil.ignore_patterns("__pycache__", "seed-*", "api"),
        )
    shutil.copy(ROOT / "requirements.txt", tree)
    return tree


LIST = """
from pathlib import Path
from book.tools.execution import cache_folder, cells_of
for path in Path("book").glob("*/*.md"):
    if cells_of(path):
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
    assert len(before) == len(list(ROOT.glob("notebooks/*/*")))
    return {chapter for chapter in before if before[chapter] != after[chapter]}


EDITIONS = sorted(path.name for path in ROOT.glob("notebooks/*"))
ROOM = "src/preact/book/shortcuts"


@pytest.mark.slow
def test_a_change_runs_those_chapters_again_that_read_it(copy, before):
    everywhere = {f"{edition}-{{}}" for edition in EDITIONS}
    chapters = {path.stem for path in ROOT.glob("notebooks/zh-Hant/*")}
    for name, chapter, editions in [
        ("src/preact/cli/progress.py", None, ()),
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
