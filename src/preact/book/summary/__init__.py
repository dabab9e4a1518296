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
from preact.book.summary.figures import Group, errors_by_condition
from preact.figures.style import Picture
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
        found["ahead"] += int(control < original)
        found["level"] += int(control == original)
        found["behind"] += int(control > original)
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
    """Draw every run as a dot, a line for each set of conditions."""
    say = words()
    groups = [
        Group(
            say(f"conditions.{NAMES[one]}"),
            {row: np.array(errors) for row, errors in rows.items()},
        )
        for one, rows in runs_by_condition().items()
    ]
    return errors_by_condition(groups, say)
