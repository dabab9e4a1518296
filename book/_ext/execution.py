"""Where executed notebooks are kept, shared by nbmake and the book.

jupyter-cache's key is code and cell metadata; it does not see the package. So
the folder's name is a hash of everything else that outputs depend on.
"""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def cache_folder() -> Path:
    """Return the cache of the present sources."""
    digest = hashlib.sha256()
    sources = sorted((ROOT / "src/preact").rglob("*"))
    for path in (*sources, ROOT / "requirements.txt"):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(ROOT)).encode())
            digest.update(path.read_bytes())
    return ROOT / "_build" / ".jupyter_cache" / digest.hexdigest()[:16]
