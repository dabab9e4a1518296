"""A network in training, unit by unit, and panels that others fill.

Drawn by hand, as the cover is: a stepper holds dozens of these. A row is known
by its marker, and a final BN by dashes and a hollow one.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact.figures import svg
from preact.figures.chart import Array
from preact.figures.series import Series
from preact.figures.style import Picture
from preact.figures.variants import arm_name, color_of, marker_of
from preact.strings import RAISED, Strings

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 300, 216, 46, 15, 26, 36
FINAL_BN = "+final-bn"
MARKED = 4  # places of a curve that have its marker
GLYPHS = {  # matplotlib's markers, drawn from their middle
    "o": "m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0",
    "s": "m-3-3h6v6h-6z",
    "^": "m0-4l3.6 6.5h-7.2z",
    "v": "m0 4l3.6-6.5h-7.2z",
    "D": "m0-4l4 4l-4 4l-4-4z",
    "P": "m-1.2-3.6h2.4v2.4h2.4v2.4h-2.4v2.4h-2.4v-2.4h-2.4v-2.4h2.4z",
}


class Quantity(NamedTuple):
    """What a panel shows; `ticks` are its axis, powers of ten if `log`."""

    name: str
    ticks: tuple[float, ...]
    log: bool


class Across(NamedTuple):
    """A horizontal axis: its name, and what stands where, from 0 to 1."""

    label: str
    ticks: Sequence[tuple[float, str]]


def over_runs(values: Array) -> Array:
    """Least, median and greatest over the runs, the first axis: (3, ...)."""
    return np.array([f(values, axis=0) for f in (np.min, np.median, np.max)])


def panels(
    quantities: Sequence[Quantity],
    arms: Mapping[str, Mapping[str, Array]],
    ghosts: Mapping[str, Mapping[str, Array]],
    units: int,
    alt: str,
    strings: Strings,
) -> Picture:
    """Draw a panel for each quantity; the first has the alternative text.

    An arm, and a pale ghost of it, has (3, points) numbers by quantity.
    """
    drawn, series = [], []
    ticks = [(k / 3, str(round(units * k / 3))) for k in range(4)]  # stages
    across = Across(strings("figure.depth"), ticks)
    for place, quantity in enumerate(quantities):
        curves, title = [], strings(f"training.{quantity.name}")
        for arm, moment in ghosts.items():
            curves.append(
                line(moment[quantity.name][1], quantity, arm, ghost=True)
            )
        for i, (arm, moment) in enumerate(arms.items()):
            low, median, high = moment[quantity.name]
            curves.append(_band(low, high, quantity, arm))
            curves.append(line(median, quantity, arm))
            curves.append(markers(median, quantity, arm, i / len(arms)))
        for arm, moment in (*ghosts.items(), *arms.items()):
            values, name = moment[quantity.name], arm_name(arm, strings)
            if ghosts.get(arm) is moment:
                name = strings("figure.at_start", name=name)
            at = np.linspace(0, units, values.shape[1])
            series.append(noted(title, name, at, values, across))
        words = alt if place == 0 else title
        drawn.append(panel(quantity, title, across, curves, words))
    return Picture(tuple(drawn), tuple(series))


def noted(
    title: str, name: str, at: Array, values: Array, across: Across
) -> Series:
    """Note a curve's least, median and greatest values, (3, n)."""
    low, median, high = values.tolist()
    axes = (across.label, title)
    return Series(title, name, at.tolist(), median, low, high, axes)


def by_unit(
    profiles: Sequence[Any], third: str, most: int | None = None
) -> list[Array]:
    """Least, median and greatest signal, gradient and a third, by unit.

    The gradient is relative to that at the last unit; of more than `most`
    units evenly spaced ones are taken.
    """
    signal, gradient, other = (
        np.array([getattr(p, name) for p in profiles], dtype=np.float64)
        for name in ("signal_rms", "gradient_norm", third)
    )
    gradient = gradient / gradient[:, -1:]
    last = signal.shape[1] - 1
    at = np.linspace(0, last, min(most or last + 1, last + 1)).round()
    at = np.unique(at).astype(int)
    return [over_runs(v[:, at]) for v in (signal, gradient, np.abs(other))]


def legend(lines: Mapping[str, str]) -> str:
    """List arms, each with its color and marker: arm to what is said of it."""
    items = [
        f"<li>{_key(arm)} {escape(said)}</li>" for arm, said in lines.items()
    ]
    return f'<ul class="preact-arms">{"".join(items)}</ul>'


def _key(arm: str) -> str:
    """A piece of an arm's curve, for a legend."""
    dash = ' stroke-dasharray="5 3"' if arm.endswith(FINAL_BN) else ""
    return (
        '<svg viewBox="0 0 30 12" width="30" height="12" aria-hidden="true">'
        f'<path d="M0 6H30" stroke="{_color(arm)}" stroke-width="2"{dash}/>'
        f"{_glyphs(arm, ['15 6'])}</svg>"
    )


