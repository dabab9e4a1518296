"""The cover shows what was recorded."""

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
