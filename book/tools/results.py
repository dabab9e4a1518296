"""Write README.md's table of errors and its pictures, from the records.

python -m book.tools.results
"""

import re
from statistics import median

from book.tools import ROOT
from preact.book.cover import cover_picture
from preact.book.page import setup
from preact.book.recorded import runs_at
from preact.cli import main

README, COVER = ROOT / "README.md", ROOT / "docs" / "cover.svg"
PLOT = ["plot", "digits_rates", "--depth", "110", "--lr", "0.1"]
BLOCK = re.compile(r"(?<=<!-- digits -->\n).*?(?=<!-- end -->)", re.S)
RATES = 0.1, 0.03, 0.01
ARMS = {  # those of the race, in this page's words
    "original": "original",
    "original+final-bn": "original, one more BN before the classifier",
    "no-relu-after-addition": "control: original without its last ReLU",
    "no-relu-after-addition+final-bn": "control, one more BN",
    "full-preactivation+final-bn": "full pre-activation, as drawn",
}
WIDTH, HEIGHT = 720, 490  # of the picture: two maps and their key


def errors_by_rate() -> str:
    """Compare test errors of ResNet-110 on digits, in Markdown."""
    by_rate = [runs_at(110, rate) for rate in RATES]
    lines = [
        ["unit", *(f"learning rate {rate}" for rate in RATES)],
        ["---"] + ["---:"] * len(RATES),
    ]
    for arm, name in ARMS.items():
        errors = [
            median(run.test_error_pct for run in runs[arm]) for runs in by_rate
        ]
        lines.append([name, *(f"{error:.1f} %" for error in errors)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def updated(text: str) -> str:
    """Return the README's text with its table made anew."""
    return BLOCK.sub(errors_by_rate(), text)


def cover() -> str:
    """Set the index page's two heat maps beside each other, as one SVG."""
    setup("en")
    left, right, key = cover_picture().panels
    placed = (left, 16, 12), (right, 368, 12), (key, 192, 380)
    inside = "".join(
        re.sub(
            r'viewBox="0 0 (\d+) (\d+)" style="width:\d+px;',
            rf'x="{x}" y="{y}" width="\1" height="\2" '
            r'viewBox="0 0 \1 \2" style="',
            panel,
            count=1,
        )
        for panel, x, y in placed
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" color="#1a1a1a">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f"{inside}</svg>\n"
    )


if __name__ == "__main__":
    README.write_text(updated(README.read_text("utf-8")), "utf-8")
    COVER.write_text(cover(), "utf-8")
    main([*PLOT, "--out", str(COVER.with_name("plot.svg"))])
