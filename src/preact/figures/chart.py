"""Charts: drawn once for a wide page and once for a phone.

A function gets a `Chart` and draws on its panels with matplotlib. What it
plots by `Panel.plot` is noted: these are the picture's numbers. For a phone
panels stand one below the other, but those that share their rows stay side by
side; a legend has one column, and words that have no room are broken into
lines. Letters keep their size.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator

from preact.figures.lines import NAME, into_lines, width_of
from preact.figures.series import Series, Values
from preact.figures.style import MM, RC, Picture, quiet, written
from preact.figures.ticks import label_enough, write_powers_as_text
from preact.figures.variants import color_of, marked, marker_of

Array = np.ndarray[Any, np.dtype[np.float64]]

BETWEEN_LATIN = re.compile(r"(?<=[!-~…]) (?=[!-~…])")
NARROW = 86 * MM  # the text column of a phone of 360 pixels
PANEL = 62 * MM
BETWEEN = 7 * MM  # or a title would seem to belong to the panel above it
LEGEND_LINE = 4.6 * MM
SLACK = 4  # letters more beside an axis, where two lines are better than three
TITLE = 36
ABREAST = 14  # letters of a title beside which another panel has its own
LABEL = 44  # of a legend
BESIDE = 15  # letters in a line of a name beside several panels
ROW = 17  # letters in a line of a name beside a grid, which breaks at hyphens
STEEP = 75  # degrees, for names above a grid: lines that do not meet
ROW_GAIN = 1.8 * MM  # height that two lines need more than one
UPRIGHT = 30  # a name of a vertical axis that may be longer than its panel


class Panel:
    """Axes that note what is plotted on them.

    Parameters
    ----------
    ax : Axes
        matplotlib's, for all else.
    """

    def __init__(self, ax: Any) -> None:
        self.ax = ax
        self.noted: list[tuple[str, Values, Values, Values, Values]] = []

    def plot(
        self,
        x: Any,
        y: Any,
        *form: str,
        name: str,
        listed: bool = False,
        told: tuple[Values | None, Values | None] = (None, None),
        ends: tuple[Any, Any] = ((), ()),
        **style: Any,
    ) -> None:
        """Plot y against x and note it; columns of y are a series each.

        Parameters
        ----------
        name : str
            What it is called in the numbers and, if `listed`, in the legend.
        told : (values or None, values or None)
            What stands in the numbers instead of x and of y.
        ends : (array, array)
            Least and greatest around each point.
        """
        if listed:
            style["label"] = name
        self.ax.plot(x, y, *form, **style)
        columns = np.asarray(y, dtype=float)
        columns = columns[:, None] if columns.ndim < 2 else columns
        low, high = (np.asarray(end, dtype=float).tolist() for end in ends)
        for column in columns.T:
            self.note(
                name,
                np.asarray(x, float).tolist() if told[0] is None else told[0],
                column.tolist() if told[1] is None else told[1],
                low,
                high,
            )

    def note(
        self,
        name: str,
        x: Values,
        y: Values,
        low: Values = (),
        high: Values = (),
    ) -> None:
        """Note numbers that are drawn in another way."""
        self.noted.append((name, x, y, low, high))

    def seeds(
        self, x: Any, runs: Array, *form: str, name: str, **style: Any
    ) -> None:
        """Plot medians over the seeds, the last axis, in a shaded range."""
        ends = runs.min(axis=-1), runs.max(axis=-1)
        shade = style.pop("shade", 0.2)
        color = style["color"]
        self.ax.fill_between(x, *ends, color=color, alpha=shade, lw=0)
        middle = np.median(runs, axis=-1)
        style |= {"name": name, "ends": ends, "listed": True}
        self.plot(x, middle, *form, **style)

    def cases(
        self,
        cases: Sequence[str],
        runs: Array,
        arm: str,
        name: str,
        shift: float = 0.0,
        *,
        dashed: bool = False,
    ) -> None:
        """Plot every run of some named cases as a dot, and join the medians.

        Parameters
        ----------
        cases : sequence of C
            What stands below the axis, at even distances.
        runs : (C, seeds) float64
        arm : str
            A row, or a row and its tail.
        shift : float
            From the places of the cases.
        dashed : bool
            Whether it is drawn dashed and with hollow markers.
        """
        row, *_ = arm.partition("+")
        at, told = np.arange(len(cases)) + shift, ([*cases], None)
        look: Any = marked(row, hollow=dashed) | {
            "ls": "--" if dashed else "-"
        }
        middle = np.median(runs, axis=1)
        self.plot(at, middle, name=name, told=told, listed=True, **look)
        dots: Any = {"ls": "", "ms": 4, "alpha": 0.5, "color": color_of(row)}
        dots |= {"marker": marker_of(row), "name": name, "told": told}
        self.plot(at, runs, **dots)
        self.ax.set_xticks(np.arange(len(cases)), cases)

    def series(self) -> list[Series]:
        """Return what was noted, with the words of the axes."""
        ax = self.ax
        title = ax.get_title() or ax.get_title("left")
        labels = ax.get_xlabel(), ax.get_ylabel() or title
        panel = title or labels[1]
        return [
            Series(panel, name, x, y, low, high, labels)
            for name, x, y, low, high in self.noted
        ]


class Chart:
    """One of the two drawings of a picture.

    Parameters
    ----------
    size : (float, float)
        Width and height of the wide one in millimeters.
    panels : int
        Side by side, or for a phone one below the other.
    abreast : bool
        The panels share their rows, and stay side by side.
    phone : bool
        Which drawing it is.
    """

    def __init__(
        self,
        size: tuple[float, float],
        panels: int = 1,
        *,
        abreast: bool = False,
        phone: bool = False,
    ) -> None:
        width, self.height = (side * MM for side in size)
        self.abreast, self.phone = abreast, phone
        self.stacked = phone and panels > 1 and not abreast
        self.figure = Figure(
            figsize=(NARROW if phone else width, self.height),
            layout="constrained",
        )
        shape = (panels, 1) if self.stacked else (1, panels)
        grid: Any = self.figure.subplots(*shape, squeeze=False, sharey=abreast)
        self.panels = [Panel(ax) for ax in grid.flat]

    def legend(
        self,
        of: Panel | None = None,
        *,
        within: Any = None,
        loc: str = "outside lower center",
        ncols: int = 1,
        **style: Any,
    ) -> None:
        """Put a legend below all panels; for a phone in one column.

        Parameters
        ----------
        of : Panel, optional
            The only one whose curves it names.
        within : Axes, optional
            Where it stands instead.
        """
        handles = of.ax.get_legend_handles_labels() if of else ()
        columns = 1 if self.phone else ncols
        place: Any = self.figure if within is None else within
        legend = place.legend(*handles, loc=loc, ncols=columns, **style)
        if self.phone:
            texts = legend.get_texts()
            lines = len(texts) - -(-len(texts) // ncols)
            for text in texts:
                text.set_text(into_lines(text.get_text(), LABEL))
                lines += text.get_text().count("\n")
            self.height += lines * LEGEND_LINE

    def finish(self) -> None:
        """Give all words their room."""
        label_enough(self.figure)
        write_powers_as_text(self.figure)
        panels = [panel.ax for panel in self.panels]
        if self.phone:
            self._fit(panels)
        elif any(width_of(ax.get_ylabel()) > UPRIGHT for ax in panels):
            self._place()
            for ax in panels:
                _keep_upright(ax)

    def _place(self) -> None:
        """Let matplotlib place what it measures; a browser has the glyphs."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            layout: Any = self.figure.get_layout_engine()
            layout.execute(self.figure)

    def _fit(self, panels: list[Any]) -> None:
        """Break words for a phone, and find the height that they need."""
        most = ABREAST if self.abreast else TITLE
        for ax in panels:
            for text in ax.texts:
                text.set_text(_broken(text.get_text()))
            ax.set_xlabel(into_lines(ax.get_xlabel(), most))
            for place in ("center", "left"):
                if title := ax.get_title(place):
                    ax.set_title(into_lines(title, most), loc=place)
        named = panels[:1] if self.abreast else panels
        names = sum(_break_names(ax, dense=self.abreast) for ax in named)
        least = PANEL if any(ax.axison for ax in panels) else 0.0
        gaps = len(panels) - 1 if self.stacked else 0
        height = max(self.height, least) + names + gaps * (PANEL + BETWEEN)
        self.figure.set_size_inches(NARROW, height)
        layout: Any = self.figure.get_layout_engine()
        layout.set(hspace=len(panels) * BETWEEN / height)  # a share each row
        for ax in panels:
            _set_lines_apart(ax)
        self._place()
        for ax in panels:
            _thin_ticks(ax)
            _keep_upright(ax)
            _keep_inside(ax)


