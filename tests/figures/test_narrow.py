"""Names of axes and panels stay in their drawing, wide and on a phone."""

import pytest
from matplotlib.text import Text

from preact.figures import style
from preact.figures.lines import into_lines
from preact.figures.narrow import (
    NAME,
    SLACK,
    break_upright,
    make_narrow,
    width_of,
)

UPRIGHT = {
    "en": "images a second, relative to eight GPUs",
    "zh": "每秒处理的图像数（以 8 块 GPU 为 1），取各次的中位数",
}


def with_names(height, **names):
    """A figure of two panels with these names; its panels."""
    with style.axes(140, height, columns=2) as (figure, panels):
        panels[0].set(**names)
    return figure, panels


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
@pytest.mark.parametrize("name", UPRIGHT.values(), ids=UPRIGHT)
def test_a_vertical_name_is_broken_where_it_is_longer_than_its_panel(name):
    figure, panels = with_names(80, ylabel=name)
    break_upright(figure)
    shown = panels[0].yaxis.label.get_text()
    assert shown.split("\n") != [name]
    assert "".join(shown.split()) == "".join(name.split())
    assert all(width_of(line) <= NAME + SLACK for line in shown.split("\n"))
    figure.draw_without_rendering()
    words = panels[0].yaxis.label.get_window_extent()
    assert words.height <= panels[0].get_window_extent().height


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
@pytest.mark.parametrize("name", UPRIGHT.values(), ids=UPRIGHT)
def test_a_vertical_name_that_has_room_keeps_its_one_line(name):
    figure, panels = with_names(220, ylabel=name)
    break_upright(figure)
    assert panels[0].yaxis.label.get_text() == name


def test_a_name_below_all_panels_fits_a_phone():
    figure, _ = with_names(60)
    figure.supxlabel("growth of the gradient toward the input in fresh stacks")
    make_narrow(figure)
    figure.draw_without_rendering()
    (label,) = [
        text
        for text in figure.findobj(Text)
        if text.get_text() and text.get_text() == figure.get_supxlabel()
    ]
    words = label.get_window_extent()
    assert 0 <= words.x0 < words.x1 <= figure.bbox.width


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_a_chinese_name_breaks_before_its_bracket():
    name = "第一个单元处的梯度（最后一个单元处为 1）"
    figure, panels = with_names(60, title=name)
    make_narrow(figure)
    assert panels[0].get_title() == name.replace("（", "\n（")


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_a_line_below_a_panel_that_is_too_narrow_for_it_ends_with_it():
    figure, panels = with_names(60, xlabel="速度變成幾倍；位元組剩下的比例")
    panels[0].set_yticks([0, 1], ["memory at its peak: all of it", "time"])
    make_narrow(figure)
    label = panels[0].xaxis.label
    assert label.get_window_extent().width > panels[0].bbox.width
    assert label.get_ha() == "right"  # where the browser, too, ends it


def test_a_grid_keeps_all_names_and_breaks_those_of_its_rows():
    figure, panels = with_names(60)
    questions = [f"question-{k}" for k in range(20)]
    panels[0].set_xticks(range(20), questions, rotation=60)
    panels[0].set_yticks([0, 1], ["no-running-statistics", "bare-stem"])
    make_narrow(figure)
    shown = [label.get_text() for label in panels[0].get_xticklabels()]
    assert shown == questions
    rows = [label.get_text() for label in panels[0].get_yticklabels()]
    assert rows == ["no-running-\nstatistics", "bare-stem"]


@pytest.mark.parametrize("limits", [(0.9, 1.8), (0.4, 13), (1e-5, 5e-4)])
def test_a_logarithmic_axis_has_three_labels_at_least(limits):
    with style.axes(80, 60) as (figure, panel):
        panel.semilogy([0, 1], limits)
        style.picture(figure, "")
    low, high = panel.get_ylim()
    ticks = [
        *zip(panel.get_yticks(), panel.get_yticklabels(), strict=True),
        *zip(
            panel.get_yticks(minor=True),
            panel.get_yticklabels(minor=True),
            strict=True,
        ),
    ]
    inside = [label for place, label in ticks if low <= place <= high]
    assert len([label for label in inside if label.get_text()]) >= 3


def test_panels_that_come_to_stand_below_one_another_name_their_axes():
    figure, panels = with_names(60, ylabel="test error, %")
    make_narrow(figure)
    assert [p.get_ylabel() for p in panels] == ["test error, %"] * 2


@pytest.mark.parametrize(
    "name", ["growth of the gradient, |g_0| / |g_L|", "增长 |g_0| / |g_L|"]
)
def test_a_fraction_stays_on_one_line(name):
    assert into_lines(name, 12).endswith("\n|g_0| / |g_L|")
