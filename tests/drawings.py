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
