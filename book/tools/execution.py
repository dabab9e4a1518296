"""What a chapter computes with, and what it computed: once, for all.

nbmake runs the notebooks, `make book` runs the chapters; the code is the
same. Whichever comes first keeps what it ran, and the other reads it. What
one edition of a chapter has measured, the others read
(`preact.book.measurements`).

jupyter-cache's own key is code and cell metadata. So the folder's name is a
hash of everything else that a chapter's outputs depend on: the modules of the
package that its cells import, those that these import, and so on; the data
beside these modules; the words of its language; the pinned requirements.

    python -m book.tools.execution [EDITION ...]    run what was not run yet
"""

import ast
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import perf_counter
from typing import Any

import grimp
import jupytext
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbclient import NotebookClient

from book.tools import ROOT
from book.tools.threads import give_one_thread
from preact.book.measurements import FOLDER as MEASURED
from preact.strings import LANGUAGES, ORIGINAL

PACKAGE = Path(str(files("preact")))
# What notebooks alone have: a first cell, by its id, and a line.
INSTALL = "install"
SOLUTION_LINE = "# Solution"
# Python 3.11 fails now and then where two threads parse at once.
PARSING = Lock()


def cache_folder(chapter: Path) -> Path:
    """Return where the outputs of a chapter are kept.

    Parameters
    ----------
    chapter : Path
        `book/LANGUAGE/NAME.md` or `notebooks/LANGUAGE/NAME.ipynb`: the same
        code, so the same folder.
    """
    root, language = chapter.resolve().parents[2], chapter.parent.name
    digest = hashlib.sha256((root / "requirements.txt").read_bytes())
    for path in inputs(chapter):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    name = f"{language}-{chapter.stem}-{digest.hexdigest()[:16]}"
    return root / "_build" / ".jupyter_cache" / name


def measured_folder(chapter: Path) -> Path:
    """Return where the measurements of a chapter's three editions are kept.

    It is named after the original edition's code and what that depends on.
    """
    root, name = chapter.resolve().parents[2], chapter.stem
    original = root / "book" / ORIGINAL / f"{name}.md"
    if not original.exists():
        original = chapter  # a notebook alone
    code = hashlib.sha256("\n".join(cells_of(original)).encode()).hexdigest()
    folder = f"{cache_folder(original).name}-{code[:16]}"
    return root / "_build" / ".measured" / folder


def cells_of(chapter: Path) -> list[str]:
    """Return the code of a chapter's cells."""
    book = jupytext.read(chapter)
    return [c.source for c in book.cells if c.cell_type == "code"]


def inputs(chapter: Path) -> list[Path]:
    """List the package's files that a chapter's outputs depend on.

    A room's data stand beside its modules. Two kinds of rooms have data of
    their own: `strings` and the chapters' rooms a file for each language, of
    which a chapter reads one, and `records` the published results.
    """
    paths: set[Path] = set()
    for module in needed(modules_of("\n".join(cells_of(chapter)))):
        source = PACKAGE.parent.joinpath(*module.split("."))
        face = source / "__init__.py"
        paths.add(face if face.exists() else source.with_suffix(".py"))
        room = source if face.exists() else source.parent
        if room != PACKAGE:
            paths.update(_data(room))
        if module.startswith("preact.records"):
            results = (PACKAGE / "results").rglob("*")
            paths.update(path for path in results if path.is_file())
    others = {f"{name}.toml" for name in LANGUAGES} - {
        f"{chapter.parent.name}.toml"
    }
    return sorted(p for p in paths if p.name not in others)


def modules_of(code: str) -> set[str]:
    """Return the package's modules that a chapter's code names.

    `from preact import x` and `preact.x` are the module x, or if there is
    none, the package itself; `check("signal-4", ...)` opens a room.
    """
    # a magic command is no Python
    plain = re.sub(r"^( *)[%!].*", r"\1pass", code, flags=re.MULTILINE)
    modules = graph().modules
    with PARSING:
        tree = ast.parse(plain)
    return {
        name if name in modules else name.rpartition(".")[0]
        for name in _names(tree)
    }


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield dotted names of the package in the code's imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (
                    a.name for a in names if a.name.startswith("preact.")
                )
            case ast.ImportFrom(module=str(module), names=names):
                if module.partition(".")[0] == "preact":
                    yield from (f"{module}.{a.name}" for a in names)
            case ast.Attribute(value=ast.Name(id="preact"), attr=attribute):
                yield f"preact.{attribute}"
            case ast.Call(
                func=ast.Name(id="check"), args=[ast.Constant(str(label)), *_]
            ):
                name = f"preact.book.{label.rpartition('-')[0]}.exercises"
                if name in graph().modules:
                    yield name


def needed(modules: set[str]) -> set[str]:
    """Return these modules and all that importing them imports.

    A module's packages are imported before it. The package's own face is
    counted by its text: what it offers lazily, it does not import.
    """
    reached: set[str] = set()
    todo = list(modules)
    while todo:
        module = todo.pop()
        if module in reached:
            continue
        reached.add(module)
        if module != "preact" or module in modules:
            todo += graph().find_modules_directly_imported_by(module)
        packages = range(1, module.count("."))
        todo += (module.rsplit(".", n)[0] for n in packages)
    return reached | {"preact"}


@cache
def graph() -> grimp.ImportGraph:
    """Return which module of the package imports which."""
    return grimp.build_graph(
        "preact", cache_dir=None, exclude_type_checking_imports=True
    )


def _data(room: Path) -> Iterator[Path]:
    """Yield the files of a room that its code may read."""
    for path in room.iterdir():
        if (
            path.is_file()
            and path.suffix not in (".py", ".pyc", ".js", ".css")
            and path.name != "claims.toml"
        ):
            yield path


