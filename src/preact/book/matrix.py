"""The matrix of mistakes, as the page prints it.

Chapter `11-find-the-bug`.
"""

from collections import Counter

from preact.book.page import words
from preact.conformance.zoo.matrix import cells, recorded
from preact.conformance.zoo.writings import WRITINGS
from preact.figures import Table

__all__ = ["mutant_matrix"]


def mutant_matrix() -> Table:
    """Count, by place and way of writing, how many mistakes got a no.

    Kinds, positions, modes and rows are counted together; what nobody can
    see, or is asked for, stands below, by its reason.

    Examples
    --------
    >>> from preact.book import setup
    >>> from preact.book.matrix import mutant_matrix
    >>> strings = setup("en")
    >>> type(mutant_matrix()).__name__
    'Table'
    """
    say = words()
    passed = {*recorded()["passed"]}
    asked: Counter[tuple[tuple[str, str], str]] = Counter()
    caught: Counter[tuple[tuple[str, str], str]] = Counter()
    kinds: dict[tuple[str, str], dict[str, None]] = {}
    for cell in cells():
        row = ("why", cell.hidden) if cell.hidden else ("at", cell.place)
        kinds.setdefault(row, {})[cell.name] = None
        asked[row, cell.writing] += 1
        caught[row, cell.writing] += str(cell) not in passed
    said = {
        (group, key): say(
            f"matrix_why.{key}" if group == "why" else f"matrix_at.{key}"
        )
        for group, key in kinds
    }
    body = [
        [
            said[row],
            ", ".join(kinds[row]),
            *(f"{caught[row, w]} / {asked[row, w]}" for w in WRITINGS),
        ]
        for row in sorted(kinds, key=lambda row: row[0])  # reasons below
    ]
    head = [say("bugs.place"), say("bugs.kinds")]
    head += [say(f"matrix_in.{writing}") for writing in WRITINGS]
    return Table(head, body, say("bugs.matrix"))
