"""Every run as a dot, case by case."""

from collections.abc import Callable, Mapping, Sequence

from preact.figures.chart import Array, Chart, draw
from preact.figures.style import Picture
from preact.figures.variants import arm_name
from preact.strings import Strings


def dots_by_case(
    cases: Sequence[object],
    values: Mapping[str, Array],
    labels: tuple[str, str],
    alt: str,
    strings: Strings,
    *,
    limits: tuple[float, float],
    ticks: Sequence[float],
    dashed: Callable[[str], bool] = lambda arm: "+" in arm,
) -> Picture:
    """Every seed as a dot, the medians joined, case by case.

    The cases are named below the axis, at even distances. By arm, a row or a
    row and "+final-bn", `values` are (cases, seeds); `labels` name both axes,
    `alt` says what is to be seen. `limits` and `ticks` are the vertical axis,
    which is logarithmic if it begins above 0. `dashed` says which arms are
    drawn dashed: those with a final BN of their own, if nothing else is said.
    """
    many = len(values) > 4  # names of six arms need lines of their own
    apart = 0.03 if many else 0.09  # so that none seems to be another case

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        names = [str(case) for case in cases]
        for k, (arm, runs) in enumerate(values.items()):
            shift = apart * (k - (len(values) - 1) / 2)
            name = arm_name(arm, strings)
            panel.cases(names, runs, arm, name, shift, dashed=dashed(arm))
        scale = "log" if limits[0] > 0 else "linear"
        panel.ax.set(xlabel=labels[0], ylabel=labels[1], yscale=scale)
        panel.ax.set_ylim(limits)
        panel.ax.minorticks_off()
        numbers = [strings.number(tick, "g") for tick in ticks]
        panel.ax.set_yticks(ticks, numbers)
        ncols = 1 if many else 2
        chart.legend(ncols=ncols, fontsize=8.5, handlelength=4)

    return draw(on, (140, 115 if many else 100), alt)
