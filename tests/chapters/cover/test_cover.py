"""The cover shows what was recorded, and its sentences hold in every run."""

import numpy as np
import pytest

from preact.book.cover import DEPTH, EXPERIMENT, ROWS, STAGES, recorded_course
from preact.plan import cifar_plan
from preact.records.compare import load_records
from preact.spec import TABLE_2


def runs(row):
    return [
        run
        for run in load_records(EXPERIMENT)
        if (run.depth, run.row) == (DEPTH, row)
    ]


def profiles(row, *iterations):
    for profile in (p for run in runs(row) for p in run.profiles):
        if profile.iteration in iterations:
            yield np.array(profile.gradient_norm), profile.open_share


def test_the_cover_has_333_units_in_three_stages_of_three_runs():
    plan = cifar_plan(
        TABLE_2["original"], depth=DEPTH, convs=3, image=(3, 8, 8)
    )
    shapes = plan.stream_shapes
    changes = [i for i in range(2, 334) if shapes[i] != shapes[i - 1]]
    assert [i - 1 for i in changes] == list(STAGES)
    for row in ROWS:
        moments, course = recorded_course(row)
        assert moments == [0, 1, 3, 10, 30, 100, 299]
        assert course.gradient.shape == course.open_share.shape == (7, 334)
        assert [run.seed for run in runs(row)] == [1, 2, 3]


@pytest.mark.parametrize("row", ROWS)
def test_before_training_the_first_unit_hears_a_thousandfold(row):
    for gradient, _ in profiles(row, 0):
        assert gradient[0] > 1000 * gradient[-1]


def test_a_hundred_steps_later_the_original_hears_less_than_a_thousandth():
    for gradient, shares in profiles("original", 100, 299):
        assert gradient[: STAGES[0]].max() < 0.001 * gradient[-1]
        assert shares[-1] < 0.001


def test_with_preactivation_no_unit_hears_less_than_a_fortieth():
    for gradient, shares in profiles("full-preactivation", 100):
        assert gradient.min() > gradient[-1] / 40
        assert min(shares) == 1.0


def test_only_the_network_of_full_preactivation_learns():
    errors = [[run.test_error_pct for run in runs(row)] for row in ROWS]
    assert min(errors[0]) > 80
    assert max(errors[1]) < 20
