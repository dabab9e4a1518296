"""Words that stay in their figure, and a figure laid out anew for a phone.

For a phone panels stand one below the other, but those that share their rows
stay side by side; a legend has one column, long names beside an axis break
into lines, and of fixed ticks that meet every second one goes, but where they
are names and stand aslant: such a grid gains its room from the names of its
rows. Letters keep their size.
"""

import re
import warnings
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from preact.figures.lines import NAME, into_lines, width_of

BETWEEN_LATIN = re.compile(r"(?<=[!-~…]) (?=[!-~…])")
NARROW = 86 / 25.4  # inches: the text column of a phone of 360 pixels
PANEL = 62 / 25.4
BETWEEN = 7 / 25.4  # or a title would seem to belong to the panel above it
LEGEND_LINE = 4.6 / 25.4
SLACK = 4  # letters more beside an axis, where two lines are better than three
TITLE = 36
ABREAST = 14  # letters of a title beside which another panel has its own
LABEL = 44  # of a legend
BESIDE = 15  # letters in a line of a name beside several panels
ROW = 17  # letters in a line of a name beside a grid, which breaks at hyphens
STEEP = 75  # degrees, for names above a grid: lines that do not meet
ROW_GAIN = 1.8 / 25.4  # height that two lines need more than one
UPRIGHT = 30  # a name of a vertical axis that may be longer than its panel


def break_upright(figure: Figure) -> None:
    """Break names of vertical axes that are longer than their panel."""
    if any(width_of(ax.get_ylabel()) > UPRIGHT for ax in figure.axes):
        _draw(figure)
        for panel in figure.axes:
            _keep_upright(panel)


def make_narrow(figure: Figure) -> None:
    """Lay a figure out anew, in place."""
    panels = figure.axes
    gaps = 0 if _share_rows(panels) else len(panels) - 1
    if gaps:
        _stack(figure, panels)
    most = TITLE if gaps or len(panels) == 1 else ABREAST
    for panel in panels:
        for text in panel.texts:
            text.set_text(_broken(text.get_text()))
        panel.set_xlabel(into_lines(panel.get_xlabel(), most))
        for title in _titles(panel):
            title.set_text(into_lines(title.get_text(), most))
    below: Any = getattr(figure, "_supxlabel", None)
    if below:
        room = LABEL if _is_chinese(below) else TITLE
        below.set_text(into_lines(below.get_text(), room))
    if gaps or len(panels) == 1:
        names = sum(_break_names(panel) for panel in panels)
    else:
        names = _break_names(panels[0], dense=True)
    least = PANEL if any(panel.axison for panel in panels) else 0.0
    height = names + max(figure.get_figheight(), least)
    lines = _legend_in_one_column(figure) + _break_labels(figure)
    height += gaps * (PANEL + BETWEEN) + lines * LEGEND_LINE
    figure.set_size_inches(NARROW, height)
    layout: Any = figure.get_layout_engine()
    layout.set(hspace=len(panels) * BETWEEN / height)  # a share for each row
    for panel in panels:
        _set_lines_apart(panel)
    _draw(figure)
    for panel in panels:
        _thin_ticks(panel)
        _keep_inside(panel)


def _broken(words: str) -> str:
    """Break words in a panel; what is not Chinese among them stays whole."""
    if width_of(words) in (len(words), *range(NAME + 1)):
        return into_lines(words)
    whole = BETWEEN_LATIN.sub("\xa0", words).replace("：", "：\n")
    return into_lines(whole).replace("\xa0", " ")


def _share_rows(panels: list[Axes]) -> bool:
    """Say whether panels say several things of the same rows."""
    first = panels[0]
    shared: Any = first.get_shared_y_axes()
    return all(shared.joined(first, panel) for panel in panels[1:])


def _stack(figure: Figure, panels: list[Axes]) -> None:
    """Put panels one below the other, each with its names."""
    grid = GridSpec(len(panels), 1, figure=figure)
    for i, panel in enumerate(panels):
        panel.set_subplotspec(grid[i])
        if panel.get_ylabel() == "":
            panel.set_ylabel(panels[0].get_ylabel())
            _take_names(panel, panels[0])


def _titles(panel: Axes) -> tuple[Text, Text]:
    """Return what stands above a panel: in its middle and at its left."""
    left: Any = panel._left_title  # type: ignore[attr-defined]
    return panel.title, left


def _draw(figure: Figure) -> None:
    """Let matplotlib place what it measures; the browser has the glyphs."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        layout: Any = figure.get_layout_engine()
        layout.execute(figure)


def _keep_upright(panel: Axes) -> None:
    """Break the vertical axis' name if it is longer than the panel."""
    words = panel.yaxis.label
    if words.get_window_extent().height > panel.get_window_extent().height:
        words.set_text(into_lines(words.get_text(), NAME + SLACK))


def _keep_inside(panel: Axes) -> None:
    """End words that are wider than their panel where the panel ends.

    A single line is sure to end there: the browser measures it. Where one
    of several ends, matplotlib says, whose face has no Chinese and takes its
    characters for wider than they are: such lines begin with the panel.
    """
    _keep_upright(panel)
    width = panel.get_window_extent().width
    for words, put in (
        (panel.title, panel.set_title),
        (panel.xaxis.label, panel.set_xlabel),
    ):
        text = words.get_text()
        if text and words.get_window_extent().width > width:
            apart = "\n" in text and _is_chinese(words)
            side: Any = "left" if apart else "right"
            put(text, loc=side, fontsize=words.get_fontsize())
            if words is panel.title:
                words.set_text("")


