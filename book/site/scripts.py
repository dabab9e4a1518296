"""The scripts of a page: bundled by esbuild, read when the page has come.

`book/scripts` has them as modules, a chapter's room its own explorer
(`src/preact/book/*/explorer.js`). A page that is opened as a file loads no
modules, so each bundle is one classic script: what all pages share, the
explorers, and what a reader asks for later (`book/scripts/load.js`). All are
deferred, and so run in their order before `DOMContentLoaded`.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

from book.tools import ROOT

PAGE = "page.js"
THEME = "scripts/pydata-sphinx-theme.js"
# Of a page with such a place; the first that fits.
EXPLORERS = {
    "explorers-engine.js": r"\bpreact-(?:growth|lab|playground)\b",
    "explorers.js": r"\bpreact-(?:explorer|ledger-filter)\b",
}
# Sphinx's own search, its marks and its options, and a kernel: unused.
IDLE = (
    "doctools.js",
    "documentation_options.js",
    "sphinx_highlight.js",
    "sphinx-thebe.js",
    "translations.js",
)
# What a script of an extension is for; elsewhere it is not loaded.
SERVES = {
    "clipboard.min.js": 'class="highlight',
    "copybutton.js": 'class="highlight',
    "design-tabs.js": 'class="sd-tab-set',
}


def bundle_scripts(folder: Path) -> None:
    """Write the book's bundles into a folder.

    Parameters
    ----------
    folder : Path
        Where they shall stand; it is made.

    Raises
    ------
    ExtensionError
        If there is no npm, or a script is wrong.
    """
    node = shutil.which("node")
    if not node or not (ROOT / "node_modules/esbuild").exists():
        raise ExtensionError(
            "the book needs npm, which brings what bundles its scripts: "
            "install Node.js 20 or newer, run `npm ci`, then `make book` again"
        )
    made = subprocess.run(
        [node, ROOT / "book/scripts/build.js", folder], cwd=ROOT, check=False
    )
    if made.returncode:
        raise ExtensionError("esbuild could not bundle the book's scripts")


def explorers(body: str) -> list[str]:
    """Return the bundle of a page's explorers, if it has any."""
    return [n for n, place in EXPLORERS.items() if re.search(place, body)][:1]


def sort_scripts(context: dict[str, Any]) -> None:
    """Defer a page's scripts; what its head says itself comes first.

    Text of a head that stood behind the sheets would wait for them, and the
    page for it: `templates/layout.html` puts it before them.
    """
    body = context.get("body", "")
    files, said = [], []
    for script in context["script_files"]:
        name = Path(script.filename or "").name
        text = script.attributes.get("body", "")
        if not name:
            if not text.startswith("DOCUMENTATION_OPTIONS"):
                said.append(text)
        elif name not in IDLE and SERVES.get(name, "") in body:
            attributes = script.attributes | {"defer": "defer"}
            files.append(
                type(script)(
                    script.filename, priority=script.priority, **attributes
                )
            )
    context["script_files"] = files
    context["said"] = list(dict.fromkeys(said))


def handed_over(data: Any) -> str:
    """Return a script that hands data to whoever loads it.

    Parameters
    ----------
    data : object
        What JSON can hold.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    event = f'new CustomEvent("data",{{detail:{text}}})'
    return f"document.currentScript.dispatchEvent({event});\n"
