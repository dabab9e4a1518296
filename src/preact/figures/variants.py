"""One name, color and marker for each variant, through the whole book.

Every color has a contrast of at least 3:1 on the light and on the dark page,
and pictures can be read without color, by their markers. The eleven biases of
a gate are a family: neighboring hues, and the bias itself as the marker, in a
ring where the gate is on the shortcut alone. A curve would strike a digit out:
there a gate has the shape of its family.
"""

import colorsys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from zlib import crc32

from preact.spec import ROWS, Conv1x1, Dropout, Gated, Scale, UnitSpec
from preact.spec.tables import GATE_BIASES
from preact.spec.unit import OnShortcut
from preact.strings import Strings

COLORS = {
    "original": "#d1591a",
    "bn-after-addition": "#b8569b",
    "relu-before-addition": "#a67c00",
    "relu-only-preactivation": "#1a936f",
    "full-preactivation": "#2a7fc1",
    "no-relu-after-addition": "#8a6fc9",
    "constant-scaling-0-1": "#8a7868",
    "constant-scaling-0.5-1": "#a9713b",
    "constant-scaling-0.5-0.5": "#8c8a3c",
    "conv1x1-shortcut": "#d04f5f",
    "dropout-shortcut": "#5f7f99",
}
MARKERS = {
    "original": "o",
    "bn-after-addition": "s",
    "relu-before-addition": "^",
    "relu-only-preactivation": "v",
    "full-preactivation": "D",
    "no-relu-after-addition": "P",
    "constant-scaling-0-1": "X",
    "constant-scaling-0.5-1": "<",
    "constant-scaling-0.5-0.5": ">",
    "conv1x1-shortcut": "h",
    "dropout-shortcut": "*",
}
BORROWED = {  # a transformer looks like a unit with its norm in that place
    "post-ln": "bn-after-addition",
    "pre-ln": "full-preactivation",
    "peri-ln": "relu-only-preactivation",
    "zero-init": "relu-before-addition",
    "deepnorm": "original",
    "free": "original",
    "stochastic": "full-preactivation",
}
FAMILIES = {  # hue of bias 0 and of bias -10, in degrees
    "exclusive-gating": (345, 265),
    "shortcut-only-gating": (95, 195),
}
SHAPES = {"exclusive-gating": "d", "shortcut-only-gating": "p"}  # on curves
LIGHTEST, DARKEST = 0.28, 0.135  # luminance that stands out on both pages
OWN_LUMINANCE = 0.2
RINGED = "⓪①②③④⑤⑥⑦⑧⑨⑩"
OWN_MARKERS = "p8d|_1234"
STROKES = "+x|_1234"  # markers without a face


def row_name(row: str, strings: Strings) -> str:
    """Name a row; gates by their kind and bias, an unknown one as it is.

    A kind alone is a gate at a bias that the paper did not search.
    """
    for kind in FAMILIES:
        if row == kind or (row in ROWS and row.startswith(kind)):
            bias = row.removeprefix(kind).removeprefix("-b") or "?"
            return strings(f"row.{kind}", bias=bias.replace("-", "−"))
    key = f"row.{row}"
    return strings(key) if key in strings.table else row


def arm_name(arm: str, strings: Strings) -> str:
    """Name an arm: a row of the tables, or a row and its tail.

    Parameters
    ----------
    arm : str
        Name of a row, or a row and "+final-bn" or "+empty-tail".
    strings : Strings
        The words of the page's language.

    Examples
    --------
    >>> from preact.figures import arm_name
    >>> from preact.strings import Strings
    >>> arm_name("original+final-bn", Strings("en"))
    'original + final BN'
    """
    row, _, tail = arm.partition("+")
    name = row_name(row, strings)
    if tail == "empty-tail":
        return name + strings("figure.with_empty_tail")
    return name + strings("figure.with_final_bn") if tail else name


