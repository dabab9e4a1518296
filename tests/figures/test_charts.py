"""Charts: read in gray, their numbers handed over, their words inside."""

import csv
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from every_figure import DRAWN
from handed import BOTH
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.text import Text

from drawings import alike, at, gray
from preact.book.cover import figures as cover
from preact.figures.chart import NAME, SLACK, Chart, draw
from preact.figures.lines import into_lines, width_of
from preact.figures.series import COLUMNS, table
from preact.strings import Strings
from sampled import sampled

SVG = "{http://www.w3.org/2000/svg}"
POWERS = np.arange(-14, 15) / 2
DECADES = cover.Course(10 ** POWERS[None], np.ones((1, 29)), 50.0)
ALL = DRAWN | {
    "depth_and_time": lambda say: cover.depth_and_time(
        {row: DECADES for row in BOTH}, [0], [9, 19], say
    ),
}
DIAGRAMS = {"row_key", "unit_diagram", "three_of_figure_5"}
CHARTS = sorted(ALL.keys() - DIAGRAMS)
WORDS = {name: name for name in COLUMNS}
pytestmark = pytest.mark.filterwarnings("ignore:Glyph .* missing")


def outside(figure):
    """Yield titles and names of axes that leave the drawing."""
    figure.draw_without_rendering()
    right, top = figure.bbox.width + 2, figure.bbox.height + 2
    for ax in figure.axes:
        titles = {ax.get_title(place) for place in ("left", "center", "right")}
        words = [t for t in ax.findobj(Text) if t.get_text() in titles]
        for text in (*words, ax.xaxis.label, ax.yaxis.label):
            box = text.get_window_extent()
            if text.get_text() and not (
                min(box.x0, box.y0) > -2 and box.x1 < right and box.y1 < top
            ):
                yield text.get_text()


@pytest.mark.parametrize("name", [*sampled(CHARTS, 8)])
def test_a_figure_hands_over_its_numbers_and_can_be_read_in_gray(
    name, monkeypatch
):
    """No two curves look alike without color, and no word leaves it."""
    left, write = [], FigureCanvasSVG.print_svg

    def noted(self, *arguments, **options):
        write(self, *arguments, **options)
        left.extend(outside(self.figure))

    monkeypatch.setattr(FigureCanvasSVG, "print_svg", noted)
    picture = ALL[name](Strings("en"))
    assert left == []
    for panel in picture.panels:
        assert alike(ET.fromstring(panel)) == []
    assert picture.series
    for one in picture.series:
        assert one.name
        assert len(one.x) == len(one.y) > 0
        assert {len(one.low), len(one.high)} <= {0, len(one.x)}
    lines = table(picture.series, WORDS).splitlines()
    assert len(lines) == 1 + sum(len(one.x) for one in picture.series)
    assert picture._repr_html_().count('<script type="text/csv">') == 1


def test_curves_that_differ_by_color_alone_would_be_found():
    def on(chart):
        (panel,) = chart.panels
        for y, color in (([1, 2], "#d1591a"), ([2, 1], "#2a7fc1")):
            panel.plot([0, 1], y, name=color, color=color)

    (panel,) = draw(on, (80, 60), "").panels
    assert len(alike(ET.fromstring(panel))) == 1


@pytest.mark.parametrize("panel", [0, 1, 2], ids=[*BOTH, "key"])
def test_on_gray_paper_the_map_tells_size_and_side(panel):
    """The darker against the paper, the further from 1; smaller is hatched."""
    root = ET.fromstring(ALL["depth_and_time"](Strings("en")).panels[panel])
    cell = cover.PLOT / len(POWERS)
    y = 26 if panel == 2 else cover.TOP + 5
    seen = [
        at(root, cover.LEFT + cell * (i + 0.5), y) for i in range(len(POWERS))
    ]
    colors = {fill for one in seen for fill, _ in one if "url" not in fill}
    assert colors == {cover.LOUD, cover.QUIET}
    hatched = ["url(" in "".join(fill for fill, _ in one) for one in seen]
    assert hatched == list(POWERS < 0)
    for ground in (0.99, 0.08):  # the light page and the dark one
        contrast = np.abs(np.array([gray(x, ground) for x in seen]) - ground)
        steps = np.diff(contrast)
        assert max(steps[POWERS[:-1] < 0]) < 0 < min(steps[POWERS[:-1] >= 0])


