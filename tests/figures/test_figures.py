import itertools
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from preact.book.gradient.figures import direct_term
from preact.book.why.figures import error_by_rate
from preact.figures import (
    Picture,
    Table,
    network_table,
    signal_and_gradient,
    unit_diagram,
)
from preact.figures.svg import slim
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
from preact.strings import LANGUAGES, Strings
from sampled import sampled

SVG = "{http://www.w3.org/2000/svg}"
BACKGROUNDS = {"light": "#ffffff", "dark": "#14181e"}


def curves(strings):
    depths = [10, 20]
    measured = {
        row: np.array([[1.0, 0.9], [1.1, 1.0]])
        for row in ("original", "full-preactivation")
    }
    return direct_term(depths, measured, np.array([0.26, 0.19]), strings)


def profiles(strings):
    values = {row: np.array([4.0, 2.0, 1.0]) for row in TABLE_2}
    return signal_and_gradient(values, values, strings)


def unit(strings, row="full-preactivation", depth=20, convs=2, index=1, **kw):
    plan = cifar_plan(ROWS[row], depth=depth, convs=convs, **kw)
    return unit_diagram(plan.units[index], strings, "title")


def test_a_picture_tells_its_alternative_text_once_for_each_panel():
    strings = Strings("en")
    one, two = unit(strings), unit(strings, "original")
    assert one.alt != two.alt
    assert (one + two + one).alt == f"{one.alt}\n{two.alt}"
    wide_and_narrow = profiles(strings)
    assert len(wide_and_narrow.panels) == 2
    assert "\n" not in wide_and_narrow.alt


@pytest.mark.parametrize("alt", ["a & b", "λ < 1, “so”", '"so"'])
def test_an_alternative_text_is_what_was_given(alt):
    tree = ET.fromstring(f"<svg xmlns='{SVG.strip('{}')}'/>")
    assert Picture.of(slim(ET.tostring(tree, "unicode")), alt).alt == alt


def boxes(picture):
    (svg,) = picture.panels
    return [t.text for t in ET.fromstring(svg).iter(f"{SVG}text") if t.text]


def test_a_diagram_shows_exactly_the_layers_of_the_plan():
    for row in [*TABLE_2, *CONTROLS]:
        strings = Strings("en")
        plan = cifar_plan(ROWS[row], depth=20, convs=2)
        for index in (0, 1, 3):
            drawn = boxes(unit(strings, row, index=index))
            planned = [str(v) for p in plan.units[index].paths for v in p]
            shown = [
                word for word in drawn if word not in ("title", "x") and word
            ]
            assert sorted(shown) == sorted(planned)


def test_a_diagram_names_the_factor_on_the_shortcut():
    strings = Strings("en")
    assert "× 0.5" in boxes(unit(strings, "constant-scaling-0.5-1"))
    drawn = boxes(unit(strings, "exclusive-gating-b-6"))
    assert {"× 1 − g(x)", "× g(x)"} <= set(drawn)


def test_only_an_identity_shortcut_is_drawn_as_one():
    strings = Strings("en")
    assert 'class="identity"' in unit(strings).panels[0]
    for picture in (
        unit(strings, index=0),  # shares BN and ReLU
        unit(strings, index=3),  # zero-pads
        unit(strings, "dropout-shortcut"),
        unit(strings, conventions=Conventions(projection="conv"), index=3),
    ):
        assert 'class="identity"' not in picture.panels[0]


@pytest.mark.parametrize("language", [*sampled(LANGUAGES, len(LANGUAGES))])
@pytest.mark.parametrize("draw", [curves, profiles, unit])
def test_a_picture_is_inline_svg_with_alternative_text(draw, language):
    strings = Strings(language)
    for svg in draw(strings).panels:
        root = ET.fromstring(svg)
        assert root.get("role") == "img"
        assert len(root.get("aria-label")) > 20
        assert "<image" not in svg
        assert "#010101" not in svg
        assert "currentColor" in svg or 'class="wire"' in svg


@pytest.mark.parametrize("draw", [curves, profiles, unit])
def test_equal_input_gives_equal_bytes(draw):
    strings = Strings("zh-Hant")
    assert draw(strings).panels == draw(strings).panels


def test_labels_are_text_in_the_pages_language():
    for language, word in (("en", "units"), ("zh-Hans", "单元")):
        svg = curves(Strings(language)).panels[0]
        texts = " ".join(ET.fromstring(svg).itertext())
        assert word in texts


@pytest.mark.parametrize("first", range(0, len(TABLE_1), 8))
def test_every_row_of_table_1_can_be_drawn(first):
    rows = list(TABLE_1)[first : first + 8]  # a legend of all has no room
    errors = {row: np.array([[4.0, 2.0]]) for row in rows}
    picture = error_by_rate([0.1, 0.01], errors, Strings("en"))
    names = {row_name(row, Strings("en")) for row in rows}
    assert len(names) == len(rows)
    texts = set(ET.fromstring(picture.panels[0]).itertext())
    assert names <= texts


