"""A run on the digits that takes a moment."""

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
