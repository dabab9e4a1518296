"""The unit builder: the reader places one BN and one ReLU.

The page's script only shows and hides what is made here; where no script
runs, all twelve units stay, and a table of what was measured.

Chapters `04-units` and `05-shortcuts`.
"""

from collections.abc import Mapping
from html import escape

import numpy as np

from preact import paper
from preact.book.explorers import Html, mount
from preact.book.page import words
from preact.book.placements import (
    BATCH,
    SEEDS,
    UNITS,
    WIDTH,
    Measured,
    equation,
    key,
    measure,
    numpy_line,
    row_of,
    silent_line,
    spec_line,
    torch_line,
    twelve_units,
)
from preact.figures import Table, unit_diagram
from preact.figures.variants import color_of, in_words
from preact.plan import cifar_plan
from preact.reference.caches import Array
from preact.spec import TABLE_2, UnitSpec

GHOST = "full-preactivation"
OWN_WORDS = (
    *("choose", "bn", "relu", "pre", "post", "after", "order", "bn_first"),
    *("relu_first", "ghost", "median", "built", "alt_chart"),
)


def unit_builder() -> Html:
    """Let the reader place one BN and one ReLU, and see what comes of it.

    Examples
    --------
    Half a minute of measuring, so no test runs it here; a cell shows it:

    >>> from preact.book import setup, unit_builder
    >>> strings = setup("en")
    >>> unit_builder()  # doctest: +SKIP
    """
    say, ways = words(), twelve_units()
    results = {name: measure(spec) for name, spec in ways.items()}
    cards = "".join(
        card(name, spec, results[name]) for name, spec in ways.items()
    )
    scope = say(
        "builder.scope", units=UNITS, width=WIDTH, batch=BATCH, seeds=SEEDS
    )
    return explorer(
        say("builder.title"),
        builder_data(ways, results),
        cards,
        scope,
        say("builder.all"),
        table(ways, results),
    )


def explorer(
    title: str,
    data: Mapping[str, object],
    cards: str,
    scope: str,
    everything: str,
    table: Table,
) -> Html:
    """Put together what `builder.js` finds: cards, scope, and a table.

    Parameters
    ----------
    title, scope, everything : str
        Of the explorer, of what was measured, of the table.
    data : mapping
        What the script reads; "choice" names its kind of controls.
    cards : str
        One `details` element for each unit, from `unit_card`.
    table : Table
        All of them, for a page without script.
    """
    return mount(
        "builder",
        title,
        data,
        f'<div class="cards">{cards}</div>'
        f'<p class="note">{escape(scope)}</p>'
        f'<details class="all" open><summary>{escape(everything)}'
        f"</summary>{table._repr_html_()}</details>",
    )


def unit_card(
    name: str,
    spec: UnitSpec,
    title: str,
    text: str,
    lines: Mapping[str, str],
) -> str:
    """One unit as HTML: diagram, a sentence, and lines below their labels.

    Parameters
    ----------
    name : str
        As the script calls the unit.
    title : str
        Above the diagram.
    text : str
        The sentence.
    lines : mapping
        A key of the words `builder` to HTML.
    """
    say = words()
    unit = cifar_plan(spec, depth=20, convs=2).units[1]
    drawing = unit_diagram(unit, say, title)._repr_html_()
    listed = "".join(
        f"<dt>{escape(say(f'builder.{line}'))}</dt><dd>{html}</dd>"
        for line, html in lines.items()
    )
    return (
        f'<details class="way" data-way="{name}">'
        f"<summary>{escape(in_words(spec, say))}</summary>{drawing}"
        f"<div><p>{escape(text)}</p><dl>{listed}</dl>"
        "</div></details>"
    )


def title(spec: UnitSpec) -> str:
    """Name the paper's row, or say that there is none."""
    row = row_of(spec)
    return words()(f"row.{row}" if row else "builder.unnamed")


def card(name: str, spec: UnitSpec, result: Measured) -> str:
    """One unit as HTML: diagram, the paper's word on it, lines, numbers."""
    say = words()
    lines = {
        **code_lines(spec),
        "silent": silent_line(spec),
        "measured": escape(say("builder.numbers", **numbers(result))),
    }
    return unit_card(name, spec, title(spec), in_the_paper(spec), lines)


