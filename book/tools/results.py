"""Write the tables of errors and times into README.md, from the records.

python -m book.tools.results            write them
python -m book.tools.results --check    fail if one is stale
"""

import re
import sys

from book.tools import ROOT
from preact.figures import errors_table, speed_steps_table, times_table
from preact.records.compare import compare, load_records
from preact.records.speed import load_steps, load_times
from preact.strings import Strings

README = ROOT / "README.md"
BLOCK = re.compile(
    r"(<!-- (?P<kind>errors|times|speed-steps): (?P<name>[\w-]+) -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def updated(text: str) -> str:
    """Return the text with each block made anew from its records."""

    def table(block: re.Match[str]) -> str:
        strings, name = Strings("en"), block["name"]
        if block["kind"] == "times":
            record = load_times(name)
            assert record, name
            made = times_table(record, strings)
        elif block["kind"] == "speed-steps":
            steps = [(step, load_times(step.record)) for step in load_steps()]
            made = speed_steps_table(steps, strings)
        else:
            made = errors_table(compare(load_records(name)), strings)
        return f"{block[1]}{made.markdown()}{block['end']}"

    return BLOCK.sub(table, text)


if __name__ == "__main__":
    old = README.read_text("utf-8")
    new = updated(old)
    if "--check" not in sys.argv[1:]:
        README.write_text(new, "utf-8")
    elif new != old:
        sys.exit("README.md has a stale table: run `make report`")