def _take_names(panel: Axes, first: Axes) -> None:
    """Name the rows of a panel that leaned on its neighbor's names."""
    names = [label.get_text() for label in panel.get_yticklabels()]
    if _is_fixed(panel.yaxis) and not any(names):
        labels = [label.get_text() for label in first.get_yticklabels()]
        panel.set_yticks(first.get_yticks(), labels)


def _break_names(panel: Axes, *, dense: bool = False) -> float:
    """Break long names beside the vertical axis; return the height to add."""
    if not _is_fixed(panel.yaxis):
        return 0.0
    names = [label.get_text() for label in panel.get_yticklabels()]
    if _is_grid(panel):
        return _break_rows(panel, names)
    if dense:  # a comma is the better place, and the same in all names
        names = [name.replace("，", "，\n") for name in names]
    broken = [into_lines(name, BESIDE if dense else NAME) for name in names]
    most = max((name.count("\n") for name in broken), default=0)
    if most:
        panel.set_yticks(panel.get_yticks(), broken)
    gain = ROW_GAIN if dense and most else 0.0
    more = 1.5 * max(0, most - 1)  # half a line between two names
    return len(names) * (gain + more * LEGEND_LINE)


def _set_lines_apart(panel: Axes) -> None:
    """Let each line of a Chinese name end at the axis, by the browser.

    Where one of several lines ends matplotlib says, see `_keep_inside`.
    """
    names = [label.get_text() for label in panel.get_yticklabels()]
    if not any("\n" in name and width_of(name) > len(name) for name in names):
        return
    size: Any = panel.get_yticklabels()[0].get_fontsize()
    for place, name in zip(panel.get_yticks(), names, strict=True):
        lines = name.split("\n")
        for i, line in enumerate(lines):
            panel.annotate(
                line,
                (0, place),
                xycoords=("axes fraction", "data"),
                xytext=(-7, 1.2 * size * ((len(lines) - 1) / 2 - i)),
                textcoords="offset points",
                fontsize=size,
                ha="right",
                va="center",
                annotation_clip=False,
            )
    panel.set_yticks(panel.get_yticks(), [""] * len(names))


def _break_rows(panel: Axes, names: list[str]) -> float:
    """Break the names of a grid's rows; return the height to add."""
    for label in panel.get_xticklabels():
        label.set_rotation(STEEP)
    broken = [
        into_lines(name.replace("-", "- "), ROW).replace("- ", "-")
        for name in names
    ]
    if broken == names:
        return 0.0
    panel.set_yticks(panel.get_yticks(), broken)
    for label in panel.get_yticklabels():
        label.set_linespacing(1.0)
    return len(names) * ROW_GAIN


def _is_chinese(words: Text) -> bool:
    return width_of(words.get_text()) > len(words.get_text())


def _legend_in_one_column(figure: Figure) -> int:
    """Draw legends anew in one column; return how many lines they gain."""
    gained = 0
    for legend in list[Any](figure.legends):
        handles, labels, size = _parts(legend)
        legend.remove()
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            fontsize=size,
            handlelength=legend.handlelength,
        )
        gained += len(labels) - -(-len(labels) // legend._ncols)
    for panel in figure.axes:
        inside: Any = panel.get_legend()
        if inside is not None and inside._ncols > 1:
            handles, labels, size = _parts(inside)
            panel.legend(handles, labels, loc=inside._loc, fontsize=size)
            gained += len(labels) - -(-len(labels) // inside._ncols)
    return gained


def _parts(legend: Any) -> tuple[Any, list[str], float]:
    """Return a legend's handles, its labels and their size."""
    texts = legend.get_texts()
    labels = [text.get_text() for text in texts]
    return legend.legend_handles, labels, max(8.5, texts[0].get_fontsize())


def _break_labels(figure: Figure) -> int:
    """Break long labels of legends; return how many lines they gain."""
    inside: list[Any] = [panel.get_legend() for panel in figure.axes]
    gained = 0
    for legend in [*figure.legends, *filter(None, inside)]:
        for text in legend.get_texts():
            text.set_text(into_lines(text.get_text(), LABEL))
            gained += text.get_text().count("\n")
    return gained


def _thin_ticks(panel: Axes) -> None:
    """Take away every second of fixed ticks whose labels meet."""
    if not _is_fixed(panel.xaxis) or _is_grid(panel):
        return
    labels = panel.get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    if any(one.x1 + 8 > two.x0 for one, two in pairwise(boxes)):
        names = [label.get_text() for label in labels]
        panel.set_xticks(panel.get_xticks()[::2], names[::2])


def _is_grid(panel: Axes) -> bool:
    """Say whether the ticks are names that stand aslant, none to be missed."""
    labels = panel.get_xticklabels()
    return any(label.get_rotation() % 90 for label in labels)


def _is_fixed(axis: Any) -> bool:
    """Say whether the figure's author chose the ticks."""
    return isinstance(axis.get_major_locator(), FixedLocator)
