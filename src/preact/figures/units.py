"""Unit diagrams, drawn from the plan by the walk that builds the network.

A diagram can only be wrong where the network is.
"""

import re
from html import escape
from xml.etree import ElementTree as ET

from preact.figures import svg
from preact.figures.style import Picture
from preact.figures.variants import written
from preact.plan import BatchNorm, Conv, Layer, Linear, ReLU, UnitPlan
from preact.spec import Conv1x1, Scale
from preact.strings import Strings

TITLE = 24  # letters in a line of a title
BOX, GAP = 22, 11  # height of a box, length of an arrow between two
TRUNK, BRANCH, WIDTH = 42, 128, 182  # x of both paths, width of a panel
FILL = {Conv: "#2a7fc1", BatchNorm: "#1a936f", ReLU: "#d1591a"}
WIRE = 'fill="none" stroke="currentColor" stroke-width="1.2"'
IDENTITY = 'fill="none" stroke="#2a7fc1" stroke-width="3.2"'
PAGE = 'style="fill:var(--pst-color-background,#fff)"'
TEXT = ""
TITLE_TEXT = 'font-size="12" font-weight="600"'
MATH_TEXT = 'font-size="14" font-style="italic"'


class Pen:
    """Collects SVG elements and remembers how far down it has come."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def line(
        self,
        *points: tuple[float, float],
        end: bool = False,
        look: str = WIRE,
    ) -> None:
        """Draw a path, with an arrow head at its end on demand."""
        d = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        head = ' marker-end="url(#tip)"' if end else ""
        self.parts.append(f'<path d="{d}" {look}{head}/>')

    def text(self, x: float, y: float, markup: str, look: str = TEXT) -> None:
        """Write centered text."""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" {look}>{markup}</text>')

    def plus(self, x: float, y: float) -> None:
        """Draw an addition."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="9" {WIRE}/>')
        self.line((x - 5, y), (x + 5, y))
        self.line((x, y - 5), (x, y + 5))

    def box(self, x: float, y: float, layer: Layer) -> float:
        """Draw one layer centered at x with its top at y; return its foot."""
        color = FILL.get(type(layer), "#808080")
        w = width_of_box(layer)
        self.parts.append(
            f'<rect x="{x - w / 2:g}" y="{y:g}" width="{w:g}" height="{BOX}" '
            f'rx="4" fill="{color}" fill-opacity=".2" stroke="{color}"/>'
        )
        self.text(x, y + BOX / 2 + 4, escape(str(layer)))
        return y + BOX

    def column(self, x: float, y: float, layers: tuple[Layer, ...]) -> float:
        """Draw layers downward from y, a wire before each; return the foot."""
        for layer in layers:
            self.line((x, y), (x, y + GAP), end=True)
            y = self.box(x, y + GAP, layer)
        return y

    def drawing(self, width: int, height: float) -> ET.Element:
        """Return what was drawn; it needs no style sheet."""
        return svg.slim(
            f'<svg viewBox="0 0 {width} {height:g}" font-size="11" '
            f'text-anchor="middle" style="width:{width}px" '
            f'xmlns="{svg.SVG}">'
            '<defs><marker id="tip" viewBox="0 0 6 6" refX="5.4" refY="3" '
            'markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" '
            'orient="auto">'
            '<path d="M0 .6L6 3L0 5.4z" fill="currentColor"/></marker></defs>'
            + "".join(self.parts)
            + "</svg>"
        )


def width_of_box(layer: Layer) -> float:
    """Return how wide a box is that its words do not touch."""
    return max(66, 14 + 5.8 * len(str(layer)))


