"""One look for all pictures: sizes, fonts, and the way into the page."""

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from preact.figures import svg
from preact.figures.series import COLUMNS, Series, table
from preact.figures.svg import INK

PAPER_GREY = "#808080"  # the paper's own values

MM = 1 / 25.4  # inches
RC: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "preact",
    "savefig.transparent": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": PAPER_GREY,
    "grid.alpha": 0.25,
    "font.size": 10,
    "axes.titlesize": 10,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
} | dict.fromkeys(
    (
        "text.color",
        "axes.edgecolor",
        "axes.labelcolor",
        "axes.titlecolor",
        "xtick.color",
        "ytick.color",
    ),
    INK,
)


@dataclass(frozen=True)
class Picture:
    """Panels of inline SVG with their alternative texts and numbers.

    Parameters
    ----------
    panels : tuple of str
        An SVG for each panel; one wider than a phone has a second for phones.
    series : tuple of Series
        The numbers that they show, see `preact.figures.series`: in the markup,
        where the page finds them.

    Examples
    --------
    >>> from preact import cifar_plan
    >>> from preact.figures import unit_diagram
    >>> from preact.strings import Strings
    >>> unit = cifar_plan("original", depth=11, convs=3).units[0]
    >>> picture = unit_diagram(unit, Strings("en"), "original")
    >>> picture  # a cell of a notebook that ends in it shows it
    Picture(1 panels)
    >>> picture.alt[:36]
    'Diagram of a residual unit, original'
    """

    panels: tuple[str, ...]
    series: tuple[Series, ...] = ()

    @classmethod
    def of(cls, tree: ET.Element, alt: str) -> "Picture":
        """Give a slim tree, changed in place, its `alt` and its own ids."""
        svg.name_apart(tree, svg.write(tree) + alt)
        tree.attrib = {"role": "img", "aria-label": alt} | tree.attrib
        return cls((svg.write(tree),))

    @property
    def alt(self) -> str:
        """The alternative texts of the panels, a line each, none twice."""
        trees = map(ET.fromstring, self.panels)
        texts = (tree.attrib["aria-label"] for tree in trees)
        return "\n".join(dict.fromkeys(texts))

    def __add__(self, other: "Picture") -> "Picture":
        """Stand side by side; on a narrow page, one below the other."""
        return Picture(self.panels + other.panels, self.series + other.series)

    def _repr_html_(self) -> str:
        panels = "".join(self.panels)
        return f'<div class="preact-figure">{panels}{self._numbers()}</div>'

    def _numbers(self) -> str:
        """Hold the series as CSV; its columns are named by the page."""
        if not self.series:
            return ""
        text = table(self.series, {name: f"@{name}" for name in COLUMNS})
        return f'<script type="text/csv">{escape(text)}</script>'

    def __repr__(self) -> str:
        return f"Picture({len(self.panels)} panels)"


@contextmanager
def quiet() -> Iterator[None]:
    """Keep matplotlib from telling of fonts that only a browser has."""
    names = ("matplotlib.font_manager", "matplotlib.mathtext")
    levels = [(log, log.level) for log in map(logging.getLogger, names)]
    for log, _ in levels:
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for log, level in levels:
            log.setLevel(level)


def written(figure: Figure, alt: str, width: str) -> Picture:
    """Write a figure as it is; without a style sheet the narrow one hides."""
    text, canvas, dpi = io.StringIO(), figure.canvas, figure.dpi
    try:
        with warnings.catch_warnings(), mpl.rc_context(RC):
            # Text stays text: the reader's browser has the glyphs.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            # `savefig` would draw twice, once to lay out: so does a draw
            drawing: Any = FigureCanvasSVG(figure)  # matplotlib has no types
            drawing.print_svg(text, metadata={"Date": None})
    finally:
        figure.set_canvas(canvas)
        figure.dpi = dpi
    tree = svg.slim(text.getvalue())
    svg.set_indices(tree)
    svg.raise_exponents(tree)
    # The page decides the width; height follows from the view box.
    points = float(tree.attrib.pop("width").removesuffix("pt"))
    del tree.attrib["height"]
    hidden = "display:none;" if width == "narrow" else ""
    tree.set("class", width)
    tree.set("style", f"{hidden}width:{points * 4 / 3:.0f}px")
    return Picture.of(tree, alt)
