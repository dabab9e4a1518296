"""What the unit builder is made of: cards with diagram and code, curves, axes.

The page's script only shows and hides what is made here.
"""

from collections.abc import Mapping
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact.book.page import words
from preact.book.placements import equation, numpy_line, spec_line, torch_line
from preact.figures import unit_diagram
from preact.figures.variants import in_words
from preact.plan import cifar_plan
from preact.reference.caches import Array
from preact.spec import UnitSpec


class Way(NamedTuple):
    """A unit in the page: what it is called, and its (seeds, L + 1) curves."""

    name: str
    unit: str
    named: bool
    color: str
    signal: Array
    gradient: Array


def unit_card(
    name: str, spec: UnitSpec, title: str, text: str, lines: Mapping[str, str]
) -> str:
    """One unit as HTML: diagram below its title, a sentence, and lines.

    The script calls it by its name; the lines are HTML by a key of the words
    `builder`.
    """
    say = words()
    unit = cifar_plan(spec, depth=20, convs=2).units[1]
    drawing = unit_diagram(unit, say, title)._repr_html_()
    names = {line: say(f"builder.{line}") for line in lines}
    listed = "".join(
        f"<dt>{escape(names[line])}</dt><dd>{html}</dd>"
        for line, html in lines.items()
    )
    return (
        f'<details class="way" data-way="{name}">'
        f"<summary>{escape(in_words(spec, say))}</summary>{drawing}"
        f"<div><p>{escape(text)}</p><dl>{listed}</dl>"
        "</div></details>"
    )


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


def builder_data(
    own: Mapping[str, str],
    ways: Mapping[str, Way],
    ghost: str,
    start: str,
) -> dict[str, Any]:
    """What `explorer.js` reads: words, curves, and axes that never move.

    The unit `ghost` is always in sight, `start` the one that is chosen first.
    """
    say, both = words(), ("signal", "gradient")
    return {
        "words": {**own, **{q: say(f"figure.{q}") for q in (*both, "depth")}},
        "ways": {
            name: way._asdict() | {q: curve(getattr(way, q)) for q in both}
            for name, way in ways.items()
        },
        "ghost": ghost,
        "start": start,
        "ticks": {
            q: ticks([getattr(way, q) for way in ways.values()]) for q in both
        },
    }


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
