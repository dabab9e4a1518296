"""From 20 layers to 1001: what was recorded while networks trained.

Chapter `07-depth`.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Any, NamedTuple

import numpy as np

from preact.book.explorers import Html
from preact.book.page import words
from preact.figures import Picture, Table
from preact.figures.race import arm_name
from preact.figures.training import FINAL_BN, Moment, by_unit, legend
from preact.figures.variants import row_name
from preact.records import Record
from preact.records.compare import load_records

Array = np.ndarray[Any, np.dtype[np.float64]]

DEPTHS = (20, 110, 164, 1001)
POINTS = 22  # of a curve, at most
ROWS = ("original", "full-preactivation", "no-relu-after-addition")
RATE_EXPERIMENT = "digits_rates"
RATES = (0.1, 0.03, 0.01)  # after the warm-up
RATE_ROWS = ("original", "no-relu-after-addition", "full-preactivation")
SHOWN_TAILS = {"original": ("", "BN"), "no-relu-after-addition": ("", "BN")}


class Arm(NamedTuple):
    """All runs of one unit and tail at one depth.

    `moments` holds one entry for each iteration that every run reached.
    """

    units: int
    errors_pct: tuple[float, ...]
    moments: dict[int, Moment]


@cache
def _records(experiment: str) -> list[Record]:
    """Read an experiment once."""
    return load_records(experiment)


def recorded_runs(depth: int) -> dict[str, list[Record]]:
    """Runs on the digits by arm: a row, or a row and "+final-bn"."""
    runs: dict[str, list[Record]] = {}
    for name in ("digits_depth", "digits_table_2"):
        later = name == "digits_table_2"
        for run in _records(name):
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
            arm = row + (FINAL_BN if tail == "BN" else "")
            runs.setdefault(arm, []).append(run)
    return runs


def recorded_arms(depth: int) -> dict[str, Arm]:
    """Read signal, gradient and open share of every arm of one depth."""
    arms = {}
    for arm, runs in recorded_runs(depth).items():
        reached = set.intersection(
            *({p.iteration for p in run.profiles} for run in runs)
        )
        units = len(runs[0].profiles[0].signal_rms) - 1
        moments = {}
        for i in sorted(reached):
            profiles = [
                p for run in runs for p in run.profiles if p.iteration == i
            ]
            moments[i] = _moment(profiles)
        errors = tuple(run.test_error_pct for run in runs)
        arms[arm] = Arm(units, errors, moments)
    return arms


def _moment(profiles: Sequence[Any]) -> Moment:
    """Least, median and greatest over the runs, at evenly spaced units."""
    signal, gradient, share = (
        np.array([getattr(p, name) for p in profiles], dtype=np.float64)
        for name in ("signal_rms", "gradient_norm", "open_share")
    )
    gradient = gradient / gradient[:, -1:]
    last = signal.shape[1] - 1
    at = np.unique(np.linspace(0, last, min(POINTS, last + 1)).round())
    least, median, greatest = (
        [f(v, axis=0)[at.astype(int)] for v in (signal, gradient, share)]
        for f in (np.min, np.median, np.max)
    )
    three = zip(least, median, greatest, strict=True)
    return Moment(*(np.array(values) for values in three))


def training_by_depth(start: int = 1001) -> Html:
    """Two sliders over what was recorded: the depth and the iteration.

    Parameters
    ----------
    start : int
        The depth that is shown at first, one of `DEPTHS`, at iteration 0.
    """
    say = words()
    parts, iterations = [], []
    for depth in DEPTHS:
        arms = recorded_arms(depth)
        iterations = sorted({i for arm in arms.values() for i in arm.moments})
        errors = {name: arm.errors_pct for name, arm in arms.items()}
        frames = "".join(
            f"<div data-moment{'' if i == 0 else ' hidden'}>"
            f"{_frame(depth, arms, i)._repr_html_()}</div>"
            for i in iterations
        )
        hidden = "" if depth == start else " hidden"
        parts.append(
            f"<div data-depth{hidden}>{frames}{legend(errors, say)}</div>"
        )
    first = DEPTHS.index(start)
    controls = _slider("depth", say("training.layers"), DEPTHS, first)
    controls += _slider("moment", say("explorer.iteration"), iterations, 0)
    title = escape(say("training.title"), quote=True)
    return Html(
        f'<div class="preact-explorer preact-training" role="group" '
        f'aria-label="{title}"><div class="controls">{controls}</div>'
        f"{''.join(parts)}</div>"
    )


def _frame(depth: int, arms: Mapping[str, Arm], iteration: int) -> Picture:
    """Draw the arms that reached an iteration, and iteration 0 pale."""
    say = words()
    now, ghosts, each = {}, {}, []
    for name, arm in arms.items():
        if iteration not in arm.moments:
            each.append(say("training.diverged", name=arm_name(name, say)))
            continue
        now[name] = m = arm.moments[iteration]
        if iteration:
            ghosts[name] = arm.moments[0]
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
        "training.alt",
        depth=depth,
        iteration=iteration,
        each=" ".join(each),
    )
    units = next(iter(arms.values())).units
    return by_unit(now, ghosts, units, alt, say)


def _slider(what: str, label: str, values: Sequence[int], first: int) -> str:
    """One slider that shows the parts of one kind by its place.

    The handler lives in the attribute: it also works where a notebook shows
    the markup but runs no script element.
    """
    keys = escape(json.dumps([str(v) for v in values]), quote=True)
    show = (
        "const now=JSON.parse(this.dataset.keys)[this.value];"
        "this.nextElementSibling.textContent=now;"
        "this.setAttribute('aria-valuetext',now);"
        "const box=this.closest('.preact-explorer');"
        "const groups=this.dataset.of=='depth'?[box]:"
        "box.querySelectorAll('[data-depth]');"
        "groups.forEach(g=>g.querySelectorAll('[data-'+this.dataset.of+']')"
        ".forEach((f,i)=>{if(f.tagName=='DIV')f.hidden=i!=this.value;}));"
    )
    return (
        f"<label>{escape(label)} "
        f'<input type="range" min="0" max="{len(values) - 1}" '
        f'value="{first}" data-of="{what}" data-keys="{keys}" '
        f'aria-label="{escape(label, quote=True)}" '
        f'aria-valuetext="{values[first]}" oninput="{show}">'
        f"<output>{values[first]}</output></label>"
    )


def runs_by_rate(depth: int) -> dict[tuple[str, str, float], list[Record]]:
    """Runs of one depth, by row, tail and the rate after the warm-up."""
    runs: dict[tuple[str, str, float], list[Record]] = {}
    for run in _records(RATE_EXPERIMENT):
        if run.depth == depth:
            key = run.row, run.tail, float(run.config["recipe"]["lr"])
            runs.setdefault(key, []).append(run)
    return runs


def errors_by_rate() -> tuple[tuple[float, ...], dict[str, Array]]:
    """Test errors of ResNet-110 at three learning rates.

    No BN is added in front of the classifier; pre-activation brings its own.

    Returns
    -------
    rates : tuple of float
        After the warm-up.
    errors : row to (3, seeds) float64
        In percent, of the seeds that ran at every rate.
    """
    found = runs_by_rate(110)
    errors: dict[str, Array] = {}
    for row in RATE_ROWS:
        tail = SHOWN_TAILS.get(row, ("BN ReLU",))[0]
        by_seed = [
            {run.seed: run.test_error_pct for run in found[row, tail, rate]}
            for rate in RATES
        ]
        seeds = sorted(set.intersection(*map(set, by_seed)))
        errors[row] = np.array([[e[s] for s in seeds] for e in by_seed])
    return RATES, errors


def rates_table() -> Table:
    """Every unit and head at every rate: medians and ranges of the runs."""
    say, body = words(), []
    for depth in sorted({run.depth for run in _records(RATE_EXPERIMENT)}):
        found = runs_by_rate(depth)
        for row, tail in dict.fromkeys(key[:2] for key in found):
            runs = [found.get((row, tail, rate), []) for rate in RATES]
            body.append(
                [
                    f"ResNet-{depth}",
                    row_name(row, say),
                    tail or say("runs.nothing"),
                    *(_spread([r.test_error_pct for r in at]) for at in runs),
                    str(min(map(len, runs))),
                ]
            )
    head = [say(f"runs.{name}") for name in ("network", "unit", "tail")]
    head += [*(f"{rate:g}" for rate in RATES), say("depth.runs")]
    return Table(head, body, say("depth.rates"))


def _spread(errors: Sequence[float]) -> str:
    """Median, and least and greatest behind it."""
    if not errors:
        return "–"
    low, middle, high = np.percentile(errors, [0, 50, 100])
    return f"{middle:.1f} ({low:.1f}–{high:.1f})"
