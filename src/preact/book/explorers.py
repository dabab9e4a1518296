"""Explorers that answer without a kernel.

`stepper` is plain HTML over measured pictures, alive in Jupyter and on the
page. `mount` hands a script of the page its data; where no script runs, what
was measured stays.
"""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from preact.book.page import words
from preact.book.widget import Work, view
from preact.figures import Picture
from preact.figures.variants import color_of, row_name
from preact.plan import stack_plan
from preact.spec import CONTROLS, TABLE_2, UnitSpec

ROWS = {**TABLE_2, **CONTROLS}
MINUS = re.compile(r"^-(?=\d)")


class Html:
    """Markup that a cell shows as it is, and plain words for a terminal."""

    def __init__(self, markup: str, plain: str = "") -> None:
        self.markup, self.plain = markup, plain

    def _repr_html_(self) -> str:
        return self.markup

    def __repr__(self) -> str:
        return self.plain or object.__repr__(self)


class Explorer(Html):
    """An explorer: alive on a page, and as a widget in a notebook."""

    work: Work | None = None

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return view(self.markup, self.work)


def mount(
    name: str, title: str, data: object, inside: str, plain: str = ""
) -> Explorer:
    """Return the element in which a script of the page puts an explorer.

    The script finds `preact-<name>` and reads `data-<name>`, `data` as JSON
    has it. The title is for those who hear the page; the HTML `inside` stays
    where no script runs; `plain` is that of `Html`.
    """
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # in single quotes, where JSON's own need no escape of six letters
    packed = escape(packed, quote=False).replace("'", "&#39;")
    return Explorer(
        f'<div class="preact-explorer preact-{name}" role="group" '
        f'aria-label="{escape(title, quote=True)}" '
        f"data-{name}='{packed}'>{inside}</div>",
        plain,
    )


def stepper(
    label: str, frames: Mapping[str, Picture], start: str, below: str = ""
) -> Html:
    """Step through measured pictures with a slider.

    Parameters
    ----------
    label : str
        What the slider changes.
    frames : mapping
        Its value, as shown, to a picture.
    start : str
        The value at first.
    below : str
        HTML below all pictures, such as a legend.

    Raises
    ------
    ValueError
        If `start` is none of the values.

    Examples
    --------
    >>> from preact import cifar_plan
    >>> from preact.book import setup, stepper
    >>> from preact.figures import unit_diagram
    >>> strings, frames = setup("en"), {}
    >>> for row in ("original", "full-preactivation"):
    ...     unit = cifar_plan(row, depth=11, convs=3).units[0]
    ...     frames[row] = unit_diagram(unit, strings, row)
    >>> slider = stepper("unit", frames, start="original")  # a cell shows it
    >>> slider.markup.count("<svg")
    2
    """
    first = list(frames).index(start)
    shown = [MINUS.sub("−", value) for value in frames]
    pictures = "".join(
        f"<div data-frame{'' if i == first else ' hidden'}>"
        f"{frame._repr_html_()}</div>"
        for i, frame in enumerate(frames.values())
    )
    controls = slider("frame", label, shown, first)
    return Html(
        f'<div class="preact-explorer"><div class="controls">{controls}</div>'
        f"{pictures}{below}</div>"
    )


def slider(kind: str, label: str, values: Sequence[str], first: int) -> str:
    """A slider that shows one of the parts of a kind, `data-<kind>`.

    Where others hold such parts, one in each of these. The handler lives in
    the attribute: it also works where a notebook shows the markup but runs no
    script element. In JupyterLab a slider's keys are not the notebook's.
    """
    show = (
        "const keys=JSON.parse(this.dataset.keys),now=keys[this.value];"
        "this.nextElementSibling.textContent=now;"
        "this.setAttribute('aria-valuetext',now);"
        "this.closest('.preact-explorer').querySelectorAll("
        f"'[data-{kind}]').forEach((part,i)=>"
        "{part.hidden=i%keys.length!=this.value;});"
    )
    return (
        f"<label>{escape(label)} "
        f'<input type="range" min="0" max="{len(values) - 1}" value="{first}" '
        f'data-of="{kind}" '
        f'data-keys="{escape(json.dumps(values), quote=True)}" '
        f'aria-label="{escape(label, quote=True)}" '
        f'aria-valuetext="{escape(values[first], quote=True)}" '
        f'onkeydown="event.stopPropagation()" oninput="{show}">'
        f"<output>{escape(values[first])}</output></label>"
    )


def engine_rows(**own: UnitSpec | str) -> dict[str, dict[str, Any]]:
    """Say the rows, and own units, as `book/scripts/stack.js` reads them."""
    say, rows = words(), {}
    for row, spec in {**ROWS, **own}.items():
        plan = stack_plan(spec, units=1, width=1)
        rows[row] = {
            "name": row_name(row, say),
            "color": color_of(row),
            "stem": [str(layer) for layer in plan.stem],
            "spec": {
                place: [str(op) for op in getattr(plan.spec, place)]
                for place in ("pre", "post", "after")
            },
        }
    return rows
