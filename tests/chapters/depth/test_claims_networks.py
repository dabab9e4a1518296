"""Sentences of chapter 07 on networks that it draws and trains itself."""

import pytest

from preact.book.depth.fresh import (
    exponents,
    neighbors_agree,
    predicted_exponent,
)
from preact.spec import CONTROLS, TABLE_1, TABLE_2
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
RESIDUAL = ("no-relu-after-addition", "original", "full-preactivation")
(SEED,) = draw_seeds(1)


# ------------------------------------------------------------- the laws
@slow
@claim("gradient-exponents-of-three-units")
def test_three_units_have_three_exponents_and_theory_is_near_two_of_them():
    seeds = draw_seeds(6)
    control, original, full = (exponents(r, seeds).mean() for r in RESIDUAL)
    assert full > control + 0.1
    assert original > full + 0.1
    for row, found in ((RESIDUAL[0], control), (RESIDUAL[2], full)):
        assert 0 < found - predicted_exponent(row) < 0.15


# ---------------------------------------------------------- shattering
def correlation(row, units):
    specs = {**TABLE_1, **TABLE_2, **CONTROLS}
    return neighbors_agree(specs[row], units, seed=SEED).mean()


@slow
@claim("the-control-shatters-least")
def test_shortcuts_delay_shattering_and_the_control_shatters_least():
    control, *others = RESIDUAL
    for row in RESIDUAL:
        plain = correlation("constant-scaling-0-1", 5)
        assert correlation(row, 5) > plain + 0.1
    for row in others:
        assert correlation(row, 20) < correlation(control, 20) - 0.1
