"""Figures as the pages have them: in gray, with targets, in their language."""

import re
import xml.etree.ElementTree as ET

from built import CHAPTERS, EVERY_LANGUAGE, html
from drawings import alike, placed
from preact.figures.variants import COLORS

ROWS = {color: row for row, color in COLORS.items()}


def drawings(language):
    """Parse every drawing of the chapters' figures; yield page, drawing."""
    for name in CHAPTERS:
        page = html(f"{language}/{name}")
        for text in re.findall(r'<svg [^>]*role="img".*?</svg>', page, re.S):
            yield name, ET.fromstring(text)


def kind(color):
    """A gate's curves have the shape of their kind, whatever its bias."""
    return ROWS.get(color, color).partition("-b")[0]


def test_no_two_curves_of_a_panel_differ_by_color_alone():
    pairs = [
        (name, one, other)
        for name, drawing in drawings("en")
        for _, one, other in alike(drawing)
        if kind(one) != kind(other)
    ]
    assert pairs == []


@EVERY_LANGUAGE
def test_a_drawing_has_its_targets_and_the_percent_sign_of_its_language(
    language,
):
    found = [*drawings(language)]
    assert len(found) > 30
    for name, drawing in found:
        markup = ET.tostring(drawing, "unicode")
        wanted = {*re.findall(r'(?:url\(|href=")#([^")]+)', markup)}
        assert {*re.findall(r' id="([^"]+)"', markup)} == wanted, name
        assert len(drawing.get("aria-label")) > 10
        if language != "en":
            for _, node in placed(drawing):
                assert not re.search(r"\d\s%", node.text or ""), name
