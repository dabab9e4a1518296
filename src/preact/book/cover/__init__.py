"""The book's cover, from the records: two networks of 1001 layers in training.

Chapter `index`.
"""

import numpy as np

from preact.book.cover.figures import Course, depth_and_time
from preact.book.page import words
from preact.figures import Picture
from preact.records.compare import load_records

EXPERIMENT, DEPTH = "digits_depth", 1001
ROWS = ("original", "full-preactivation")
STAGES = (111, 222)  # of 333 units: where the width changes


def recorded_course(row: str) -> tuple[list[int], Course]:
    """Read the recorded iterations of a row, and medians over the seeds."""
    runs = [
        run
        for run in load_records(EXPERIMENT)
        if (run.depth, run.row) == (DEPTH, row)
    ]
    moments = [p.iteration for p in runs[0].profiles]
    gradients, shares = (
        np.array([[getattr(p, name) for p in run.profiles] for run in runs])
        for name in ("gradient_norm", "open_share")
    )
    return moments, Course(
        gradient=np.median(gradients / gradients[..., -1:], axis=0),
        open_share=np.median(shares, axis=0),
        error_pct=float(np.median([run.test_error_pct for run in runs])),
    )


def cover_picture() -> Picture:
    """Draw both networks by unit and iteration."""
    courses = {row: recorded_course(row) for row in ROWS}
    moments = courses[ROWS[0]][0]
    return depth_and_time(
        {row: course for row, (_, course) in courses.items()},
        moments,
        STAGES,
        words(),
    )
