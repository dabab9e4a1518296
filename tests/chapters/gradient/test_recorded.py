"""Six arms over the iterations: what is drawn is what was recorded."""

import numpy as np

from preact.book.gradient import course
from preact.book.recorded import runs_at


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
