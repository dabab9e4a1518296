"""The planner of chapter 08, its tables, and the page's own sums."""

import html
import json
import re
import shutil
import subprocess
from typing import get_args

import pytest

from paths import ROOT
from preact.book import setup
from preact.book.training import (
    RECIPES,
    SOURCES,
    planner,
    recipe_table,
    step_gb,
    table_3,
    table_4,
)
from preact.fast import Memory
from preact.plan import cifar_plan
from preact.train import find_recipe

NODE = shutil.which("node")
QUESTIONS = [
    {"way": way, "n": n, "batch": batch, "width": width}
    for way in get_args(Memory)
    for n, batch, width in ((1, 8, 1), (18, 128, 0.5), (111, 256, 1))
]


@pytest.fixture(autouse=True)
def _english():
    setup("en")


def data():
    """What the page hands to the planner."""
    (text,) = re.findall(r'data-planner="([^"]*)"', planner().markup)
    return json.loads(html.unescape(text))


def test_the_parameters_of_any_depth_lie_on_the_planners_line():
    none, each = data()["parameters"]
    for n in (1, 3, 18, 111):
        plan = cifar_plan("full-preactivation", depth=9 * n + 2, convs=3)
        assert plan.parameters == none + each * n


@pytest.mark.skipif(NODE is None, reason="the page's script runs in Node")
def test_the_page_adds_up_what_python_adds_up():
    answer = subprocess.run(
        [NODE, str(ROOT / "tests/engine/planner.js")],
        input=json.dumps({"data": data(), "questions": QUESTIONS}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    for ask, got in zip(QUESTIONS, json.loads(answer.stdout), strict=True):
        wanted = step_gb(ask["n"], ask["way"], ask["batch"], ask["width"])
        assert got == pytest.approx(wanted, rel=0.01)


def test_without_a_script_the_planner_is_a_table_of_three_depths():
    page = planner().markup
    assert len(page) < 30_000
    for depth in (29, 164, 1001):
        assert f"ResNet-{depth}" in page


def test_every_field_of_a_recipe_has_a_source_but_what_differs_by_name():
    fields = set(find_recipe("paper").__dict__)
    no_row = {"name", "conventions", "schedule", "label_smoothing"}
    assert set(SOURCES) == fields - no_row
    assert len(recipe_table().head) == len(RECIPES) + 2


def test_tables_say_what_has_not_been_run():
    body = table_3().body
    assert len(body) == 6
    assert all(line[4] == "not run" for line in body)
    digits = {line[1]: line[5:] for line in body if line[0] == "CIFAR-10"}
    assert digits["ResNet-110 (1-layer skip)"] == ["not run", "not run"]
    assert digits["ResNet-1001"] == ["86.39 (n = 3)", "6.94 (n = 3)"]
    spreads = [line[5] for line in table_4().body if line[5]]
    assert spreads == ["4.89 ± 0.14", "4.69 ± 0.20", "22.68 ± 0.22"]
