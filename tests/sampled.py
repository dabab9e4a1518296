"""Every so many of many alike in the fast tests, all of them in the slow."""

import pytest


def sampled(cases, step):
    """Yield cases for `parametrize`; those between are marked `slow`."""
    for i, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        marks = [pytest.mark.slow] if i % step else []
        yield pytest.param(*values, marks=marks)