@quiet()
def draw(
    function: Callable[[Chart], None],
    size: tuple[float, float],
    alt: str,
    **panels: Any,
) -> Picture:
    """Draw a picture for a wide page and, if it is wider, for a phone.

    Equal input, equal bytes.

    Parameters
    ----------
    function : callable
        Draws on the `Chart` that it gets, once or twice.
    size, **panels
        Of the `Chart`.
    alt : str
        The alternative text.
    """
    picture = Picture(())
    for phone in (False, True) if size[0] * MM > NARROW else (False,):
        with mpl.rc_context(RC):
            chart = Chart(size, phone=phone, **panels)
            function(chart)
            chart.finish()
        drawn = written(chart.figure, alt, "narrow" if phone else "wide")
        series = [] if phone else [s for p in chart.panels for s in p.series()]
        picture += Picture(drawn.panels, tuple(series))
    return picture


def _broken(words: str) -> str:
    """Break words in a panel; what is not Chinese among them stays whole."""
    if width_of(words) in (len(words), *range(NAME + 1)):
        return into_lines(words)
    whole = BETWEEN_LATIN.sub("\xa0", words).replace("：", "：\n")
    return into_lines(whole).replace("\xa0", " ")


def _keep_upright(ax: Any) -> None:
    """Break the vertical axis' name if it is longer than the panel."""
    words = ax.yaxis.label
    if words.get_window_extent().height > ax.get_window_extent().height:
        words.set_text(into_lines(words.get_text(), NAME + SLACK))


