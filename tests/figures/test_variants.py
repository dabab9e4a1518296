"""One name, color and marker a row; diagrams of units."""

import xml.etree.ElementTree as ET

from preact.figures import unit_diagram
from preact.figures.units import IDENTITY
from preact.figures.variants import (
    COLORS,
    MARKERS,
    color_of,
    luminance,
    row_name,
)
from preact.plan import Conventions, cifar_plan
from preact.spec import CONTROLS, ROWS, TABLE_2
from preact.strings import Strings

SAY = Strings("en")
BACKGROUNDS = {"light": "#ffffff", "dark": "#14181e"}


def unit(row="full-preactivation", index=1, **conventions):
    plan = cifar_plan(
        ROWS[row], depth=20, convs=2, conventions=Conventions(**conventions)
    )
    return unit_diagram(plan.units[index], SAY, "title")


def boxes(picture):
    (svg,) = picture.panels
    return [t.text for t in ET.fromstring(svg).iter() if "text" in t.tag]


def test_a_diagram_shows_exactly_the_layers_of_the_plan():
    for row in [*TABLE_2, *CONTROLS]:
        plan = cifar_plan(ROWS[row], depth=20, convs=2)
        for index in (0, 1, 3):
            planned = [str(v) for p in plan.units[index].paths for v in p]
            drawn = [w for w in boxes(unit(row, index)) if w]
            shown = [w for w in drawn if w not in ("title", "x")]
            assert sorted(shown) == sorted(planned)


def test_a_diagram_names_the_factor_on_the_shortcut():
    assert "× 0.5" in boxes(unit("constant-scaling-0.5-1"))
    drawn = boxes(unit("exclusive-gating-b-6"))
    assert {"× 1 − g(x)", "× g(x)"} <= set(drawn)


def test_only_an_identity_shortcut_is_drawn_as_one():
    assert IDENTITY in unit().panels[0]
    for picture in (
        unit(index=0),  # shares BN and ReLU
        unit(index=3),  # zero-pads
        unit("dropout-shortcut"),
        unit(index=3, projection="conv"),
    ):
        assert IDENTITY not in picture.panels[0]


def test_every_row_has_its_own_name_color_and_marker():
    assert set(COLORS) == set(MARKERS) == set(ROWS)
    for values in (COLORS, MARKERS, {r: row_name(r, SAY) for r in ROWS}):
        assert len(set(values.values())) == len(values)


def test_the_bias_of_a_gate_has_a_minus_and_may_be_unknown():
    assert row_name("exclusive-gating-b-6", SAY) == "exclusive gating, bias −6"
    assert row_name("exclusive-gating", SAY) == "exclusive gating, bias ?"


def test_every_color_stands_out_on_both_pages():
    for row in [*COLORS, "mine", "a unit of my own"]:
        for page in BACKGROUNDS.values():
            dark, light = sorted((luminance(color_of(row)), luminance(page)))
            assert (light + 0.05) / (dark + 0.05) >= 3.0
