"""One name, color and marker a row; diagrams of units."""

import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from preact.figures import unit_diagram
from preact.figures.variants import (
    COLORS,
    FAMILIES,
    MARKERS,
    color_of,
    luminance,
    marked,
    row_name,
)
from preact.plan import Conventions, cifar_plan
from preact.spec import BN, CONTROLS, ROWS, TABLE_1, TABLE_2
from preact.spec.tables import GATE_BIASES
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
    assert 'class="identity"' in unit().panels[0]
    for picture in (
        unit(index=0),  # shares BN and ReLU
        unit(index=3),  # zero-pads
        unit("dropout-shortcut"),
        unit(index=3, projection="conv"),
    ):
        assert 'class="identity"' not in picture.panels[0]


def test_the_final_bn_control_is_drawn_below_the_last_unit():
    conventions = Conventions(tail=(BN,))
    plan = cifar_plan("original", depth=20, convs=2, conventions=conventions)
    last, tail = plan.units[-1], plan.tail
    picture = unit_diagram(last, SAY, "last", tail=tail, head=plan.classifier)
    assert [w for w in boxes(picture) if w][-2:] == ["BN", "linear"]


def test_every_row_has_its_own_name_color_and_marker():
    assert set(COLORS) == set(MARKERS) == set(ROWS)
    for values in (COLORS, MARKERS, {r: row_name(r, SAY) for r in ROWS}):
        assert len(set(values.values())) == len(values)


def test_every_color_stands_out_on_both_pages():
    for row in [*COLORS, "mine", "a unit of my own"]:
        for page in BACKGROUNDS.values():
            dark, light = sorted((luminance(color_of(row)), luminance(page)))
            assert (light + 0.05) / (dark + 0.05) >= 3.0


def test_luminance_is_that_of_the_standard():
    assert luminance("#ffffff") == pytest.approx(1.0)
    assert luminance("#000000") == 0.0
    assert luminance("#808080") == pytest.approx(0.2159, abs=1e-4)


def test_no_line_strikes_out_the_digit_of_a_gate():
    on_curves = {marked(f"{kind}-b-6")["marker"] for kind in FAMILIES}
    assert len(on_curves) == len(FAMILIES)
    assert not on_curves & set(MARKERS.values())


def difference(one, other):
    """How far apart two colors look: CIE 1976, in units of 2.3 just seen."""
    return np.linalg.norm(lab(one) - lab(other))


def lab(color):
    rgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(
        rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4
    )
    xyz = [
        [0.4124, 0.3576, 0.1805],
        [0.2126, 0.7152, 0.0722],
        [0.0193, 0.1192, 0.9505],
    ] @ linear
    f = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array(
        [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    )


def test_kinds_of_table_1_and_neighboring_biases_are_told_apart():
    def family(row):
        return next((name for name in FAMILIES if row.startswith(name)), row)

    for one, other in itertools.product(TABLE_1, repeat=2):
        if family(one) < family(other):
            apart = difference(COLORS[one], COLORS[other])
            assert apart > 11, (one, other)
    for name in FAMILIES:
        colors = [COLORS[f"{name}-b{bias}"] for bias in GATE_BIASES]
        for one, other in itertools.pairwise(colors):
            assert difference(one, other) > 4
