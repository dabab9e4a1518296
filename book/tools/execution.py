"""What a chapter computes with, and what it computed: once, for all.

`run_missing` runs the chapters that were not run yet, `make book` shows what
they returned.

jupyter-cache's own key is code and cell metadata. So the folder's name is a
hash of everything else that a chapter's outputs depend on: the modules of the
package that its cells import, those that these import, and so on; the data
beside these modules; the words of its language; the pinned requirements.

    python -m book.tools.execution [EDITION ...]    run what was not run yet
"""

import ast
import hashlib
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grimp
import jupytext
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_core.utils import ensure_event_loop
from nbclient import NotebookClient

from book.tools import ROOT, give_one_thread
from book.tools.wheel import build_wheel, install_wheel
from preact.book.widget import BUILD
from preact.strings import LANGUAGES

PACKAGE = Path(str(files("preact")))
IMPORT = re.compile(
    r"^ *(?:>>> )?from (preact[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE
)


def cache_folder(chapter: Path) -> Path:
    """Return where the outputs of `book/LANGUAGE/NAME.md` are kept."""
    root, language = chapter.resolve().parents[2], chapter.parent.name
    digest = hashlib.sha256((root / "requirements.txt").read_bytes())
    for path in inputs(chapter):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    name = f"{language}-{chapter.stem}-{digest.hexdigest()[:16]}"
    return root / "_build" / ".jupyter_cache" / name


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
    language = chapter.parent.name
    for module in needed(modules_of("\n".join(cells_of(chapter)))):
        source = PACKAGE.parent.joinpath(*module.split("."))
        face = source / "__init__.py"
        paths.add(face if face.exists() else source.with_suffix(".py"))
        room = source if face.exists() else source.parent
        if room != PACKAGE:
            paths.update(path for path in room.iterdir() if is_data(path))
        if module.startswith("preact.records"):
            results = (PACKAGE / "results").rglob("*")
            paths.update(path for path in results if path.is_file())
    others = {f"{name}.toml" for name in LANGUAGES if name != language}
    return sorted(p for p in paths if p.name not in others)


def modules_of(code: str) -> set[str]:
    """Return the package's modules that a chapter's code names.

    `check("signal-4", ...)` opens a room.
    """
    named = re.findall(r"\bpreact(?:\.\w+)+", code)
    named += [path for _, path in imports(code)]
    rooms = re.findall(r'\bcheck\(\s*"([\w-]+)-\w+"', code)
    named += [f"preact.book.{room}.exercises" for room in rooms]
    return {module_of(name) for name in named}


def module_of(name: str) -> str:
    """Return the module that a dotted name is, or is in."""
    while name not in graph().modules:
        name = name.rpartition(".")[0]
    return name


def imports(code: str) -> Iterator[tuple[str, str]]:
    """Yield name and path of what code imports from the package."""
    for statement in IMPORT.finditer(code):
        for one in statement[2].strip("()").split(","):
            name, _, other = one.strip().partition(" as ")
            if name.isidentifier():
                yield other or name, f"{statement[1]}.{name}"


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


def is_data(path: Path) -> bool:
    """Whether code of a room may read a file of it."""
    code = path.suffix in (".py", ".pyc", ".js", ".css")
    return path.is_file() and not code and path.name != "claims.toml"


@cache
def graph() -> grimp.ImportGraph:
    """Return which module of the package imports which."""
    return grimp.build_graph(
        "preact", cache_dir=None, exclude_type_checking_imports=True
    )


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


def executed(chapter: Path) -> Any:
    """Return a chapter with its outputs if it was run before, else None."""
    stored = get_cache(cache_folder(chapter))
    try:
        _, merged = stored.merge_match_into_notebook(jupytext.read(chapter))
    except KeyError:
        return None
    return merged


def keep(book: Any, chapter: Path) -> None:
    """Store a chapter that ran without error."""
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.outputs = join_streams(cell.outputs)
    get_cache(cache_folder(chapter)).cache_notebook_bundle(
        CacheBundleIn(book, str(chapter)), check_validity=True, overwrite=True
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


# ----------------------------------------------------------------- running
def run(chapter: Path) -> None:
    """Run a chapter as readers do, alone in a folder; keep its outputs."""
    print(f"running {chapter.parent.name}/{chapter.stem}", flush=True)
    book = jupytext.read(chapter)
    with TemporaryDirectory() as folder:
        NotebookClient(
            book,
            timeout=300,
            record_timing=False,  # would be part of the key
            resources={"metadata": {"path": folder}},
            extra_arguments=["--IPKernelApp.log_level=ERROR"],
        ).execute(env=os.environ | {BUILD: "1"})
    ensure_event_loop().close()  # of this thread, which nobody else closes
    keep(book, chapter)


def run_missing(editions: Sequence[str]) -> None:
    """Run the chapters that were not run yet, one on each core.

    Kernels have the package as readers have it: from its wheel.
    """
    todo = [
        path
        for edition in editions
        for path in sorted((ROOT / "book" / edition).glob("*.md"))
        if cells_of(path) and executed(path) is None
    ]
    if not todo:
        return
    give_one_thread(os.environ)  # kernels inherit it
    with TemporaryDirectory() as folder:
        install_wheel(build_wheel(Path(folder)), Path(folder) / "site")
        os.environ["PYTHONPATH"] = f"{folder}/site"
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(run, todo))


if __name__ == "__main__":
    run_missing(sys.argv[1:] or LANGUAGES)
