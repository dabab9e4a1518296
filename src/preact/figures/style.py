"""One look for all pictures: colors, sizes, and the way into the page."""

import hashlib
import io
import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

INK = "#010101"  # used by nothing else; becomes currentColor
PAPER_GREY = "#808080"  # the paper's own values

# One color and marker for each variant through the whole book. Chosen for a
# contrast of at least 3:1 on the light and on the dark page, and told apart
# without color by their markers.
COLORS = {
    "original": "#d1591a",
    "bn-after-addition": "#b8569b",
    "relu-before-addition": "#a67c00",
    "relu-only-preactivation": "#1a936f",
    "full-preactivation": "#2a7fc1",
    "no-relu-after-addition": "#8a6fc9",
    "constant-scaling-0-1": "#8a7868",
}
MARKERS = {
    "original": "o",
    "bn-after-addition": "s",
    "relu-before-addition": "^",
    "relu-only-preactivation": "v",
    "full-preactivation": "D",
    "no-relu-after-addition": "P",
    "constant-scaling-0-1": "X",
}

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
    """One or more panels of inline SVG with their alternative texts."""

    panels: tuple[str, ...]

    @classmethod
    def of(cls, svg: str, alt: str) -> "Picture":
        """Wrap one SVG, give it its alternative text and unmistakable ids."""
        salt = hashlib.sha256((svg + alt).encode()).hexdigest()[:8]
        svg = re.sub(r'\bid="', f'id="{salt}-', svg)
        svg = re.sub(r"url\(#", f"url(#{salt}-", svg)
        svg = re.sub(r'href="#', f'href="#{salt}-', svg)
        label = escape(alt, quote=True)
        return cls(
            (svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1),)
        )

    def __add__(self, other: "Picture") -> "Picture":
        """Stand side by side; on a narrow page, one below the other."""
        return Picture(self.panels + other.panels)

    def _repr_html_(self) -> str:
        return f'<div class="preact-figure">{"".join(self.panels)}</div>'

    def __repr__(self) -> str:
        return f"Picture({len(self.panels)} panels)"


@contextmanager
def axes(
    width_mm: float, height_mm: float, columns: int = 1
) -> Iterator[tuple[Figure, Any]]:
    """Give a new (figure, axes) and our style, without pyplot's state."""
    with mpl.rc_context(RC):
        figure = Figure(
            figsize=(width_mm * MM, height_mm * MM), layout="constrained"
        )
        yield figure, figure.subplots(1, columns)


def picture(figure: Figure, alt: str) -> Picture:
    """Turn a matplotlib figure into inline SVG; equal input, equal bytes."""
    text = io.StringIO()
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), mpl.rc_context(RC):
            # Text stays text: the reader's browser has the glyphs.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            figure.savefig(text, format="svg", metadata={"Date": None})
    finally:
        logger.setLevel(level)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = slim(svg)
    # The page decides the width; height follows from the view box.
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(
        r'(<svg[^>]*?) width="([\d.]+)pt"',
        lambda m: f'{m[1]} style="width:{float(m[2]) * 4 / 3:.0f}px"',
        svg,
        count=1,
    )
    return Picture.of(svg, alt)


def slim(svg: str) -> str:
    """Say the same in half the bytes, in the page's font."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r" ?font-family: [^;\"]*;?", "", svg)
    svg = svg.replace("fill: currentColor; ", "").replace(
        "; fill: currentColor", ""
    )
    svg = svg.replace("<svg ", '<svg fill="currentColor" ', 1)
    svg = re.sub(r"stroke-linecap: square|stroke-linejoin: miter", "", svg)
    svg = re.sub(r'(?:; )+"', '"', svg).replace(": ", ":").replace("; ", ";")
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)  # a hundredth of a point
    svg = re.sub(r' transform="rotate\(-?0 [^"]*"', "", svg)
    used = set(re.findall(r"#([\w-]+)", svg))
    svg = re.sub(
        r' id="([\w-]+)"', lambda m: m[0] if m[1] in used else "", svg
    )
    return re.sub(r">\s+<", "><", re.sub(r"\s+", " ", svg))