# ------------------------------------------------------------------- outputs
def printed(book: Any) -> dict[str, str]:
    """Return what the cells of a notebook handed to its prose, by name.

    Nothing if it has not been run.
    """
    return {
        output.metadata["scrapbook"]["name"]: ast.literal_eval(
            output.data["text/plain"]
        )
        for cell in (book.cells if book else ())
        for output in cell.get("outputs", ())
        if "scrapbook" in output.get("metadata", {})
    }


def without_first(book: Any) -> Any:
    """Return a notebook as the book has it: no first cell, no folded code."""
    book.cells = [c for c in book.cells if c.get("id") != INSTALL]
    for cell in book.cells:
        cell.metadata.pop("jupyter", None)
        if cell.cell_type == "code":
            cell.source = cell.source.removeprefix(f"{SOLUTION_LINE}\n")
    return book


def executed(notebook: Path) -> Any:
    """Return a notebook with its outputs if it was run before, else None."""
    stored = get_cache(cache_folder(notebook))
    book = without_first(jupytext.read(notebook))
    try:
        _, merged = stored.merge_match_into_notebook(book)
    except KeyError:
        return None
    return merged


def keep(book: Any, notebook: Path, seconds: float) -> None:
    """Store a notebook that ran without error, and how long it ran.

    A translation reads what the original has measured: for a reader, who has
    nothing to read, it takes as long as the original.
    """
    told = measured_folder(notebook) / "seconds"
    if notebook.parent.name == ORIGINAL:
        told.parent.mkdir(parents=True, exist_ok=True)
        told.write_text(f"{seconds:.1f}")
    elif told.exists():
        seconds = float(told.read_text())
    code = [c for c in without_first(book).cells if c.cell_type == "code"]
    for count, cell in enumerate(code, start=1):
        # timings would be part of the key
        cell.metadata.pop("execution", None)
        cell.execution_count = count  # the first cell was one more
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count
    get_cache(cache_folder(notebook)).cache_notebook_bundle(
        CacheBundleIn(
            book, str(notebook), data={"execution_seconds": seconds}
        ),
        check_validity=True,
        overwrite=True,
    )


def join_streams(outputs: list[Any]) -> list[Any]:
    """Return a cell's outputs with what it printed in one piece.

    A kernel sends what is printed in parts, cut by its clock. The outputs
    themselves stay as they are.

    Examples
    --------
    >>> from nbformat.v4 import new_output
    >>> parts = [new_output("stream", text=t) for t in ("a ", "b ", "c")]
    >>> [output.text for output in join_streams(parts)]
    ['a b c']
    """
    joined: list[Any] = []
    streams: dict[str, Any] = {}
    for output in outputs:
        if output["output_type"] != "stream":
            joined.append(output)
        elif output["name"] in streams:
            streams[output["name"]]["text"] += output["text"]
        else:
            streams[output["name"]] = copy(output)
            joined.append(streams[output["name"]])
    return joined


def once(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make nbmake's runner read what was run before, and keep what it runs.

    A notebook runs as a reader has it: alone in a folder.
    """
    from nbmake.nb_result import NotebookResult

    def execute(self: Any) -> Any:
        path = Path(self.filename)
        if (before := executed(path)) is not None:
            return NotebookResult(nb=before, error=None)
        start = perf_counter()
        os.environ[MEASURED] = str(measured_folder(path))
        with TemporaryDirectory() as folder:
            self.filename = Path(shutil.copy(path, folder))
            result = run(self)
        self.filename = path
        if result.error is None:
            keep(result.nb, path, perf_counter() - start)
        return result

    return execute


# ----------------------------------------------------------------- running
def run(notebook: Path) -> float:
    """Run a notebook alone in a folder; keep its outputs; return seconds."""
    book = jupytext.read(notebook)
    start = perf_counter()
    with TemporaryDirectory() as folder:
        NotebookClient(
            book,
            timeout=300,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
        ).execute(env=os.environ | {MEASURED: str(measured_folder(notebook))})
    seconds = perf_counter() - start
    keep(book, notebook, seconds)
    return seconds


def run_missing(editions: Sequence[str]) -> None:
    """Run the notebooks that were not run yet, one on each core.

    The original edition comes first, so that the others read what it has
    measured; of an edition, the chapter that took longest comes first.
    """
    give_one_thread(os.environ)  # kernels inherit it
    log = ROOT / "_build" / "seconds.json"  # how long each ran last time
    took = json.loads(log.read_text()) if log.exists() else {}
    todo = [
        path
        for edition in sorted(editions, key=LANGUAGES.index)
        for path in sorted(
            ROOT.glob(f"notebooks/{edition}/*.ipynb"),
            key=lambda path: -took.get(f"{path.parent.name}/{path.stem}", 0),
        )
        if executed(path) is None
    ]
    lock = Lock()

    def run_one(path: Path) -> None:
        name = f"{path.parent.name}/{path.stem}"
        last = f", {took[name]:.0f} s last time" if name in took else ""
        print(f"running {name}{last}", flush=True)
        seconds = run(path)
        print(f"ran     {name} in {seconds:.0f} s", flush=True)
        with lock:
            took[name] = round(seconds, 1)
            log.write_text(json.dumps(took, indent=1))

    # The index tells how long some of its cells take: nothing runs beside it.
    alone = [path for path in todo if path.stem == "index"]
    for path in alone:
        run_one(path)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        together = [path for path in todo if path not in alone]
        for _ in pool.map(run_one, together):
            pass


if __name__ == "__main__":
    run_missing(sys.argv[1:] or LANGUAGES)
