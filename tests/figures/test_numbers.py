"""Every figure can be read in gray, and hands over the numbers it draws."""

import csv
import io
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pytest
from every_figure import DRAWN
from handed import BOTH
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.text import Text

from drawings import alike, at, gray
from preact.book.cover import figures as cover
from preact.figures import style
from preact.figures.drawn import AID, COLUMNS, table
from preact.strings import Strings
from sampled import sampled

POWERS = np.arange(-14, 15) / 2
DECADES = cover.Course(10 ** POWERS[None], np.ones((1, 29)), 50.0)
ALL = DRAWN | {
    "depth_and_time": lambda say: cover.depth_and_time(
        {row: DECADES for row in BOTH}, [0], [9, 19], say
    ),
}
BY_HAND = {
    "by_iteration",
    "by_unit",
    "depth_and_time",
    "placed_by_unit",
}  # from the numbers it holds
DIAGRAMS = {"row_key", "unit_diagram", "three_of_figure_5"}
CHARTS = sorted(ALL.keys() - DIAGRAMS)
EACH_CHART = pytest.mark.parametrize("name", [*sampled(CHARTS, 8)])
WORDS = {name: name for name in COLUMNS}


@cache
def drawn(name, language):
    """A picture, what matplotlib drew for it, and words that left it."""
    figures, left, write = [], [], FigureCanvasSVG.print_svg

    def noted(self, *arguments, **options):
        write(self, *arguments, **options)
        figures.append(self.figure)
        left.extend(outside(self.figure))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FigureCanvasSVG, "print_svg", noted)
        picture = ALL[name](Strings(language))
    return picture, tuple(dict.fromkeys(figures)), left


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_curves_that_differ_by_color_alone_would_be_found():
    with style.axes(80, 60) as (figure, ax):
        ax.plot([1, 2], color="#d1591a")
        ax.plot([2, 1], color="#2a7fc1")
    (panel,) = style.picture(figure, "").panels
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


def words(figure):
    """Titles and names of axes; ticks may stand outside, unseen."""
    for ax in figure.axes:
        titles = {ax.get_title(place) for place in ("left", "center", "right")}
        yield from (t for t in ax.findobj(Text) if t.get_text() in titles)
        yield from (ax.xaxis.label, ax.yaxis.label)


def outside(figure):
    """Yield what leaves the drawing by more than rounding."""
    figure.draw_without_rendering()
    for text in filter(Text.get_text, words(figure)):
        box = text.get_window_extent()
        right, top = figure.bbox.width + 2, figure.bbox.height + 2
        if min(box.x0, box.y0) <= -2 or box.x1 >= right or box.y1 >= top:
            yield text.get_text()


def own_lines(figure):
    """Lines that show numbers, as matplotlib has them."""
    for ax in figure.axes:
        caps = {
            cap
            for held in ax.containers
            if hasattr(held, "has_xerr")
            for cap in held[1]
        }
        for line in ax.lines:
            across = not line.get_transform().contains_branch(ax.transData)
            idle = across or line in caps or line.get_label() == AID
            if len(line.get_xdata()) and not idle:
                yield line


# Whose numbers are not where they are drawn; a test of its own has them.
HANDED_OVER = {"prediction_beside_errors"}


@EACH_CHART
def test_a_figure_holds_its_numbers_and_can_be_read_in_gray(name):
    """No two curves look alike without color, and no word leaves it."""
    picture, drawings, left = drawn(name, "en")
    assert left == []
    for panel in picture.panels:
        assert alike(ET.fromstring(panel)) == []
    assert drawings or name in BY_HAND
    assert picture.series
    for one in picture.series:
        assert one.name
        assert len(one.x) == len(one.y) > 0
        assert {len(one.low), len(one.high)} <= {0, len(one.x)}
    table_lines = read(table(picture.series, WORDS))
    assert len(table_lines) == sum(len(one.x) for one in picture.series)
    assert picture._repr_html_().count('<script type="text/csv">') == 1
    if name in HANDED_OVER:
        return
    lines = [line for figure in drawings for line in own_lines(figure)]
    bars = [
        patch
        for figure in drawings
        for ax in figure.axes
        for held in ax.containers
        if not hasattr(held, "has_xerr")
        for patch in held.patches
    ]
    shown = [one for one in picture.series if "" not in (*one.x, *one.y)]
    areas = len(picture.series) - len(lines)
    assert areas >= 0
    matched = 0
    for line in lines:
        matched += any(
            agree(one.x, line.get_xdata()) and agree(one.y, line.get_ydata())
            for one in shown
        )
    assert matched == len(lines)
    widths = [value for one in shown for value in one.x]
    assert all(bar.get_width() in widths for bar in bars)


def agree(values, drawn):
    """Equal to the last bit, where the axis has no names for them."""
    return len(values) == len(drawn) and all(
        isinstance(v, str) or v == d or np.isnan(d)
        for v, d in zip(values, np.asarray(drawn, dtype=float), strict=True)
    )


def drawn_by_hand():
    with style.axes(80, 60) as (figure, ax):
        x = np.array([1.0, 2.0, 4.0])
        ax.fill_between(x, x / 3, x * 3, color="#d1591a", label="band")
        ax.plot(x, x / 7, color="#d1591a", label="line")
        ax.plot(x, x / 9, color="#d1591a")
        ax.plot(x, x, color="#2a7fc1", label="_unlisted")
        ax.plot(x, x, color="#2a7fc1", label=AID)
        ax.errorbar(1.0, 2.0, yerr=0.5, label="measured")
        ax.axhline(0.1, color="#808080", label="level")
        ax.axvline(0.3)
        ax.set(xlabel="l", title="a, b")
    return style.picture(figure, "").series


def test_each_kind_of_artist_gives_its_numbers():
    lines = read(table(drawn_by_hand(), WORDS))
    assert {line["panel"] for line in lines} == {"a, b"}
    got = {
        (line["series"], line["number"], line["l"]): (
            line["a, b"],
            line["low"],
            line["high"],
        )
        for line in lines
    }
    assert got["line", "1", "4"] == (repr(4 / 7), repr(4 / 3), "12")
    assert got["line", "2", "4"] == (repr(4 / 9), "", "")
    assert got["unlisted", "1", "2"] == ("2", "", "")
    assert got["measured", "1", "1"] == ("2", "1.5", "2.5")
    assert got["level", "1", ""] == ("0.1", "", "")
    assert len(got) == 3 + 3 + 3 + 1 + 1


def test_names_of_an_axis_stand_in_the_place_of_its_numbers():
    with style.axes(80, 60) as (figure, ax):
        ax.plot([-0.1, 0.9], [6.61, 15.3], label="a row")
        ax.set_xticks([0, 1], ["110", "164"])
        ax.set_yticks([6, 10, 15], ["6", "10", "fail"])
    (one,) = style.picture(figure, "").series
    assert one.x == ("110", "164")
    assert one.y == (6.61, "fail")


def test_markup_in_a_name_stays_inside_the_numbers():
    with style.axes(80, 60) as (figure, ax):
        ax.plot([1, 2], label="</script><b>")
    html = style.picture(figure, "")._repr_html_()
    assert html.count("</script>") == 1
    assert "<b>" not in html.partition("<script")[2]
