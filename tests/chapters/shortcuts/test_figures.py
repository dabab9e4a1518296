"""What the figures of the chapter on shortcuts offer as numbers."""

import numpy as np

from preact.book.shortcuts.figures import prediction_beside_errors
from preact.strings import Strings


def test_what_the_paper_calls_fail_has_no_number_in_the_data():
    predicted = {
        "original": np.array([0.9, 1.0]),
        "constant-scaling-0.5-0.5": np.array([0.0, 0.0]),
        "constant-scaling-0.5-1": np.array([1e-9, 1e-8]),
    }
    errors = {"original": 6.61} | dict.fromkeys([*predicted][1:])
    picture = prediction_beside_errors(
        "as_set", predicted, errors, Strings("en"), limits=(1e-3, 1)
    )
    told = {one.name: (one.x, one.y) for one in picture.series}
    assert told["original"] == ([0.9, 1.0], [6.61, 6.61])
    assert [y for _, y in [*told.values()][1:]] == [["fail", "fail"]] * 2
    assert [*told.values()][1][0] == [0.0, 0.0]  # not where the axis begins
