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

TOLD = 100  # the iteration that the alternative text speaks of


def courses(depth: int, lr: float) -> dict[str, Course]:
    """Read what was recorded, as long as every run of an arm went on."""
    return {arm: course(runs) for arm, runs in runs_at(depth, lr).items()}


def course(runs: Sequence[Record]) -> Course:
    """Least, median and greatest over the runs."""
    by_run = [{p.iteration: p for p in run.profiles} for run in runs]
    reached = sorted(set.intersection(*map(set, by_run)))
    profiles = [[moments[i] for i in reached] for moments in by_run]
    gradient, share = (
        np.array(
            [[getattr(p, name) for p in run] for run in profiles],
            dtype=np.float64,
        )
        for name in ("gradient_norm", "open_share")
    )
    first, last = gradient[..., 0], gradient[..., -1]
    values = first, last, share[..., -1]
    return Course(np.array(reached), *map(over_runs, values))


def six_arms(depth: int = 110, rates: Sequence[float] = (0.1, 0.01)) -> Html:
    """Draw gradients and open paths of six arms, the rates side by side."""
    say = words()
    by_rate = {lr: courses(depth, lr) for lr in rates}
    ended: dict[str, list[str]] = {}
    for lr in rates:
        for arm, runs in runs_at(depth, lr).items():
            found = [run.test_error_pct for run in runs]
            error = say.percents(min(found), max(found), 0)
            said = say("training.error_at", error=error, lr=f"{lr:g}")
            ended.setdefault(arm, []).append(said)
    errors = {
        arm: say(
            "training.errors", name=arm_name(arm, say), errors=say.join(each)
        )
        for arm, each in ended.items()
    }
    told = []
    for lr, arms in by_rate.items():
        each = []
        for arm, course in arms.items():
            (at,) = np.flatnonzero(course.iterations == TOLD)
            first, last, share = (
                say.two_digits(getattr(course, name)[1, at])
                for name in ("first", "last", "open_last")
            )
            name = arm_name(arm, say)
            each.append(
                say(
                    "training.by_rate",
                    name=name,
                    first=first,
                    last=last,
                    open=share,
                )
            )
        told.append(say("training.rate", lr=f"{lr:g}", each=" ".join(each)))
    alt = say(
        "training.rates_alt",
        depth=depth,
        rates=say.join([f"{lr:g}" for lr in rates]),
        iteration=TOLD,
        each=" ".join(told),
    )
    picture = by_iteration(by_rate, alt, say)._repr_html_()
    named = legend(errors)
    return Html(f'<div class="preact-training">{picture}{named}</div>', alt)
