"""One edition, built as Jupyter Book would: its options come as JSON."""

import json
import sys

from jupyter_book.sphinx import build_sphinx

if __name__ == "__main__":
    sys.exit(build_sphinx(**json.loads(sys.argv[1])) not in (0, None))
