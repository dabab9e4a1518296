"""The reader ranks the rows of Table 1 before the paper's errors are shown."""

from html import escape

from preact import paper
from preact.book.explorers import Html, mount
from preact.book.page import section, words
from preact.figures import Table
from preact.figures.variants import color_of, marker_of, row_name

BIASES = "exclusive-gating-b0-to-b-5"  # the paper's one row of six
FORMULAS = {
    "original": "x + F(x)",
    "constant-scaling-0-1": "F(x)",
    "constant-scaling-0.5-1": "½ x + F(x)",
    "constant-scaling-0.5-0.5": "½ x + ½ F(x)",
    BIASES: "(1 − g(x)) x + g(x) F(x)",
    "exclusive-gating-b-6": "(1 − g(x)) x + g(x) F(x)",
    "exclusive-gating-b-7": "(1 − g(x)) x + g(x) F(x)",
    "shortcut-only-gating-b0": "(1 − g(x)) x + F(x)",
    "shortcut-only-gating-b-6": "(1 − g(x)) x + F(x)",
    "conv1x1-shortcut": "BN(W x) + F(x)",
    "dropout-shortcut": "m x + F(x)",
}
LIMITS = (0.0, 14.0)  # percent


def name_of(row: str) -> str:
    """Name a row of the paper's table in the page's language."""
    say = words()
    return say("table_1.biases") if row == BIASES else row_name(row, say)


def marker_in_page(row: str) -> str:
    """Mark a row as figures do; a gate's bias is a text of the page."""
    return "0–5" if row == BIASES else marker_of(row).strip("$")


def rank_table_1() -> Html:
    """Ask for an order of Table 1's eleven rows, then show their errors."""
    say = words()
    errors = {result.row: result.error_pct for result in paper.results(1)}
    arms = {
        row: {
            "name": name_of(row),
            "formula": FORMULAS[row],
            "color": color_of("exclusive-gating-b0" if row == BIASES else row),
            "marker": marker_in_page(row),
            "dashed": False,
        }
        for row in errors
    }
    data = {
        "words": section("race")
        | section("table_1")
        | {
            "fail": say("table.fail"),
            "semicolon": say("punctuation.semicolon"),
        },
        "arms": arms,
        "errors": errors,
        "digits": 2,  # as the paper prints them
        "limits": LIMITS,
        "stored": "preact-table-1",
    }
    body = [
        [
            name_of(row),
            FORMULAS[row],
            say("table.fail") if error is None else f"{error:.2f}",
        ]
        for row, error in errors.items()
    ]
    head = [say(f"table_1.{column}") for column in ("shortcut", "unit", "pct")]
    table = Table(head, body, say("table_1.caption"))
    ask, skip = escape(say("table_1.ask")), escape(say("predict.skip"))
    folded = f"<summary>{skip}</summary>{table._repr_html_()}"
    inside = f"<p>{ask}</p><details>{folded}</details>"
    return mount("ranking", say("table_1.rank"), data, inside)
