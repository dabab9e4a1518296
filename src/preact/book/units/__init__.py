"""The twelve units of one BN and one ReLU: built by the reader, and measured.

The page's script only shows and hides what is made here. Where no script runs,
all twelve stay, and a table of what was measured.

Chapter `04-units`.
"""

from html import escape
from typing import Any

import numpy as np

from preact import paper
from preact.book.explorers import Html, mount
from preact.book.page import section, words
from preact.book.placements import (
    BATCH,
    PLACES,
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
from preact.spec import BN, TABLE_2, UnitSpec

BOTH = ("signal", "gradient")


def growth_by_place_of_bn() -> dict[str, float]:
    """Growth of the gradient in the units that have their BN in one place.

    By label: over its four units the median of the median over the seeds.
    """
    growth = {}
    for place in PLACES:
        units = [u for u in twelve_units().values() if BN in getattr(u, place)]
        medians = [np.median(measure(unit).gradient[:, 0]) for unit in units]
        growth[f"place_{place}"] = float(np.median(medians))
    return growth


def unit_builder() -> Html:
    """Let the reader place one BN and one ReLU, and see what comes of it."""
    say, ways = words(), twelve_units()
    results = {name: measure(spec) for name, spec in ways.items()}
    cards = "".join(
        card(name, spec, results[name]) for name, spec in ways.items()
    )
    scope = say(
        "builder.scope", units=UNITS, width=WIDTH, batch=BATCH, seeds=SEEDS
    )
    data = {
        "words": section("builder")
        | {"colon": say("punctuation.colon")}
        | {word: say(f"figure.{word}") for word in (*BOTH, "depth")},
        "ways": {
            name: way(spec, results[name]) for name, spec in ways.items()
        },
        "ghost": key(TABLE_2["full-preactivation"]),
        "start": key(TABLE_2["original"]),
        "ticks": {
            q: ticks([getattr(result, q) for result in results.values()])
            for q in BOTH
        },
    }
    return mount(
        "builder",
        say("builder.title"),
        data,
        f'<div class="cards">{cards}</div>'
        f'<p class="note">{escape(scope)}</p>'
        f'<details class="all" open><summary>{escape(say("builder.all"))}'
        f"</summary>{table(ways, results)._repr_html_()}</details>",
    )


def title(spec: UnitSpec) -> str:
    """Name the paper's row, or say that there is none."""
    row = row_of(spec)
    return words()(f"row.{row}" if row else "builder.unnamed")


def card(name: str, spec: UnitSpec, result: Measured) -> str:
    """One unit as HTML: diagram, the paper's word on it, lines, numbers."""
    say = words()
    lines = {
        "equation": equation(spec),
        "spec": breaking_code(spec_line(spec)),
        "numpy": breaking_code(numpy_line(spec)),
        "torch": breaking_code(torch_line(spec)),
        "silent": silent_line(spec),
        "measured": escape(say("builder.numbers", **numbers(result))),
    }
    unit = cifar_plan(spec, depth=20, convs=2).units[1]
    drawing = unit_diagram(unit, say, title(spec))._repr_html_()
    listed = "".join(
        f"<dt>{escape(say(f'builder.{line}'))}</dt><dd>{html}</dd>"
        for line, html in lines.items()
    )
    return (
        f'<details class="way" data-way="{name}">'
        f"<summary>{escape(in_words(spec, say))}</summary>{drawing}"
        f"<div><p>{escape(in_the_paper(spec))}</p><dl>{listed}</dl>"
        "</div></details>"
    )


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


def way(spec: UnitSpec, result: Measured) -> dict[str, Any]:
    """One unit as the page's script reads it."""
    row = row_of(spec)
    return {
        "name": title(spec),
        "unit": str(spec),
        "named": row is not None,
        "color": color_of(row) if row else "currentColor",
    } | {q: curve(getattr(result, q)) for q in BOTH}


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
