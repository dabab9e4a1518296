"""The planner of chapter 09, its tables, and the page's own sums."""

import html
import json
import re
from typing import get_args

import pytest

from engine.calls import call, needs_node
from preact.book.imagenet.planner import kept_bytes
from preact.book.training import (
    RECIPES,
    SOURCES,
    by_hand,
    planner,
    recipe_table,
    step_gb,
)
from preact.nn.memory import Memory
from preact.plan import cifar_plan
from preact.train import find_recipe

QUESTIONS = [
    (way, n, batch, width)
    for way in get_args(Memory)
    for n, batch, width in ((1, 8, 1), (18, 128, 0.5), (111, 256, 1))
]


def data():
    """What the page hands to the planner."""
    (text,) = re.findall(r"data-planner='([^']*)'", planner().markup)
    return json.loads(html.unescape(text))


def test_the_parameters_of_any_depth_lie_on_the_planners_line():
    none, each = data()["parameters"]
    for n in (1, 3, 18, 111):
        plan = cifar_plan("full-preactivation", depth=9 * n + 2, convs=3)
        assert plan.parameters == none + each * n


@needs_node
def test_the_page_adds_up_what_python_adds_up():
    page = data()
    answers = call("training.gigabytes", [[page, *q] for q in QUESTIONS])
    for (way, n, batch, width), got in zip(QUESTIONS, answers, strict=True):
        wanted = step_gb(n, way, batch, width)
        assert got == pytest.approx(wanted, rel=0.01)


def test_both_planners_keep_the_same_bytes_of_a_deep_network():
    """By hand twelve numbers a unit; by the plan, shapes layer by layer."""
    for n in (18, 111):
        plan = cifar_plan("full-preactivation", depth=9 * n + 2, convs=3)
        kept_mb, _ = by_hand(n, "keep")
        assert kept_bytes(plan, 4) / 1e6 == pytest.approx(kept_mb, rel=0.02)


def test_every_field_of_a_recipe_has_a_source_but_what_differs_by_name():
    fields = set(find_recipe("paper").__dict__)
    no_row = {"name", "conventions", "schedule", "label_smoothing"}
    no_row |= {"optimizer"}  # SGD in all three
    assert set(SOURCES) == fields - no_row
    assert len(recipe_table().head) == len(RECIPES) + 2