def _keep_inside(ax: Any) -> None:
    """End words that are wider than their panel where the panel ends.

    A single line is sure to end there: the browser measures it. Where one
    of several ends, matplotlib says, whose face has no Chinese and takes its
    characters for wider than they are: such lines begin with the panel.
    """
    width = ax.get_window_extent().width
    for words, put in (
        (ax.title, ax.set_title),
        (ax.xaxis.label, ax.set_xlabel),
    ):
        text = words.get_text()
        if text and words.get_window_extent().width > width:
            side = "left" if "\n" in text and _is_chinese(text) else "right"
            put(text, loc=side)
            if words is ax.title:
                words.set_text("")


def _break_names(ax: Any, *, dense: bool) -> float:
    """Break long names beside the vertical axis; return the height to add."""
    if not _is_fixed(ax.yaxis):
        return 0.0
    names = [label.get_text() for label in ax.get_yticklabels()]
    if _is_grid(ax):
        return _break_rows(ax, names)
    if dense:  # a comma is the better place, and the same in all names
        names = [name.replace("，", "，\n") for name in names]
    broken = [into_lines(name, BESIDE if dense else NAME) for name in names]
    most = max((name.count("\n") for name in broken), default=0)
    if most:
        ax.set_yticks(ax.get_yticks(), broken)
    gain = ROW_GAIN if dense and most else 0.0
    more = 1.5 * max(0, most - 1)  # half a line between two names
    return len(names) * (gain + more * LEGEND_LINE)


def _break_rows(ax: Any, names: list[str]) -> float:
    """Break the names of a grid's rows; return the height to add."""
    for label in ax.get_xticklabels():
        label.set_rotation(STEEP)
    broken = [
        into_lines(name.replace("-", "- "), ROW).replace("- ", "-")
        for name in names
    ]
    if broken == names:
        return 0.0
    ax.set_yticks(ax.get_yticks(), broken, linespacing=1.0)
    return len(names) * ROW_GAIN


def _set_lines_apart(ax: Any) -> None:
    """Let each line of a Chinese name end at the axis, by the browser.

    Where one of several lines ends matplotlib says, see `_keep_inside`.
    """
    names = [label.get_text() for label in ax.get_yticklabels()]
    if not any("\n" in name and _is_chinese(name) for name in names):
        return
    size = ax.get_yticklabels()[0].get_fontsize()
    for place, name in zip(ax.get_yticks(), names, strict=True):
        lines = name.split("\n")
        for i, line in enumerate(lines):
            ax.annotate(
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
    ax.set_yticks(ax.get_yticks(), [""] * len(names))


def _thin_ticks(ax: Any) -> None:
    """Take away every second of fixed ticks whose labels meet."""
    if not _is_fixed(ax.xaxis) or _is_grid(ax):
        return
    labels = ax.get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    if any(one.x1 + 8 > two.x0 for one, two in pairwise(boxes)):
        names = [label.get_text() for label in labels]
        ax.set_xticks(ax.get_xticks()[::2], names[::2])


def _is_chinese(words: str) -> bool:
    return width_of(words) > len(words)


def _is_grid(ax: Any) -> bool:
    """Say whether the ticks are names that stand aslant, none to be missed."""
    return any(label.get_rotation() % 90 for label in ax.get_xticklabels())


def _is_fixed(axis: Any) -> bool:
    """Say whether the figure's author chose the ticks."""
    return isinstance(axis.get_major_locator(), FixedLocator)
