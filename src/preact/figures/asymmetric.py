"""Fig. 5: one activation after the addition, for both paths or for one.

Drawn by hand: what it shows is no unit but where one is cut from the next.
"""

from html import escape

from preact.figures import svg
from preact.figures.style import Picture
from preact.figures.units import FILL, Pen
from preact.plan import ReLU
from preact.strings import Strings

TRUNK, BRANCH, WIDTH, TOP = 50, 132, 190, 44
PITCH = 190  # from one addition to the next
KINDS = {  # what a panel is called, and how it is told in words
    "fig_symmetric": "alt_fig_symmetric",
    "fig_asymmetric": "alt_fig_asymmetric",
    "fig_regrouped": "alt_fig_regrouped",
}


def three_of_figure_5(strings: Strings) -> Picture:
    """Draw Fig. 5(a), (b) and (c): two additions and what lies between.

    Examples
    --------
    >>> from preact.figures import three_of_figure_5
    >>> from preact.strings import Strings
    >>> picture = three_of_figure_5(Strings("en"))
    >>> picture
    Picture(3 panels)
    >>> picture.alt.splitlines()[0][:40]
    'Fig. 5(a): the activation stands on the '
    """
    parts = Picture(())
    for letter, (kind, words) in zip("abc", KINDS.items(), strict=True):
        title = strings(f"activations.{kind}", letter=letter)
        drawing = _panel(kind, title)
        alt = strings(f"activations.{words}", letter=letter)
        parts += Picture.of(svg.slim(drawing), alt)
    return parts


def _panel(kind: str, title: str) -> str:
    """One of the three; the activation and the cut make the difference."""
    pen = Pen()
    pen.text(WIDTH / 2, 14, escape(title), "title")
    foot = TOP + PITCH
    own = kind != "fig_symmetric"
    for y in (TOP, foot):
        _plus(pen, y)
    split = TOP + (26 if own else 88)
    wire = "identity" if own else "wire"
    pen.line((TRUNK, 24), (TRUNK, TOP - 9), end=True)
    pen.line((BRANCH, 24), (BRANCH, TOP), (TRUNK + 9, TOP), end=True)
    pen.parts.append(
        f'<path class="{wire}" d="M{TRUNK} {TOP + 9}L{TRUNK} {foot - 9}" '
        'marker-end="url(#tip)"/>'
    )
    act = (BRANCH if own else TRUNK, TOP + 42, "f̂" if own else "f = ReLU")
    pen.line((TRUNK, split), (BRANCH, split), (BRANCH, TOP + 112), end=True)
    _box(pen, *act, FILL[ReLU])
    _box(pen, BRANCH, TOP + 112, "F", "#2a7fc1")
    pen.line((BRANCH, TOP + 138), (BRANCH, foot), (TRUNK + 9, foot), end=True)
    cut = TOP + 15 if kind == "fig_regrouped" else TOP + 100
    for y in (cut, cut + PITCH) if kind == "fig_regrouped" else (cut,):
        pen.parts.append(
            f'<path d="M4 {y}L{WIDTH - 4} {y}" stroke="currentColor" '
            'stroke-width="1" stroke-dasharray="5 4" fill="none"/>'
        )
    symbol = "x" if kind == "fig_regrouped" else "y"
    pen.text(TRUNK - 26, TOP + 30, symbol, "math")
    pen.line((TRUNK, foot + 9), (TRUNK, foot + 34), end=True)
    height = foot + 40
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" class="unit" '
        f'style="width:{WIDTH}px" xmlns="{svg.SVG}">'
        '<defs><marker id="tip" viewBox="0 0 6 6" refX="5.4" refY="3" '
        'markerUnits="userSpaceOnUse" markerWidth="8" markerHeight="8" '
        'orient="auto">'
        '<path d="M0 .6L6 3L0 5.4z" fill="currentColor"/></marker></defs>'
        + "".join(pen.parts)
        + "</svg>"
    )


def _plus(pen: Pen, y: float) -> None:
    """Draw an addition on the trunk."""
    pen.parts.append(f'<circle class="plus" cx="{TRUNK}" cy="{y}" r="9"/>')
    pen.line((TRUNK - 5, y), (TRUNK + 5, y))
    pen.line((TRUNK, y - 5), (TRUNK, y + 5))


def _box(pen: Pen, x: float, y: float, text: str, color: str) -> None:
    """Draw a box that hides the wire behind it."""
    for extra in (
        'class="page"',
        f'fill="{color}" fill-opacity=".2" stroke="{color}"',
    ):
        pen.parts.append(
            f'<rect x="{x - 33}" y="{y}" width="66" height="26" rx="4" '
            f"{extra}/>"
        )
    pen.text(x, y + 17, escape(text))
