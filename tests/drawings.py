"""What an SVG looks like in gray: its curves, and its areas."""

import re
from collections import defaultdict

GLYPH = re.compile(r"M[\d. -]+(m[^M]+)")
NONE = {"", "none"}


def styles(node):
    """Attributes of a node, and what its style says."""
    pairs = re.findall(r"([\w-]+):\s*([^;]+)", node.get("style", ""))
    return node.attrib | dict(pairs)


def placed(root):
    """Every node with its panel: the clip path of the nearest group."""
    waiting = [(root, "")]
    while waiting:
        node, panel = waiting.pop()
        panel = node.get("clip-path", panel)
        yield panel, node
        waiting += [(child, panel) for child in node]


def looks(root):
    """What curves and markers look like: panel to color to looks, and rows.

    A marker that stands in a row of its own, beside its name, is told by it.
    """
    by_id = {node.get("id"): node for node in root.iter() if node.get("id")}
    seen = defaultdict(lambda: defaultdict(set))
    rows = defaultdict(lambda: defaultdict(list))
    for panel, node in placed(root):
        style = styles(node)
        tag = node.tag.rpartition("}")[2]
        if tag == "use":
            marker = by_id[node.get("href", "").removeprefix("#")]
            hollow = styles(marker).get("fill", "") == "none"
            color = style.get("stroke") or style.get("fill", "currentColor")
            seen[panel][color].add((marker.get("d"), hollow))
            rows[panel][color].append(float(node.get("y")))
        elif tag == "path" and (glyph := GLYPH.match(node.get("d", ""))):
            look = glyph[1], style.get("fill") == "none"
            seen[panel][style.get("stroke")].add(look)
        elif tag == "path" and style.get("fill") == "none":
            color = style.get("stroke", "")
            if color in NONE | {"#808080"}:  # the grid's
                continue
            keys = ("stroke-dasharray", "stroke-width", "stroke-opacity")
            seen[panel][color].add(tuple(style.get(key, "") for key in keys))
            rows[panel][color] += [-1e9, 1e9]
    return seen, rows


def alike(root):
    """Pairs of colors of one panel whose curves look the same in gray."""
    seen, rows = looks(root)
    pairs = []
    for panel, colors in seen.items():
        for one in colors:
            for other in colors:
                if one < other and colors[one] == colors[other]:
                    a, b = rows[panel][one], rows[panel][other]
                    apart = a and b and (max(a) < min(b) or max(b) < min(a))
                    if not apart:
                        pairs.append((panel, one, other))
    return pairs


BOX = re.compile(r"M([\d.]+) ([\d.]+)H([\d.]+)v([\d.]+)H[\d.]+z")


def at(root, x, y):
    """Fills of the boxes that hold a point, each with its opacity."""
    fills = []
    for node in root.iter("{http://www.w3.org/2000/svg}path"):
        for left, top, right, high in BOX.findall(node.get("d", "")):
            inside = 0 <= y - float(top) < float(high)
            if inside and float(left) <= x < float(right):
                opacity = float(node.get("fill-opacity", 1))
                fills.append((node.get("fill"), opacity))
    return fills


def gray(fills, ground):
    """Lightness, 0 to 1, of colors that lie upon each other on a ground."""
    tone = ground
    for fill, opacity in fills:
        if fill.startswith("url("):
            continue
        own = 1 - ground
        if fill != "currentColor":
            red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
            own = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
        tone += opacity * (own - tone)
    return tone
