"""From 20 layers to 1001: what was recorded, and the paper's errors.

Chapter `07-depth`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact import paper
from preact.book.explorers import Html, slider
from preact.book.page import fold, words
from preact.book.panels import FINAL_BN, Quantity, by_unit, legend, panels
from preact.book.recorded import runs_at
from preact.figures import Picture, Table
from preact.figures.tables import NOTHING
from preact.figures.variants import arm_name
from preact.records import Record
from preact.records.compare import load_records
from preact.reference.caches import Array

DEPTHS = (20, 110, 164, 1001)
POINTS = 22  # of a curve, at most
ROWS = ("original", "full-preactivation", "no-relu-after-addition")
COMPARED = ("original", "full-preactivation" + FINAL_BN)  # in Table 3
RATES = (0.1, 0.03, 0.01)  # after the warm-up
TABLES = {
    "digits_110": (110, dict.fromkeys(RATES, "digits_rates")),
    "digits_164": (164, dict.fromkeys(RATES, "digits_rates")),
    "images_110": (
        110,
        {0.1: "cifar16_table_2", 0.03: "cifar16_table_2_lr_003"},
    ),
}  # depth, and the experiment at each rate
MOMENTS = (0, 1, 10, 30, 100)  # that are shown, of those recorded
QUANTITIES: dict[str, Callable[[Any], float]] = {  # of a profile
    "first_signal": lambda p: p.signal_rms[0],
    "ratio": lambda p: p.gradient_norm[0] / p.gradient_norm[-1],
    "last": lambda p: p.gradient_norm[-1],
    "open_last": lambda p: p.open_share[-1],
}
PANELS = (
    Quantity("signal", (-1, 1, 3, 5), True),
    Quantity("gradient", (-12, -8, -4, 0, 4, 8), True),
    Quantity("open", (0, 0.5, 1), False),
)
SHOWN_TAILS = {"original": ("", "BN"), "no-relu-after-addition": ("", "BN")}


class Moment(NamedTuple):
    """One arm at one iteration: (3, L + 1) each, least, median and greatest.

    `gradient` is relative to that at the last unit.
    """

    signal: Array
    gradient: Array
    open: Array


class Arm(NamedTuple):
    """All runs of one unit and tail at one depth, at `MOMENTS`."""

    units: int
    errors_pct: tuple[float, ...]
    moments: dict[int, Moment]


@cache
def recorded_runs(depth: int) -> dict[str, list[Record]]:
    """Runs on the digits by arm: a row, or a row and "+final-bn".

    Pre-activation is as in the paper and so has the final BN.
    """
    runs: dict[str, list[Record]] = {}
    for name in ("digits_depth", "digits_table_2"):
        later = name == "digits_table_2"
        for run in load_records(name):
            row, tail = run.row, run.tail
            if run.depth != depth or row not in ROWS:
                continue
            if tail not in SHOWN_TAILS.get(row, ("BN ReLU",)):
                continue
            if later and (row, tail) in (
                ("original", ""),
                ("full-preactivation", "BN ReLU"),
            ):
                continue  # the same runs as in digits_depth
            arm = row + (FINAL_BN if "BN" in tail else "")
            runs.setdefault(arm, []).append(run)
    return runs


def recorded_arms(depth: int) -> dict[str, Arm]:
    """Read signal, gradient and open share of every arm of one depth."""
    arms = {}
    for arm, runs in recorded_runs(depth).items():
        units = len(runs[0].profiles[0].signal_rms) - 1
        profiles = [p for run in runs for p in run.profiles]
        moments = {}
        for i in MOMENTS:
            now = [p for p in profiles if p.iteration == i]
            moments[i] = Moment(*by_unit(now, "open_share", POINTS))
        errors = tuple(run.test_error_pct for run in runs)
        arms[arm] = Arm(units, errors, moments)
    return arms


def training_by_depth(start: int = 1001, moment: int = 30) -> Html:
    """Two sliders over what was recorded: the depth and the iteration.

    At first they stand at one of `DEPTHS` and of `MOMENTS`.
    """
    say = words()
    parts = []
    for depth in DEPTHS:
        arms = recorded_arms(depth)
        named = legend({name: _ended(name, arm) for name, arm in arms.items()})
        frames = "".join(
            f"<div data-moment{'' if i == moment else ' hidden'}>"
            f"{_frame(depth, arms, i)._repr_html_()}</div>"
            for i in MOMENTS
        )
        hidden = "" if depth == start else " hidden"
        parts.append(f"<div data-depth{hidden}>{frames}{named}</div>")
    controls = "".join(
        slider(kind, say(label), [*map(str, values)], values.index(first))
        for kind, label, values, first in (
            ("depth", "training.layers", DEPTHS, start),
            ("moment", "explorer.iteration", MOMENTS, moment),
        )
    )
    title = escape(say("training.title"), quote=True)
    return Html(
        f'<div class="preact-explorer preact-training" role="group" '
        f'aria-label="{title}"><div class="controls">{controls}</div>'
        f"{''.join(parts)}</div>"
    )


def _ended(name: str, arm: Arm) -> str:
    """Name an arm with the test errors of its runs."""
    say, errors = words(), arm.errors_pct
    error = say.percents(min(errors), max(errors), 0)
    return say("training.error", name=arm_name(name, say), error=error)


def _frame(depth: int, arms: Mapping[str, Arm], iteration: int) -> Picture:
    """Draw the arms at an iteration, and at iteration 0 pale."""
    say = words()
    now, ghosts, each = {}, {}, []
    for name, arm in arms.items():
        m = arm.moments[iteration]
        now[name] = m._asdict()
        if iteration:
            ghosts[name] = arm.moments[0]._asdict()
        each.append(
            say(
                "training.each",
                name=arm_name(name, say),
                signal=say.two_digits(m.signal[1, -1]),
                gradient=say.two_digits(m.gradient[1, 0]),
                open=say.two_digits(m.open[1, -1]),
            )
        )
    alt = say(
        "training.alt", depth=depth, iteration=iteration, each=" ".join(each)
    )
    units = next(iter(arms.values())).units
    return panels(PANELS, now, ghosts, units, alt, say)


def share_left(runs: Sequence[Record], quantity: str, iteration: int) -> Array:
    """Return what is left of one of `QUANTITIES` since iteration 0, by run."""
    shares, read = [], QUANTITIES[quantity]
    for run in runs:
        at = {p.iteration: p for p in run.profiles}
        shares.append(read(at[iteration]) / read(at[0]))
    return np.array(shares)


def interval(values: Array) -> str:
    """Write the least and the greatest, once if both look alike."""
    say = words()
    low, high = say.two_digits(values.min()), say.two_digits(values.max())
    return low if low == high else f"{low}–{high}"


def chapter_runs() -> dict[tuple[int, str, float], list[Record]]:
    """Return the runs of the text, by depth, arm and rate."""
    high, low = runs_at(110, 0.1), runs_at(110, 0.01)
    runs = {(110, arm, 0.1): high[arm] for arm in COMPARED}
    runs[110, "original", 0.01] = low["original"]
    for depth in (164, 1001):
        runs[depth, "original", 0.1] = recorded_runs(depth)["original"]
    runs[1001, COMPARED[1], 0.1] = recorded_runs(1001)[COMPARED[1]]
    return runs


def errors_by_rate(depth: int = 110) -> dict[str, Array]:
    """Test errors of six arms at `RATES`, in percent, (3, seeds) by arm.

    Pre-activation "+final-bn" is as in the paper; else it ends in a ReLU.
    """
    by_rate = [runs_at(depth, rate) for rate in RATES]
    return {
        arm: np.array([[r.test_error_pct for r in at[arm]] for at in by_rate])
        for arm in by_rate[0]
    }


def last_relu_table() -> Table:
    """Median errors of the original and of the control in each setting.

    The two differ in the last ReLU alone.
    """
    say = words()
    body = []
    for name, (depth, files) in TABLES.items():
        at = {rate: runs_at(depth, rate, file) for rate, file in files.items()}
        for end in ("", FINAL_BN):
            pairs = [
                [_median(at[rate][row + end]) for row in (ROWS[0], ROWS[2])]
                if rate in at
                else [NOTHING]
                for rate in RATES
            ]
            has = say("depth.yes" if end else "depth.no")
            body.append([say(f"depth.{name}"), has, *map(" → ".join, pairs)])
    rates = [f"{rate:g}" for rate in RATES]
    head = [say("depth.runs"), say("depth.final_bn"), *rates]
    return Table(head, body, say("depth.last_relu"))


def _median(runs: Sequence[Record]) -> str:
    return f"{np.median([run.test_error_pct for run in runs]):.1f}"


def six_networks() -> Html:
    """Every one of `TABLES`, folded."""
    say = words()
    tables = {
        say("depth.six", runs=say(f"depth.{name}")): errors_at_rates(name)
        for name in TABLES
    }
    folded = (fold(name, t._repr_html_()) for name, t in tables.items())
    plain = "\n".join(f"{name}\n{table}" for name, table in tables.items())
    return Html(f'<div class="preact-cards">{"".join(folded)}</div>', plain)


def errors_at_rates(name: str) -> Table:
    """Test errors of six arms at each rate of one of `TABLES`.

    Median and range, or all runs.
    """
    say, (depth, files) = words(), TABLES[name]
    found = [runs_at(depth, rate, file) for rate, file in files.items()]
    body = [
        [arm_name(arm, say), *(_ends(by_arm[arm]) for by_arm in found)]
        for arm in found[0]
    ]
    head = [say("table.network"), *(f"{rate:g}" for rate in files)]
    return Table(head, body, say(f"depth.{name}_all"))


def _ends(runs: Sequence[Record]) -> str:
    """Write the errors of up to three runs, or the median and the range."""
    if len(runs) > 3:
        return _spread(runs)
    return ", ".join(f"{run.test_error_pct:.1f}" for run in runs)


def _spread(runs: Sequence[Record]) -> str:
    errors = [run.test_error_pct for run in runs]
    return f"{_median(runs)} ({min(errors):.1f}–{max(errors):.1f})"


# ------------------------------------------------------------- the paper
def table_3() -> Table:
    """Table 3 of the paper, with its gains, and all our runs at 0.1."""
    say = words()
    errors: dict[tuple[str, str, str], dict[str, float]] = {}
    for result in paper.results(3):
        assert result.error_pct is not None
        units = str((result.depth - 2) // result.convs)
        key = result.data, _network(result.network), units
        errors.setdefault(key, {})[result.row] = result.error_pct
    body = []
    for named, by_row in errors.items():
        before, after = (by_row[row] for row in ROWS[:2])
        gain = f"{before - after:.2f}"
        body.append([*named, f"{before:.2f}", f"{after:.2f}", gain])
    for depth in DEPTHS[1:]:
        found = [runs_of(depth, arm) for arm in COMPARED]
        units = str(len(found[0][0].profiles[0].signal_rms) - 1)
        line = [say("depth.our_digits"), f"ResNet-{depth}", units]
        ends = [float(_median(runs)) for runs in found]
        gain = f"{ends[0] - ends[1]:.1f}"
        body.append([*line, *map(_spread, found), gain])
    head = [say("table.data"), say("table.network"), say("depth.additions")]
    head += [say("depth.before"), say("depth.after"), say("depth.gain")]
    return Table(head, body, say("depth.table_3"))


def runs_of(depth: int, arm: str) -> list[Record]:
    """All our runs of an arm on the digits at 0.1, of every seed."""
    return [*recorded_runs(depth)[arm], *runs_at(depth, 0.1)[arm]]


def _network(name: str) -> str:
    """Say what Table 3 calls a network in the page's language."""
    say = words()
    return name.replace(" (1-layer skip)", say("depth.one_convolution"))
