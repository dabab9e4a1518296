"""A run on the digits that takes a moment, and a stop in it."""

import signal
from dataclasses import replace

from preact.data import load
from preact.train import Run, find_recipe


def small_run(row="full-preactivation", *, recipe=None, **facts):
    """The run; `recipe` has what is changed of that of the digits."""
    recipe = {"iterations": 12, "batch": 16, "ghost_batch": 8} | (recipe or {})
    facts = {"depth": 8, "convs": 2, "width": 4} | facts
    facts.setdefault("data", load("digits"))
    return Run(
        row=row, recipe=replace(find_recipe("digits"), **recipe), **facts
    )


def stop_at(iteration):
    """A report that presses Ctrl-C when it is told of an iteration.

    `train` takes it with report_every=1: the step after it is the last.
    """

    def report(point):
        if point["iteration"] == iteration:
            signal.raise_signal(signal.SIGINT)

    return report