def test_ids_of_two_pictures_never_meet():
    strings = Strings("en")
    first, second = (
        set(re.findall(r'\bid="([^"]+)"', draw(strings).panels[0]))
        for draw in (curves, unit)
    )
    assert first
    assert second
    assert not first & second


def test_every_color_stands_out_on_both_pages():
    for row in [*COLORS, "mine", "a unit of my own"]:
        for page in BACKGROUNDS:
            ground = luminance(BACKGROUNDS[page])
            dark, light = sorted((luminance(color_of(row)), ground))
            assert (light + 0.05) / (dark + 0.05) >= 3.0


def test_luminance_is_that_of_the_standard():
    assert luminance("#ffffff") == pytest.approx(1.0)
    assert luminance("#000000") == 0.0
    assert luminance("#808080") == pytest.approx(0.2159, abs=1e-4)


def test_every_row_has_its_own_color_and_marker():
    assert set(COLORS) == set(MARKERS) == set(ROWS)
    assert len(set(COLORS.values())) == len(COLORS)
    assert len(set(MARKERS.values())) == len(MARKERS)


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


def family(row):
    return next((name for name in FAMILIES if row.startswith(name)), row)


def test_kinds_of_table_1_are_told_apart_at_a_glance():
    for one in TABLE_1:
        for other in TABLE_1:
            if family(one) < family(other):
                assert difference(COLORS[one], COLORS[other]) > 11, (
                    one,
                    other,
                )


def test_neighboring_biases_of_a_gate_differ_visibly():
    for name in FAMILIES:
        colors = [COLORS[f"{name}-b{bias}"] for bias in GATE_BIASES]
        for one, other in itertools.pairwise(colors):
            assert difference(one, other) > 4


def test_a_sentence_that_begins_with_a_number_is_no_number():
    reasons = ["4 biases in all, which a BN behind takes away", "none"]
    table = Table(["errors", "why"], [["3.2", r] for r in reasons], "")
    html = table._repr_html_()
    assert html.count('<td class="words">') == 2
    assert html.count("<td>3.2</td>") == 2


def test_a_setting_and_a_spread_are_on_one_line():
    html = Table(["a"], [["gate, b = −1"], ["3.2 ± 0.1"]], "")._repr_html_()
    assert "gate, b\xa0=\xa0−1" in html
    assert "3.2 ±\xa00.1" in html


def test_the_network_table_prints_counts():
    plans = {
        "ResNet-1001": cifar_plan(
            TABLE_2["full-preactivation"], depth=1001, convs=3
        )
    }
    html = network_table(plans, Strings("en"))._repr_html_()
    assert "<td>10,327,706</td><td>1,487.85\xa0M</td>" in html


def test_the_final_bn_control_is_drawn_below_the_last_unit():
    plan = cifar_plan(
        TABLE_2["original"],
        depth=20,
        convs=2,
        conventions=Conventions(tail=(BN,)),
    )
    picture = unit_diagram(
        plan.units[-1],
        Strings("en"),
        "last",
        tail=plan.tail,
        head=plan.classifier,
    )
    assert boxes(picture)[-2:] == ["BN", "linear"]


@pytest.mark.parametrize("draw", [curves, profiles])
def test_what_is_wider_than_a_phone_is_also_drawn_for_one(draw):
    wide, narrow = map(ET.fromstring, draw(Strings("en")).panels)
    room = 328  # the text column of a phone of 360 pixels
    assert wide.get("class") == "wide"
    assert float(wide.get("viewBox").split()[2]) * 4 / 3 > room
    assert narrow.get("class") == "narrow"
    assert float(narrow.get("viewBox").split()[2]) * 4 / 3 < room
    assert "display:none" in narrow.get("style")  # without the page's sheet
    sizes = {
        float(size)
        for panel in (wide, narrow)
        for text in panel.iter(f"{SVG}text")
        for size in re.findall(
            r"font(?:-size)?:[^;]*?([\d.]+)px", text.get("style", "")
        )
    }
    assert min(sizes) * 4 / 3 > 11


def test_every_curve_of_five_can_be_told_without_color():
    svg = profiles(Strings("en")).panels[0]
    shapes = set(re.findall(r'<path id="[^"]+" d="([^"]+)"', svg))
    assert len(shapes) >= len(TABLE_2)


def test_an_index_stands_below_its_letter():
    text = next(
        text
        for text in ET.fromstring(profiles(Strings("en")).panels[0]).iter(
            f"{SVG}text"
        )
        if "signal" in (text.text or "")
    )
    assert "".join(text.itertext()) == "signal: rms of xl"
    assert [piece.text for piece in text][:2] == ["x", "l"]
