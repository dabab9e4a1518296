"""Write the tables of errors and times into README.md, from the records.

python book/_ext/results.py            write them
python book/_ext/results.py --check    fail if one is stale
"""

import json
import re
import sys
from pathlib import Path

from preact.figures import measured, timed
from preact.records.compare import PUBLISHED, compare, load_records
from preact.strings import Strings

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(
    r"(<!-- (?P<kind>measured|timed): (?P<name>[\w-]+) -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def updated(text: str) -> str:
    """Return the text with each block made anew from its records."""

    def table(found: re.Match[str]) -> str:
        strings, name = Strings("en"), found["name"]
        if found["kind"] == "timed":
            path = PUBLISHED / "bench" / f"{name}.json"
            made = timed(json.loads(path.read_text("utf-8")), strings)
        else:
            made = measured(compare(load_records(name)), strings)
        return f"{found[1]}{made.markdown()}{found['end']}"

    return BLOCK.sub(table, text)


if __name__ == "__main__":
    old = README.read_text("utf-8")
    new = updated(old)
    if "--check" not in sys.argv[1:]:
        README.write_text(new, "utf-8")
    elif new != old:
        sys.exit("README.md has a stale table: run `make report`")
