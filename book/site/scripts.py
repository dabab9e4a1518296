"""The scripts of a page, bundled by esbuild.

`book/scripts` has them as modules, a chapter's room its own explorer
(`src/preact/book/*/explorer.js`). A page that is opened as a file loads no
modules, so each bundle is one classic script: what all pages share, which
`assets.js` joins with the theme's, the explorers, and what a reader asks for
later (`load.js`). `templates/layout.html` defers them.
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from sphinx.errors import ExtensionError

from book.tools import ROOT

# Of a page with such a place; the first that fits.
EXPLORERS = {
    "explorers-engine.js": r"\bpreact-(?:growth|lab|playground)\b",
    "explorers.js": r"\bpreact-explorer\b",
}


def bundle_scripts(folder: Path) -> None:
    """Write the book's bundles into a folder."""
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


def explorers(body: str) -> str:
    """Return the bundle of a page's explorers, or nothing if it has none."""
    found = (n for n, place in EXPLORERS.items() if re.search(place, body))
    return next(found, "")


def handed_over(data: Any) -> str:
    """Return a script that hands data to whoever loads it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    event = f'new CustomEvent("data",{{detail:{text}}})'
    return f"document.currentScript.dispatchEvent({event});\n"
