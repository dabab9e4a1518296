"""All that ResNet-110 did on digits, by the conditions that it kept.

Chapter `13-summary`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from preact.book.page import words
from preact.book.panels import FINAL_BN
from preact.book.recorded import AT_RATES, runs_at
from preact.figures.chart import Chart, draw
from preact.figures.lines import on_one_line
from preact.figures.style import PAPER_GREY, Picture
from preact.figures.ticks import percent_axis
from preact.figures.variants import marked, row_name
from preact.paper import FAIL_ERROR_PCT
from preact.records import Record
from preact.records.compare import load_records
from preact.spec import ROWS, Scale

# Not twice what only computed otherwise, nor another learning rate.
PAIR = ("original", "no-relu-after-addition")
MATCHED = (
    *("digits_rates", "cifar16_table_2", "cifar16_table_2_lr_003"),
    "cifar_table_2_three_epochs",
)
EXPERIMENTS = (
    "digits_depth",
    "digits_rates",
    "digits_table_1",
    "digits_table_1_final_bn",
    "digits_table_2",
    "digits_twelve",
)
LEARNING_RATE = 0.1
HEIGHT = 0.3  # of the band over which the dots of a line are spread
ONE = Scale(1.0)


class Kept(NamedTuple):
    """Which conditions a network keeps.

    `h` and `f` are the paper's: an identity on the shortcut, with a branch
    that is added as it is, and an identity after the addition. `head` is
    ours: a BN between the last unit and the classifier.
    """

    h: bool
    f: bool
    head: bool


# Words of each set of conditions, from the strictest on.
NAMES = {
    Kept(h=True, f=True, head=True): "both_head",
    Kept(h=True, f=True, head=False): "both",
    Kept(h=True, f=False, head=True): "f_broken_head",
    Kept(h=True, f=False, head=False): "f_broken",
    Kept(h=False, f=False, head=True): "h_broken_head",
    Kept(h=False, f=False, head=False): "h_broken",
}


def runs_by_condition() -> dict[Kept, dict[str, list[float]]]:
    """Gather test errors in percent, by conditions and by row.

    Every recorded ResNet-110 on digits at a learning rate of 0.1, each
    configuration and seed once.
    """
    runs = [*_distinct()]
    return {
        one: by_row(run for run in runs if kept(run) == one) for one in NAMES
    }


def _distinct() -> Iterator[Record]:
    """Yield each run once; experiments share their baselines."""
    seen = set()
    for experiment in EXPERIMENTS:
        for run in load_records(experiment):
            key = run.row, run.tail, run.seed
            deep = run.depth == 110 and key not in seen
            if deep and run.config["recipe"]["lr"] == LEARNING_RATE:
                seen.add(key)
                yield run


def kept(run: Record) -> Kept:
    """Say which of the three conditions a recorded network keeps."""
    if run.row in ROWS:
        unit = ROWS[run.row]
        straight = unit.on_shortcut == ONE and unit.on_branch == ONE
        bare = unit.is_identity_after
    else:  # an own unit differs in the places of BN and ReLU alone
        straight = True
        bare = not run.config["unit"]["after"]
    return Kept(straight, bare, "BN" in run.tail)


def failed_pct(rows: dict[str, list[float]]) -> float:
    """Percentage of runs that the paper would call failed."""
    errors = np.concatenate([*rows.values()])
    return float(100 * (errors > FAIL_ERROR_PCT).mean())


def by_row(runs: Iterable[Record]) -> dict[str, list[float]]:
    """Gather test errors in percent."""
    rows: dict[str, list[float]] = {}
    for run in runs:
        rows.setdefault(run.row, []).append(run.test_error_pct)
    return rows


def at_a_tenth_of_the_rate() -> dict[str, list[float]]:
    """Gather test errors in percent of ResNet-110 as drawn, by row.

    Every recorded run on digits at a learning rate of 0.01.
    """
    wanted = "digits", 110, LEARNING_RATE / 10
    return by_row(
        run
        for run in load_records()
        if (run.data, run.depth, run.config["recipe"]["lr"]) == wanted
        and run.tail == " ".join(ROWS[run.row].pre)
    )


def without_the_last_relu() -> Counter[str]:
    """Count where taking away the original's last ReLU alone helped.

    Original against control, by median test error: the same network, images,
    rate and tail. "ahead", "level" or "behind" is the control.
    """
    cells: dict[tuple[object, ...], dict[str, list[float]]] = {}
    for experiment in MATCHED:
        for run in load_records(experiment):
            if run.row in PAIR and run.tail in ("", "BN"):
                lr = run.config["recipe"]["lr"]
                key = run.data_label, run.depth, lr, run.tail
                rows = cells.setdefault(key, {})
                rows.setdefault(run.row, []).append(run.test_error_pct)
    found: Counter[str] = Counter()
    for rows in cells.values():
        original, control = (np.median(rows[row]) for row in PAIR)
        ahead, level = control < original, control == original
        found["ahead" if ahead else "level" if level else "behind"] += 1
    return found


def under_a_final_bn(lr: float) -> dict[str, list[float]]:
    """Gather test errors in percent of ResNet-110 on digits, by row.

    Original, control and full pre-activation, each with a BN before the
    classifier.
    """
    runs = runs_at(110, lr)
    return {
        row: [run.test_error_pct for run in runs[row + FINAL_BN]]
        for row in AT_RATES
    }


def short_on_cifar() -> dict[str, list[float]]:
    """Gather test errors in percent of ResNet-20 on CIFAR-10, by row.

    Every short run with a BN before the classifier.
    """
    runs = load_records("cifar_table_2_three_epochs")
    return by_row(run for run in runs if "BN" in run.tail)


def conditions_figure() -> Picture:
    """Draw every run as a dot, on a line for each set of conditions.

    The words are those of ResNet-110 on digits, learning rate 0.1. Rows of a
    line stand a little apart; color and marker are the unit's own. The dotted
    line is the paper's "fail".
    """
    say = words()
    lines = {
        say(f"conditions.{NAMES[one]}"): rows
        for one, rows in runs_by_condition().items()
    }

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        ax.axvline(FAIL_ERROR_PCT, color=PAPER_GREY, ls=":", lw=1.2)
        for y, (label, rows) in enumerate(lines.items()):
            for k, (row, errors) in enumerate(rows.items()):
                apart = (k + 0.5) / len(rows) - 0.5
                level = np.full(len(errors), y + 2 * HEIGHT * apart)
                style = marked(row) | {"ms": 4, "alpha": 0.7, "ls": ""}
                style |= {"told": (None, [label] * len(errors))}
                panel.plot(errors, level, name=row_name(row, say), **style)
        percent_axis(ax)
        ax.set_yticks(np.arange(len(lines)), [*lines])
        ax.set(ylim=(len(lines) - 0.4, -0.6))
        ax.set_xlabel(say("conditions.error"))
        ax.grid(axis="y", visible=False)

    each = []
    for label, rows in lines.items():
        found = np.concatenate([*rows.values()])
        each.append(
            say(
                "conditions.alt_group",
                label=on_one_line(label),
                n=len(found),
                failed=int((found > FAIL_ERROR_PCT).sum()),
                low=say.percent(float(found.min()), 1),
                high=say.percent(float(found.max()), 1),
            )
        )
    alt = say("conditions.alt", each=" ".join(each))
    return draw(on, (150, 22 + 14 * len(lines)), alt)
