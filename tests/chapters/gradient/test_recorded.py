"""Six arms over the iterations: what is drawn is what was recorded."""

import numpy as np

from preact.book.gradient import course
from preact.book.panels import FINAL_BN
from preact.book.recorded import runs_at


def test_an_arm_is_a_row_with_or_without_a_bn_before_the_classifier():
    for lr in (0.1, 0.01):
        for arm, runs in runs_at(110, lr).items():
            assert len({run.seed for run in runs}) == len(runs) >= 2
            for run in runs:
                assert arm.removesuffix(FINAL_BN) == run.row
                assert arm.endswith(FINAL_BN) == ("BN" in run.tail)
                assert run.config["recipe"]["lr"] == lr


def test_a_course_holds_medians_and_ends_where_a_run_diverged():
    runs = runs_at(110, 0.1)["no-relu-after-addition"]
    assert {run.outcome for run in runs} >= {"diverged"}
    shown = course(runs)
    assert 100 <= shown.iterations[-1] < 299
    (at,) = np.flatnonzero(shown.iterations == 30)
    recorded = [
        p.gradient_norm[0]
        for run in runs
        for p in run.profiles
        if p.iteration == 30
    ]
    assert shown.first[1, at] == np.median(recorded)
    assert shown.first[0, at] == min(recorded)