def _color(arm: str) -> str:
    return color_of(arm.removesuffix(FINAL_BN))


def _place(
    values: Array,
    quantity: Quantity,
    digits: int = 1,
    places: Array | None = None,
) -> list[str]:
    """Points of a curve; what lies beyond the axis is drawn on its edge."""
    x, y = _where(values, quantity, places)
    if np.ptp(y) < 0.5:  # a flat curve has two ends
        x, y = x[[0, -1]], y[[0, -1]]
    return [f"{a:.0f} {b:.{digits}f}" for a, b in zip(x, y, strict=True)]


def _where(
    values: Array, quantity: Quantity, places: Array | None
) -> tuple[Array, Array]:
    """Where values stand, evenly spaced if their places are not given."""
    share = np.linspace(0, 1, len(values)) if places is None else places
    with np.errstate(divide="ignore"):
        heights = np.log10(values) if quantity.log else values
    heights = np.clip(heights, quantity.ticks[0], quantity.ticks[-1])
    return LEFT + (WIDTH - LEFT - RIGHT) * share, _height(heights, quantity)


def _height(tick: Any, quantity: Quantity) -> Any:
    """Return where a number of the axis stands, from the top."""
    first, last = quantity.ticks[0], quantity.ticks[-1]
    share = (tick - first) / (last - first)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def line(
    values: Array,
    quantity: Quantity,
    arm: str,
    *,
    ghost: bool = False,
    places: Array | None = None,
) -> str:
    """Draw a curve; a ghost is broad and pale."""
    style = 'stroke-width="5" stroke-opacity="0.2"' if ghost else ""
    style = style or 'stroke-width="2"'
    if arm.endswith(FINAL_BN):
        style += ' stroke-dasharray="5 3"'
    points = "L".join(_place(values, quantity, places=places))
    return f'<path d="M{points}" fill="none" stroke="{_color(arm)}" {style}/>'


def markers(
    values: Array,
    quantity: Quantity,
    arm: str,
    share: float,
    places: Array | None = None,
) -> str:
    """Mark a curve at a few places, `share` of the way to the next."""
    marks = (np.arange(MARKED) + 0.3 + 0.6 * share) / MARKED
    at = np.unique(np.rint(marks * (len(values) - 1)).astype(int))
    x, y = _where(values, quantity, places)
    return _glyphs(arm, [f"{x[i]:.0f} {y[i]:.1f}" for i in at])


def _glyphs(arm: str, points: Sequence[str]) -> str:
    """Draw an arm's marker at each point."""
    color, row = _color(arm), arm.removesuffix(FINAL_BN)
    glyph = GLYPHS.get(marker_of(row), GLYPHS["o"])
    fill = "none" if arm.endswith(FINAL_BN) else color
    marks = "".join(f"M{point}{glyph}" for point in points)
    return f'<path d="{marks}" fill="{fill}" stroke="{color}"/>'


def _band(low: Array, high: Array, quantity: Quantity, arm: str) -> str:
    """Between the least and the greatest run; nothing where all agree."""
    if np.array_equal(low, high):
        return ""
    # to a pixel: what is shaded has no line
    around = _place(low, quantity, 0) + _place(high, quantity, 0)[::-1]
    return (
        f'<path d="M{"L".join(around)}Z" fill="{_color(arm)}" '
        'fill-opacity="0.2"/>'
    )


def panel(
    quantity: Quantity,
    title: str,
    across: Across,
    curves: Sequence[str],
    alt: str,
) -> str:
    """One panel; the axes never move."""
    parts = [text(2, 14, title)]
    for tick in quantity.ticks:
        y = _height(tick, quantity)
        parts.append(
            f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#808080" '
            'stroke-opacity="0.3"/>'
        )
        power = "1" if tick == 0 else f"10{str(tick).translate(RAISED)}"
        shown = power if quantity.log else f"{tick:g}"
        parts.append(text(LEFT - 6, y + 4, shown, anchor="end"))
    for place, shown in across.ticks:
        x = LEFT + (WIDTH - LEFT - RIGHT) * place
        parts.append(text(x, HEIGHT - BOTTOM + 16, shown, anchor="middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(text(middle, HEIGHT - 4, across.label, anchor="middle"))
    return (
        f'<svg xmlns="{svg.SVG}" role="img" '
        f'aria-label="{escape(alt, quote=True)}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" fill="currentColor" '
        f'style="width:{WIDTH}px;font-size:12px">'
        f'<g class="axes">{"".join(parts)}</g>{"".join(curves)}</svg>'
    )


def text(
    x: float, y: float, words: str, style: str = "", anchor: str = "start"
) -> str:
    """Write words, with an index where they have one."""
    more = f' style="{style}"' if style else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>'
        f"{svg.with_indices(words)}</text>"
    )