def in_words(spec: UnitSpec, strings: Strings) -> str:
    """Write a unit as `str` does, its factors as the page would.

    They are in the page's language, and a minus is not a hyphen.

    Examples
    --------
    >>> from preact.figures.variants import in_words
    >>> from preact.spec import TABLE_1
    >>> from preact.strings import Strings
    >>> in_words(TABLE_1["constant-scaling-0.5-1"], Strings("zh-Hant"))
    'conv BN ReLU conv BN (+) ReLU，捷徑上為 0.5'
    """
    one = Scale(1.0)
    parts = [str(replace(spec, on_shortcut=one, on_branch=one))]
    gate = spec.on_shortcut
    if gate != one:
        factor = _factor(gate, strings)
        parts.append(strings("spec.on_shortcut", factor=factor))
    if spec.on_branch != one:
        factor = _factor(spec.on_branch, strings)
        parts.append(strings("spec.on_branch", factor=factor))
    if isinstance(gate, Gated):
        bias = strings.number(gate.bias, "g")
        parts.append(strings("spec.bias", bias=bias))
        if gate.design != "conv1x1":
            parts.append(strings("spec.design", design=gate.design))
    return strings("punctuation.comma").join(parts)


def _factor(factor: OnShortcut, strings: Strings) -> str:
    """Write a factor; a number or a gate is the same in all languages."""
    if isinstance(factor, Conv1x1):
        return strings("spec.conv")
    if isinstance(factor, Dropout):
        return strings("spec.dropout", rate=f"{factor.rate:g}")
    return written(factor)


def written(factor: OnShortcut) -> str:
    """Write a factor as `str` does, with a minus that is no hyphen."""
    return str(factor).replace("1-g", "1 − g")


def values_by_row(strings: Strings, values: Mapping[str, float | str]) -> str:
    """List one value for each row in words, or as it is written."""
    each = [
        (row_name(row, strings), v if isinstance(v, str) else f"{v:.3g}")
        for row, v in values.items()
    ]
    return strings.join(
        [strings("alt.per_row", value=v, row=name) for name, v in each]
    )


def color_of(row: str) -> str:
    """Color of a row; a unit of one's own has what its name gives it."""
    row = BORROWED.get(row, row)
    if row in COLORS:
        return COLORS[row]
    return shade(float(crc32(row.encode()) % 360), OWN_LUMINANCE)


def marker_of(row: str) -> str:
    """Marker of a row, likewise."""
    row = BORROWED.get(row, row)
    if row in MARKERS:
        return MARKERS[row]
    return OWN_MARKERS[crc32(row.encode()) % len(OWN_MARKERS)]


def alone(row: str) -> dict[str, Any]:
    """Color and marker of a row's only point; what a ring holds is smaller."""
    marker = marker_of(row)
    size = 10 if marker.strip("$") in RINGED else 7
    return {"color": color_of(row), "marker": marker, "ms": size, "mew": 0.4}


def marked(
    row: str, place: tuple[int, int] | None = None, *, hollow: bool = False
) -> dict[str, Any]:
    """Color and marker of a row's curve.

    Parameters
    ----------
    row : str
        Name of the row.
    place : (int, int), optional
        Which curve of how many: their markers, a few each, do not meet.
    hollow : bool
        Of two curves of one row, the other one.
    """
    kind = next(filter(row.startswith, SHAPES), None)
    marker = SHAPES[kind] if kind else marker_of(row)
    style: dict[str, Any] = {"color": color_of(row), "marker": marker}
    filled = marker not in STROKES and not hollow
    style["mew"] = 0.4 if filled else 1.2  # strokes alone are thin
    if hollow:
        style["mfc"] = "none"
    if place:
        style["markevery"] = (0.12 * place[0] / place[1], 0.12)
    return style | {"ms": 5}


def luminance(color: str) -> float:
    """Return the relative luminance of "#rrggbb", by WCAG 2."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in channels
    )
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def shade(hue: float, wanted: float) -> str:
    """Return the color of a hue in degrees that has a luminance."""
    low, high = 0.0, 1.0
    for _ in range(20):  # a bisection; lighter is more luminous
        lightness = (low + high) / 2
        rgb = colorsys.hls_to_rgb(hue / 360, lightness, 0.6)
        color = "#" + "".join(f"{round(255 * c):02x}" for c in rgb)
        low, high = (
            (lightness, high)
            if luminance(color) < wanted
            else (low, lightness)
        )
    return color


for _family, (_first, _last) in FAMILIES.items():
    for _i, _bias in enumerate(GATE_BIASES):
        _share = _i / (len(GATE_BIASES) - 1)
        COLORS[f"{_family}-b{_bias}"] = shade(
            _first + (_last - _first) * _share,
            LIGHTEST + (DARKEST - LIGHTEST) * _share,
        )
        _digit = str(-_bias)
        if _family == "shortcut-only-gating":
            _digit = RINGED[-_bias]
        MARKERS[f"{_family}-b{_bias}"] = f"${_digit}$"
