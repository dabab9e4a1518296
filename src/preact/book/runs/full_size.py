"""Runs of the paper's own recipe on images of 32x32: few, of one seed."""

import math
from pathlib import Path
from typing import Any

from preact.figures.chart import Chart, draw
from preact.figures.style import Picture
from preact.figures.variants import arm_name, color_of
from preact.records import Record, read_curve, read_record
from preact.records.files import PUBLISHED
from preact.strings import Strings

REPORTED_PCT = 8.75  # He et al. (2015), Table 6
EXPECTED_PCT = (8.7, 9.6)  # by us, before the first run
EXPECTED_LOSS = 1.8  # of the original with 1001 layers: at least, likewise
EVERY = 10  # points of the curve in one mark: 200 iterations
DEEP = PUBLISHED / "first_1001/cifar10/resnet-1001-3"
SHALLOW = PUBLISHED / "resnet_20/cifar10/resnet-20-2/original/seed-1"
Run = tuple[Record, dict[str, list[float]]]  # and its curve
ARMS = ("original", "original.tail-bn", "full-preactivation")


def arm(name: str) -> Run:
    """Record and curve of an arm of 1001 layers."""
    return _read(DEEP / name / "seed-1")


def resnet_20() -> Run:
    """Record and curve of the original with 20 layers."""
    return _read(SHALLOW)


def _read(path: Path) -> Run:
    return (
        read_record(path.with_suffix(".json")),
        read_curve(path.with_suffix(".csv")),
    )


def whole_recipe(strings: Strings) -> Picture:
    """Training error by iteration, and the test error where measured."""
    record, run = resnet_20()
    names = strings("figure.training_error"), strings("runs.test_error")
    tested = [
        pair
        for pair in zip(run["iteration"], run["test_error_pct"], strict=True)
        if not math.isnan(pair[1])
    ]

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        look: Any = {"color": color_of("original"), "listed": True}
        at, errors = run["iteration"], run["train_error_pct"]
        ends = range(EVERY, len(errors) + 1, EVERY)
        means = [sum(errors[end - EVERY : end]) / EVERY for end in ends]
        panel.plot(at[EVERY - 1 :: EVERY], means, name=names[0], **look)
        at, errors = map(list, zip(*tested, strict=True))
        panel.plot(at, errors, "D", name=names[1], **look)
        panel.ax.axhline(REPORTED_PCT, color="#808080", ls=":", lw=1)
        panel.ax.set(xlim=(0, 1.02 * record.iterations), ylim=(0, 75))
        panel.ax.set_xlabel(strings("race.step"))
        chart.legend(ncols=2)

    alt = strings(
        "runs.whole_alt",
        trained=strings.percent(run["train_error_pct"][-1], 1),
        tested=strings.percent(record.test_error_pct, 1),
    )
    return draw(on, (140, 75), alt)


def first_thousand(strings: Strings) -> Picture:
    """Training loss by iteration, three arms of 1001 layers."""
    runs = {name: arm(name) for name in ARMS}
    names = {
        name: arm_name(name.replace(".tail-bn", "+final-bn"), strings)
        for name in ARMS
    }

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        for name, (record, run) in runs.items():
            panel.plot(
                run["iteration"],
                run["loss"],
                "--" if "." in name else "-",
                color=color_of(record.row),
                name=names[name],
                listed=True,
            )
        panel.ax.set(xlim=(0, 1000), ylim=(1, 3))
        panel.ax.set_xlabel(strings("race.step"))
        panel.ax.set_ylabel(strings("runs.loss"))
        chart.legend(ncols=1)

    ends = [
        f"{names[name]} {run['loss'][-1]:.2f}"
        for name, (_, run) in runs.items()
    ]
    alt = strings("runs.first_alt", each=strings.join(ends))
    return draw(on, (140, 75), alt)