def code_lines(spec: UnitSpec) -> dict[str, str]:
    """Write a unit as an equation, as data and in two engines, as HTML."""
    return {
        "equation": equation(spec),
        "spec": breaking_code(spec_line(spec)),
        "numpy": breaking_code(numpy_line(spec)),
        "torch": breaking_code(torch_line(spec)),
    }


def breaking_code(line: str) -> str:
    """Write a line of code that a narrow page breaks behind parentheses."""
    return f"<code>{escape(line).replace('(', '(<wbr>')}</code>"


def in_the_paper(spec: UnitSpec) -> str:
    """Say the paper's figure and errors, or that nobody there has it."""
    say, row = words(), row_of(spec)
    if row is None:
        return say("builder.nobody")
    rows = [result for result in paper.results(2) if result.row == row]
    errors = [
        say(
            "builder.error",
            depth=result.depth,
            value=f"{result.error_pct:.2f}",
        )
        for result in rows
    ]
    return say(
        "builder.somebody",
        figure=rows[0].figure,
        name=title(spec),
        errors=say.join(errors),
    )


def numbers(result: Measured) -> dict[str, str]:
    """Format what the last unit receives and the first hears back."""
    say, ratio = words(), result.gradient[:, 0]
    share = result.open_share.mean()
    return {
        "signal": say.two_digits(np.median(result.signal[:, -1])),
        "gradient": say.two_digits(float(np.median(ratio))),
        "low": say.two_digits(ratio.min()),
        "high": say.two_digits(ratio.max()),
        "open": "–" if np.isnan(share) else f"{share:.2f}",
    }


def table(ways: dict[str, UnitSpec], results: dict[str, Measured]) -> Table:
    """All twelve, the smallest growth of the gradient first."""
    say = words()
    ordered = sorted(ways, key=lambda n: np.median(results[n].gradient[:, 0]))
    body = []
    for name in ordered:
        values = numbers(results[name])
        body.append(
            [
                str(ways[name]),
                title(ways[name]),
                values["signal"],
                say("builder.range", **values),
                values["open"],
            ]
        )
    columns = ("unit", "paper", "signal", "gradient", "open")
    head = [say(f"column.{column}") for column in columns]
    return Table(head, body, say("builder.all"))


def curve(values: Array) -> dict[str, list[float]]:
    """Median, least and greatest over the seeds, to three digits."""
    parts = {
        "median": np.median(values, axis=0),
        "low": values.min(axis=0),
        "high": values.max(axis=0),
    }
    return {
        name: [float(f"{v:.3g}") for v in part] for name, part in parts.items()
    }


def ticks(values: list[Array]) -> list[float]:
    """Ticks of a logarithmic axis that holds all values, at most nine."""
    low = min(v.min() for v in values)
    high = max(v.max() for v in values)
    scales = [sorted(m * 10.0**k for k in range(-12, 13) for m in (1.0, 3.0))]
    scales += [[10.0**k for k in range(-12, 13, by)] for by in (1, 2, 3)]
    for marks in scales:
        first = max(mark for mark in marks if mark <= low)
        last = min(mark for mark in marks if mark >= high)
        inside = [mark for mark in marks if first <= mark <= last]
        if len(inside) < 10:
            break
    return [float(f"{mark:.0e}") for mark in inside]


def builder_data(
    ways: dict[str, UnitSpec], results: dict[str, Measured]
) -> dict[str, object]:
    """What `builder.js` reads: words, curves, and axes that never move."""
    say = words()
    own = {word: say.table[f"builder.{word}"] for word in OWN_WORDS}
    shared = {
        quantity: say(f"figure.{quantity}")
        for quantity in ("signal", "gradient", "depth")
    } | {"colon": say("punctuation.colon")}
    curves = {}
    for name, spec in ways.items():
        row = row_of(spec)
        curves[name] = {
            "name": title(spec),
            "unit": str(spec),
            "named": row is not None,
            "color": color_of(row) if row else "currentColor",
            "signal": curve(results[name].signal),
            "gradient": curve(results[name].gradient),
        }
    return {
        "choice": "places",
        "words": own | shared,
        "ways": curves,
        "ghost": key(TABLE_2[GHOST]),
        "start": key(TABLE_2["original"]),
        "ticks": {
            "signal": ticks([r.signal for r in results.values()]),
            "gradient": ticks([r.gradient for r in results.values()]),
        },
    }
