"""Sentences of the chapters that hold to rounding, or by construction.

No tolerance here is statistical: what is drawn at random may be anything.
"""

from math import comb

import numpy as np
import pytest

from preact import reference
from preact.plan import stack_plan
from preact.propagation import draw_batch, run_units
from preact.spec import BN, TABLE_2

claim = pytest.mark.claim


# ------------------------------------------------------------ chapter 01
@claim("silent-original-copies")
def test_silent_units_copy_unless_a_bn_follows_the_addition():
    """In a network, where the original meets no negative numbers."""
    for row in TABLE_2:
        for seed in range(3):
            plan = stack_plan(TABLE_2[row], units=3, width=16)
            params = reference.initialize(plan, seed)
            last = "post.0" if BN in TABLE_2[row].post else "weights.3"
            for i in range(3):
                params[f"units.{i}.{last}.weight"] *= 0.0
            streams, _ = run_units(plan, params, draw_batch(plan, 32, seed)[0])
            moved = np.abs(streams[-1] - streams[0]).max()
            assert moved > 0.1 if row == "bn-after-addition" else moved == 0.0


# ------------------------------- words of the checkers that are claims too
def test_paths_through_half_of_the_branches_are_hardly_more_than_the_next():
    assert 0.95 < comb(54, 26) / comb(54, 27) < 1
