"""The shortcut builder: the reader chooses a shortcut and a placement.

Table 1 spoils the shortcut of one placement; here every shortcut meets every
placement, drawn, written out, and measured at the start of training.

Chapter `05-shortcuts`.
"""

from dataclasses import replace
from html import escape

import numpy as np

from preact.book.builder import (
    Way,
    builder_data,
    code_lines,
    explorer,
    unit_card,
)
from preact.book.explorers import Html
from preact.book.page import words
from preact.book.shortcuts import (
    BATCH,
    PAPER_ROWS,
    SEEDS,
    UNITS,
    WIDTH,
    AtStart,
    at_start,
)
from preact.figures import Table
from preact.figures.variants import color_of, row_name
from preact.spec import CONTROLS, TABLE_1, TABLE_2, UnitSpec

SHORTCUTS = (  # rows of Table 1, whose factors are put on other placements
    *("original", "constant-scaling-0.5-1", "constant-scaling-0.5-0.5"),
    *("constant-scaling-0-1", "shortcut-only-gating-b0"),
    *("shortcut-only-gating-b-6", "exclusive-gating-b0"),
    *("exclusive-gating-b-6", "conv1x1-shortcut", "dropout-shortcut"),
)
PLACEMENTS = {
    row: (TABLE_2 | CONTROLS)[row]
    for row in (
        "original",
        "no-relu-after-addition",
        "full-preactivation",
    )
}
START = "original/shortcut-only-gating-b-6"
GHOST = "original/original"
OWN_WORDS = (
    *("choose", "shortcut", "placement", "ghost", "median", "built"),
    "alt_chart",
)


def combinations() -> dict[str, UnitSpec]:
    """Every shortcut on every placement.

    Returns
    -------
    dict
        "placement/shortcut", both by the names of their rows, to the unit.
    """
    return {
        f"{place}/{row}": replace(
            unit,
            on_shortcut=TABLE_1[row].on_shortcut,
            on_branch=TABLE_1[row].on_branch,
        )
        for place, unit in PLACEMENTS.items()
        for row in SHORTCUTS
    }


def shortcut_builder() -> Html:
    """Let the reader choose a shortcut and a placement."""
    say = words()
    ways = combinations()
    results = {name: at_start(spec) for name, spec in ways.items()}
    cards = "".join(
        card(name, spec, results[name]) for name, spec in ways.items()
    )
    scope = say(
        "shortcuts.scope", units=UNITS, width=WIDTH, batch=BATCH, seeds=SEEDS
    )
    data = builder_data(
        "lists",
        {word: say.table[f"shortcuts.{word}"] for word in OWN_WORDS},
        {name: way(name, result) for name, result in results.items()},
        GHOST,
        START,
    )
    data["options"] = {
        "placement": [[p, row_name(p, say)] for p in PLACEMENTS],
        "shortcut": [[r, parts(f"original/{r}")[1]] for r in SHORTCUTS],
    }
    return explorer(
        say("shortcuts.title"),
        data,
        cards,
        scope,
        say("shortcuts.all", count=len(ways)),
        table(results),
    )


def parts(name: str) -> tuple[str, str]:
    """Name the placement and the shortcut of a combination, in words."""
    say = words()
    place, row = name.split("/")
    shortcut = (
        say("shortcuts.identity") if row == "original" else row_name(row, say)
    )
    return row_name(place, say), shortcut


def card(name: str, spec: UnitSpec, result: AtStart) -> str:
    """One combination as HTML."""
    say = words()
    _, shortcut = parts(name)
    lines = {
        **code_lines(spec),
        "measured": escape(say("shortcuts.numbers", **numbers(result))),
    }
    return unit_card(name, spec, shortcut, in_the_paper(name), lines)


def in_the_paper(name: str) -> str:
    """Say the paper's error, or that nobody there has the unit."""
    say = words()
    place, row = name.split("/")
    if place == "original":
        error = PAPER_ROWS[row]
        if error is None:
            return say("shortcuts.fails")
        return say("shortcuts.error", value=f"{error:.2f}")
    return say(
        "shortcuts.identity_kept" if row == "original" else "builder.nobody"
    )


def numbers(result: AtStart) -> dict[str, str]:
    """Format the medians: signal, gradient, and what the shortcuts pass."""
    say, at_work = words(), float(np.median(result.at_work))
    return {
        "signal": say.two_digits(np.median(result.signal[:, -1])),
        "gradient": say.two_digits(float(np.median(result.growth))),
        "shortcut": say.two_digits(at_work),
    }


def table(results: dict[str, AtStart]) -> Table:
    """All combinations, placement by placement."""
    say = words()
    body = []
    for name, result in results.items():
        values = numbers(result)
        line = [*parts(name), values["signal"]]
        body.append([*line, values["gradient"], values["shortcut"]])
    head = [
        say(f"shortcuts.{column}")
        for column in ("placement", "shortcut", "signal", "gradient", "kept")
    ]
    return Table(head, body, say("shortcuts.all", count=len(results)))


def way(name: str, result: AtStart) -> Way:
    """One combination as the page's script reads it."""
    place, row = name.split("/")
    both = words()("punctuation.comma").join(parts(name))
    color = color_of(row if place == "original" else place)
    curves = result.signal, result.gradient
    return Way(both, both, place == "original", color, *curves)
