"""SVG that says the same in half the bytes, and never touches a text.

What is rewritten is a node or an attribute of the parsed tree: coordinates,
styles, ids. Text, and whatever attribute is not named here, passes as it is.
"""

import hashlib
import re
from xml.etree import ElementTree as ET

SVG = "http://www.w3.org/2000/svg"
INK = "#010101"  # used by nothing else; becomes currentColor

# To a hundredth of a point, which no screen shows.
COORDINATES = {
    *("d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "points"),
    *("width", "height", "viewBox", "transform"),
}
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
# The page has a font, and the root an ink and joins, which all inherit.
INHERITED = {
    ("fill", "currentColor"),
    ("stroke-linecap", "square"),
    ("stroke-linejoin", "miter"),
    ("stroke-dashoffset", "0"),
}
GRID = "stroke-opacity:0.25"  # of style.RC, and of nothing else
INDEX = re.compile(r"(?<![A-Za-z0-9])([A-Za-z])_([A-Za-z0-9])(?![A-Za-z0-9])")
POWER = re.compile(r"(?<=10)[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+$")
LINE = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "−0123456789")
REFERENCE = re.compile(r"(?<=url\(#)[^)]+|(?<=^#).+")


def slim(svg: str) -> ET.Element:
    """Parse SVG as matplotlib writes it, and drop what the page does not need.

    Without namespaces, which HTML has not, and groups that say nothing. What
    is no XML raises ElementTree's ParseError.
    """
    root = _without_namespaces(ET.fromstring(svg))
    for node in root.iter():
        for name, value in node.attrib.items():
            node.attrib[name] = _attribute(name, value)
        if node.get("transform", "").startswith(("rotate(0 ", "rotate(-0 ")):
            del node.attrib["transform"]
        if not node.get("style", "-"):
            del node.attrib["style"]
        if GRID in node.get("style", ""):  # it ends at the axes by itself
            node.attrib.pop("clip-path", None)
    targets = {
        target
        for node in root.iter()
        for name, value in node.attrib.items()
        if name != "aria-label"
        for target in REFERENCE.findall(value)
    }
    for node in root.iter():
        if node.get("id") not in targets:
            node.attrib.pop("id", None)
    _unwrap(root)
    root.set("fill", "currentColor")
    root.set("stroke-linejoin", "round")
    return root


def name_apart(root: ET.Element, salt: str) -> None:
    """Give each id of a slim tree a prefix, and each reference to it."""
    prefix = hashlib.sha256(salt.encode()).hexdigest()[:8] + "-"
    for node in root.iter():
        for name in ("id", "href", "clip-path", "marker-end", "fill"):
            value = node.get(name)
            if value is None or (name == "fill" and value.startswith("#")):
                continue  # a color is no reference
            if name == "id":
                node.set(name, prefix + value)
            else:
                node.set(name, REFERENCE.sub(rf"{prefix}\g<0>", value))


def set_indices(root: ET.Element) -> None:
    """Set "x_l" as a letter with an index: it is how a formula is read."""
    for text in list(root.iter("text")):
        parts = INDEX.split(text.text or "")
        if len(parts) == 1:
            continue
        text.text = parts[0]
        for letter, index, rest in zip(*[iter(parts[1:])] * 3, strict=True):
            slanted = ET.SubElement(text, "tspan", {"font-style": "italic"})
            slanted.text = letter
            low = ET.SubElement(
                text, "tspan", {"dy": ".25em", "font-size": "75%"}
            )
            low.text = index
            if rest:  # on the line again: 0.25 x 0.75
                back = ET.SubElement(text, "tspan", {"dy": "-.19em"})
                back.text = rest


def raise_exponents(root: ET.Element) -> None:
    """Set "10⁻⁴" as a formula is: small high digits of the page's font."""
    for text in root.iter("text"):
        if exponent := POWER.search(text.text or ""):
            high = ET.SubElement(
                text, "tspan", {"dy": "-.5em", "font-size": "70%"}
            )
            high.text = exponent[0].translate(LINE)
            text.text = exponent.string[: exponent.start()]


def with_indices(words: str) -> str:
    """Return words as markup, with what `set_indices` does to a tree."""
    text = ET.Element("text")
    text.text = words
    set_indices(text)
    return re.sub(r"^<text>|</text>$", "", ET.tostring(text, "unicode"))


def write(root: ET.Element) -> str:
    """Return a slim tree as text; equal trees, equal bytes."""
    root.set("xmlns", SVG)
    # ">" is escaped in texts and attributes, so this is the end of a tag
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")


def _without_namespaces(root: ET.Element) -> ET.Element:
    """Keep SVG's own elements, but the style sheet, and plain names."""
    for parent in root.iter():
        for child in list(parent):
            space, _, name = child.tag.rpartition("}")
            alien = space not in ("", f"{{{SVG}")
            if alien or name in ("metadata", "style"):
                parent.remove(child)
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
        for name in list(node.attrib):
            plain = name.rpartition("}")[2]
            if plain != name:
                node.attrib[plain] = node.attrib.pop(name)
    return root


def _attribute(name: str, value: str) -> str:
    """Shorten one attribute, if it is known what its value means."""
    if name == "style":
        return _style(value)
    if name not in COORDINATES:
        return value
    value = NUMBER.sub(lambda m: _short(m[0]), value)
    if name == "d":
        value = re.sub(r"\s*([A-Za-z])\s*", r"\1", value).strip()
    return value


def _style(value: str) -> str:
    """Shorten a list of CSS declarations."""
    kept = []
    for declaration in filter(str.strip, value.split(";")):
        name, text = map(str.strip, declaration.split(":", 1))
        text = text.replace(INK, "currentColor")
        if name != "font-family" and (name, text) not in INHERITED:
            kept.append(f"{name}:{NUMBER.sub(lambda m: _short(m[0]), text)}")
    return ";".join(kept)


def _short(number: str) -> str:
    """Round a decimal to two places, without zeros at its end."""
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _unwrap(node: ET.Element) -> None:
    """Drop blank space between elements, and groups without attributes."""
    if node.tag in ("text", "title", "desc"):
        return
    node.text = None
    children: list[ET.Element] = []
    for child in node:
        _unwrap(child)
        child.tail = None
        idle = child.tag == "g" or (child.tag == "defs" and not len(child))
        children += list(child) if idle and not child.attrib else [child]
    node[:] = children