def unit_diagram(
    plan: UnitPlan,
    strings: Strings,
    title: str,
    *,
    tail: tuple[Layer, ...] = (),
    head: Linear | None = None,
) -> Picture:
    """Draw one unit as in Fig. 4: shortcut on the left, branch on the right.

    Parameters
    ----------
    plan : UnitPlan
        The unit.
    strings : Strings
        Language of the alternative text.
    title : str
        Printed above the diagram.
    tail, head : layers, optional
        What follows the network's last unit, drawn below it.

    Examples
    --------
    >>> from preact import cifar_plan
    >>> from preact.figures import unit_diagram
    >>> from preact.strings import Strings
    >>> unit = cifar_plan("full-preactivation", depth=20, convs=2).units[1]
    >>> diagram = unit_diagram(unit, Strings("en"), "Fig. 4(e)")
    >>> diagram.alt.split(". ")[-2:]
    ['Shortcut: identity', 'After the addition: nothing.']
    """
    pen = Pen()
    lines = _wrap(title)
    for i, words in enumerate(lines):
        pen.text(WIDTH / 2, 14 + 15 * i, escape(words), TITLE_TEXT)
    y = 14.0 + 15 * (len(lines) - 1) + 20
    pen.text(TRUNK, y, _symbol("x", "l"), MATH_TEXT)
    y += 7
    shared = plan.pre if plan.tap == "after pre" else ()
    y = pen.column(TRUNK, y, shared) + GAP
    pen.line((TRUNK, y - GAP), (TRUNK, y))
    pen.line((TRUNK, y), (BRANCH, y), (BRANCH, y + GAP), end=True)
    own = () if shared else plan.pre
    branch = (*own, *plan.weights, *plan.post)
    foot = pen.column(BRANCH, y, branch)
    plus = foot + GAP + 9
    _shortcut(pen, plan, y, plus)
    pen.line((BRANCH, foot), (BRANCH, plus), (TRUNK + 9, plus), end=True)
    if plan.spec.on_branch != Scale(1.0):
        _factor(pen, BRANCH - 26, plus, written(plan.spec.on_branch))
    pen.plus(TRUNK, plus)
    y = pen.column(TRUNK, plus + 9, plan.after)
    y = pen.column(TRUNK, y, (*tail, head) if head else tail)
    pen.line((TRUNK, y), (TRUNK, y + GAP), end=True)
    if not head:
        pen.text(TRUNK, y + GAP + 15, _symbol("x", "l+1"), MATH_TEXT)
    height = y + GAP + (24 if not head else 6)
    drawing = pen.drawing(WIDTH, height)
    return Picture.of(drawing, _alt(plan, strings, title))


def _shortcut(pen: Pen, plan: UnitPlan, top: float, plus: float) -> None:
    """Draw h and its factor between the split and the addition."""
    look = IDENTITY if _is_identity(plan) else WIRE
    pen.line((TRUNK, top), (TRUNK, plus - 9), end=True, look=look)
    pen.parts.append(f'<circle cx="{TRUNK}" cy="{top:g}" r="2.5"/>')
    y = (top + plus) / 2 - (BOX + GAP) * len(plan.shortcut) / 2
    for layer in plan.shortcut:
        w = width_of_box(layer)
        pen.parts.append(
            f'<rect {PAGE} x="{TRUNK - w / 2:g}" y="{y:g}" '
            f'width="{w:g}" height="{BOX}" rx="4"/>'
        )
        y = pen.box(TRUNK, y, layer) + GAP
    factor = plan.spec.on_shortcut
    if factor != Scale(1.0) and not isinstance(factor, Conv1x1):
        _factor(pen, TRUNK, plus - 40, written(factor))


def _factor(pen: Pen, x: float, y: float, text: str) -> None:
    """Write a factor over a wire."""
    label = f"× {text}"
    w = 9 + 5.7 * len(label)
    x = max(x, w / 2 + 1)  # a long one would leave the panel
    pen.parts.append(
        f'<rect {PAGE} x="{x - w / 2:g}" y="{y - 10:g}" width="{w:g}" '
        'height="20" rx="10" stroke="currentColor"/>'
    )
    pen.text(x, y + 4, escape(label))


def _is_identity(plan: UnitPlan) -> bool:
    """Whether h(x) = x, so that the grey arrow of Fig. 1 is unimpeded."""
    return (
        plan.projection is None
        and plan.spec.on_shortcut == Scale(1.0)
        and plan.tap == "before pre"
    )


def _symbol(letter: str, index: str) -> str:
    """A letter with its subscript."""
    return f'{letter}<tspan dy="4" font-size="10">{index}</tspan>'


def _wrap(title: str) -> list[str]:
    """Break a long title after spaces and slashes, but not around "=".

    Chinese counts double.
    """
    lines, room = [""], TITLE
    for piece in re.split(r"(?<=[ /])(?<!= )(?!= )", title):
        word = piece.rstrip(" ")
        size = sum(2 if ord(c) > 0x2E80 else 1 for c in word)
        if lines[-1] and size + 1 > room:
            lines.append("")
            room = TITLE
        lines[-1] += piece
        room -= size + 1
    return [line.strip(" ") for line in lines]


def _alt(plan: UnitPlan, strings: Strings, title: str) -> str:
    """Say in words what the diagram shows."""
    shortcut = {
        None: strings("unit.identity"),
        "pad": strings("unit.pad"),
        "conv": strings("unit.projection"),
        "conv BN": strings("unit.projection_bn"),
    }[plan.projection]
    factor = plan.spec.on_shortcut
    parts = [shortcut]
    if plan.tap == "after pre":
        ops = " ".join(map(str, plan.pre))
        parts.insert(0, strings("unit.shared", ops=ops))
    if factor != Scale(1.0) and not isinstance(factor, Conv1x1):
        parts.append(strings("unit.times", factor=factor))
    own = plan.pre if plan.tap == "before pre" else ()
    branch = (*own, *plan.weights, *plan.post)
    return strings(
        "unit.alt",
        title=title,
        branch=" ".join(map(str, branch)),
        shortcut=strings.join(parts),
        after=" ".join(map(str, plan.after)) or strings("unit.nothing"),
    )
