"""Tables that stand in two lines a row on a phone, and in how many columns.

A style sheet cannot count a table's columns without searching it again each
time that something in it changes; the build counts them once. `stacked.css`
and `stacked-text.css` say what becomes of them.
"""

import re

OF_CELLS = re.compile(r'<table class="preact-table">(?=(.*?)</tr>)', re.S)
OF_TEXT = re.compile(r'<table class="table">(?=(.*?)</table>)', re.S)
HEAD = re.compile(r"<th\b([^>]*)>")
OF_WORDS = re.compile(r'class="[^"]*\bwords\b')
MARKED = re.compile(r'class="claim-mark\b')
FORMULA = re.compile(r'<td\b(?:(?!</td>).)*?class="math\b', re.S)


def stack_tables(page: str) -> str:
    """Return a page whose wide tables say of which columns they are."""
    page = OF_CELLS.sub(lambda m: _of_cells(m[1]) or m[0], page)
    return OF_TEXT.sub(lambda m: _of_text(m[1]) or m[0], page)


def _of_cells(head: str) -> str:
    """Return the opening of a table that a cell prints, if it is wide.

    Its columns are of words (w) or of numbers (n).
    """
    columns = "".join(
        "w" if OF_WORDS.search(given) else "n" for given in HEAD.findall(head)
    )
    if not re.match(r"wwn|w...", columns):
        return ""
    return (
        f'<table class="preact-table" data-columns="{columns}" '
        f'style="--across: {across(columns)}">'
    )


def across(columns: str) -> int:
    """Return how many columns a phone shows side by side.

    Numbers stand below their row's name, or beside it if there is a second
    one, which then stands below; three names and more stand in the columns
    of the numbers.
    """
    if columns.startswith("wwn"):
        return len(columns) - 2
    if columns.startswith("wn"):
        return len(columns) - 1
    return 3 if re.fullmatch("wwwn{1,3}", columns) else 4


def _of_text(table: str) -> str:
    """Return the opening of a table of prose, if it is wide or has marks."""
    count = len(HEAD.findall(table))
    marked, formulas = MARKED.search(table), FORMULA.search(table)
    if not marked and count < 4:
        return ""
    kinds = ["marks" if marked else "rows"]
    if marked and count > 3:
        kinds.append("four")
    if formulas and (marked or count == 4):
        kinds.append("formulas")
    return f'<table class="table" data-stacked="{" ".join(kinds)}">'
