"""Write the tables of measured errors into README.md, from the records.

python book/_ext/results.py            write them
python book/_ext/results.py --check    fail if one is stale
"""

import re
import sys
from pathlib import Path

from preact.figures import measured
from preact.records.compare import compare, load_records
from preact.strings import Strings

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(
    r"(<!-- measured: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.DOTALL
)


def updated(text: str) -> str:
    """Return the text with each block made anew from its records."""

    def table(found: re.Match[str]) -> str:
        lines = compare(load_records(found["name"]))
        made = measured(lines, Strings("en")).markdown()
        return f"{found[1]}{made}{found[3]}"

    return BLOCK.sub(table, text)


if __name__ == "__main__":
    old = README.read_text("utf-8")
    new = updated(old)
    if "--check" not in sys.argv[1:]:
        README.write_text(new, "utf-8")
    elif new != old:
        sys.exit("README.md has a stale table: run `make report`")
