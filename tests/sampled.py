"""Every so many of many alike now, the rest in the slow tests or at night."""

import pytest


def sampled(cases, step, rest="slow"):
    """Yield cases for `parametrize`; those between have the mark `rest`."""
    for i, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        marks = [getattr(pytest.mark, rest)] if i % step else []
        yield pytest.param(*values, marks=marks)
