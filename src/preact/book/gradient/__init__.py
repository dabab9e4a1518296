"""The gradient of six arms over the iterations, from records.

Chapter `03-gradient`.
"""

from collections.abc import Sequence

import numpy as np

from preact.book.explorers import Html
from preact.book.gradient.figures import Course, by_iteration
from preact.book.page import words
from preact.book.panels import legend, over_runs
from preact.book.recorded import runs_at
from preact.figures.variants import arm_name
from preact.records import Record

DEPTH, RATES = 110, (0.1, 0.01)
TOLD = 100  # the iteration that the alternative text speaks of


def course(runs: Sequence[Record]) -> Course:
    """Least, median and greatest over the runs."""
    by_run = [{p.iteration: p for p in run.profiles} for run in runs]
    reached = sorted(set.intersection(*map(set, by_run)))
    gradient, share = (
        np.array(
            [[getattr(p[i], name) for i in reached] for p in by_run],
            dtype=np.float64,
        )
        for name in ("gradient_norm", "open_share")
    )
    first, last = gradient[..., 0], gradient[..., -1]
    values = first, last, share[..., -1]
    return Course(np.array(reached), *map(over_runs, values))


def six_arms() -> Html:
    """Draw gradients and open paths of six arms, the rates side by side."""
    say = words()
    by_rate: dict[float, dict[str, Course]] = {}
    ended: dict[str, list[str]] = {}
    told = []
    for lr in RATES:
        by_rate[lr], each = {}, []
        for arm, runs in runs_at(DEPTH, lr).items():
            found = [run.test_error_pct for run in runs]
            error = say.percents(min(found), max(found), 0)
            said = say("training.error_at", error=error, lr=f"{lr:g}")
            ended.setdefault(arm, []).append(said)
            by_rate[lr][arm] = now = course(runs)
            (at,) = np.flatnonzero(now.iterations == TOLD)
            each.append(
                say(
                    "training.by_rate",
                    name=arm_name(arm, say),
                    first=say.two_digits(now.first[1, at]),
                    last=say.two_digits(now.last[1, at]),
                    open=say.two_digits(now.open_last[1, at]),
                )
            )
        told.append(say("training.rate", lr=f"{lr:g}", each=" ".join(each)))
    errors = {
        arm: say(
            "training.errors", name=arm_name(arm, say), errors=say.join(each)
        )
        for arm, each in ended.items()
    }
    alt = say(
        "training.rates_alt",
        depth=DEPTH,
        rates=say.join([f"{lr:g}" for lr in RATES]),
        iteration=TOLD,
        each=" ".join(told),
    )
    picture = by_iteration(by_rate, alt, say)._repr_html_()
    named = legend(errors)
    return Html(f'<div class="preact-training">{picture}{named}</div>', alt)