def test_what_is_plotted_is_noted_as_it_was_and_as_it_is_told():
    runs = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])

    def on(chart):
        (panel,) = chart.panels
        panel.seeds([1, 2, 4], runs / 7, name="</script>", color="#d1591a")
        panel.plot([1.0], [2.0], name="two", told=(["one"], None))
        panel.plot([1, 2, 4], runs, name="seeds")
        panel.ax.set(xlabel="l", title="a,\nb")

    picture = draw(on, (80, 60), "")
    rows = [*csv.DictReader(io.StringIO(table(picture.series, WORDS)))]
    got = {(r["series"], r["number"], r["l"]): r for r in rows}
    assert {r["panel"] for r in rows} == {"a, b"}
    line = got["</script>", "1", "2"]
    assert [float(line[c]) for c in ("a, b", "low", "high")] == [
        4 / 7,
        3 / 7,
        5 / 7,
    ]
    assert got["two", "1", "one"]["a, b"] == "2"
    assert got["seeds", "2", "4"]["a, b"] == "4"
    assert len(got) == 3 + 1 + 6
    assert picture._repr_html_().count("</script>") == 1


# ------------------------------------------------------------- for a phone
def phone(height, panels=1, function=lambda chart: None, **names):
    """Finish the drawing for a phone of panels with these names."""
    chart = Chart((140, height), panels, phone=True)
    function(chart)
    for panel in chart.panels:
        panel.ax.set(**names)
    chart.finish()
    return chart


def test_what_is_wider_than_a_phone_is_also_drawn_for_one():
    for name in ("direct_term", "signal_and_gradient"):
        wide, narrow = map(ET.fromstring, DRAWN[name](Strings("en")).panels)
        room = 328  # the text column of a phone of 360 pixels
        assert wide.get("class") == "wide"
        assert float(wide.get("viewBox").split()[2]) * 4 / 3 > room
        assert narrow.get("class") == "narrow"
        assert float(narrow.get("viewBox").split()[2]) * 4 / 3 < room
        assert "display:none" in narrow.get("style")  # without a sheet
        sizes = [
            float(size)
            for panel in (wide, narrow)
            for text in panel.iter(f"{SVG}text")
            for size in re.findall(
                r"font(?:-size)?:[^;]*?([\d.]+)px", text.get("style", "")
            )
        ]
        assert min(sizes) * 4 / 3 > 11


@pytest.mark.parametrize(
    "name",
    [
        "images a second, relative to eight GPUs",
        "每秒处理的图像数（以 8 块 GPU 为 1），取各次的中位数",
    ],
)
def test_a_vertical_name_breaks_only_where_it_is_longer_than_its_panel(name):
    for height, lines in ((60, 2), (220, 1)):
        ax = phone(height, ylabel=name).panels[0].ax
        shown = ax.yaxis.label.get_text().split("\n")
        assert (len(shown) > 1) == (lines > 1)
        assert "".join("".join(shown).split()) == "".join(name.split())
        assert lines == 1 or max(map(width_of, shown)) <= NAME + SLACK


def test_a_title_breaks_before_a_chinese_bracket():
    name = "第一个单元处的梯度（最后一个单元处为 1）"
    ax = phone(60, title=name).panels[0].ax
    assert ax.get_title() == name.replace("（", "\n（")


def test_a_line_below_a_panel_that_is_too_narrow_for_it_ends_with_it():
    def on(chart):
        names = ["memory at its peak: all of it", "time"]
        chart.panels[0].ax.set_yticks([0, 1], names)

    (panel,) = phone(60, 1, on, xlabel="速度變成幾倍；位元組剩下的比例").panels
    label = panel.ax.xaxis.label
    assert label.get_window_extent().width > panel.ax.bbox.width
    assert label.get_ha() == "right"  # where the browser, too, ends it


def test_a_grid_keeps_all_names_and_breaks_those_of_its_rows():
    questions = [f"question-{k}" for k in range(20)]

    def on(chart):
        ax = chart.panels[0].ax
        ax.set_xticks(range(20), questions, rotation=60)
        ax.set_yticks([0, 1], ["no-running-statistics", "bare-stem"])

    ax = phone(60, 1, on).panels[0].ax
    assert [label.get_text() for label in ax.get_xticklabels()] == questions
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == ["no-running-\nstatistics", "bare-stem"]


@pytest.mark.parametrize("limits", [(0.9, 1.8), (0.4, 13), (1e-5, 5e-4)])
def test_a_logarithmic_axis_has_three_labels_at_least(limits):
    def on(chart):
        chart.panels[0].ax.semilogy([0, 1], limits)

    ax = phone(60, 1, on).panels[0].ax
    low, high = ax.get_ylim()
    labels = [
        label.get_text()
        for minor in (False, True)
        for place, label in zip(
            ax.get_yticks(minor=minor),
            ax.get_yticklabels(minor=minor),
            strict=True,
        )
        if low <= place <= high
    ]
    assert len([*filter(None, labels)]) >= 3


@pytest.mark.parametrize(
    "name", ["growth of the gradient, |g_0| / |g_L|", "增长 |g_0| / |g_L|"]
)
def test_a_fraction_stays_on_one_line(name):
    assert into_lines(name, 12).endswith("\n|g_0| / |g_L|")
