"""The planner of chapter 08, its tables, and the page's own sums."""

import html
import json
import re
import shutil
from typing import get_args

import pytest

from engine.calls import call, needs_node
from paths import ROOT
from preact import paper
from preact.book import setup
from preact.book.planner import kept_bytes
from preact.book.training import (
    RECIPES,
    SOURCES,
    by_hand,
    planner,
    recipe_table,
    step_gb,
    table_3,
    table_4,
)
from preact.fast import Memory
from preact.plan import cifar_plan
from preact.records.compare import PUBLISHED
from preact.strings import LANGUAGES
from preact.train import find_recipe

QUESTIONS = [
    (way, n, batch, width)
    for way in get_args(Memory)
    for n, batch, width in ((1, 8, 1), (18, 128, 0.5), (111, 256, 1))
]


@pytest.fixture(autouse=True)
def _english():
    setup("en")


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
    answers = call("planner.gigabytes", [[page, *q] for q in QUESTIONS])
    for (way, n, batch, width), got in zip(QUESTIONS, answers, strict=True):
        wanted = step_gb(n, way, batch, width)
        assert got == pytest.approx(wanted, rel=0.01)


def test_both_planners_keep_the_same_bytes_of_a_deep_network():
    """By hand twelve numbers a unit; by the plan, shapes layer by layer."""
    for n in (18, 111):
        plan = cifar_plan("full-preactivation", depth=9 * n + 2, convs=3)
        kept_mb, _ = by_hand(n, "keep")
        assert kept_bytes(plan, 4) / 1e6 == pytest.approx(kept_mb, rel=0.02)


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gains_of_table_3_are_those_of_the_paper(language):
    """Each error twice read, each gain computed, additions counted."""
    text = (ROOT / f"book/{language}/07-depth.md").read_text("utf-8")
    rows = re.findall(r"^\| .*\| \$(\d+)\$ \| (.*) \| ?(.*) ?\|$", text, re.M)
    printed = [
        (data, int(additions), *map(float, re.findall(r"[\d.]+", cell)))
        for additions, *cells in rows
        for data, cell in zip(("CIFAR-10", "CIFAR-100"), cells, strict=True)
        if cell.strip()
    ]
    error = {
        (r.data, (r.depth - 2) // r.convs, r.network, r.row): r.error_pct
        for r in paper.results(3)
    }
    expected = [
        (data, additions, before, after, round(before - after, 2))
        for (data, additions, network, row), before in error.items()
        if row == "original"
        for after in [error[data, additions, network, "full-preactivation"]]
    ]
    assert set(printed) <= set(expected)


def test_table_3_shows_cifar_as_soon_as_it_is_recorded(tmp_path):
    for name in ("table_3", "digits_depth"):
        shutil.copytree(PUBLISHED / "digits_depth", tmp_path / name)
    lines = {tuple(line[:2]): line for line in table_3(tmp_path).body}
    line = lines["CIFAR-10", "ResNet-1001"]
    assert line[4] == ", ".join(line[5:])
    assert "(n = 3)" in line[4]
    assert lines["CIFAR-100", "ResNet-1001"][4] == "not run"
    assert lines["CIFAR-10", "ResNet-110 (1-layer skip)"][4] == "not run"


def test_table_4_gives_the_spread_where_the_paper_does():
    spreads = [line[5] for line in table_4().body if line[5]]
    assert spreads == ["4.89 ± 0.14", "4.69 ± 0.20", "22.68 ± 0.22"]
