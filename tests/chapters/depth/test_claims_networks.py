"""Sentences of chapter 07 on networks that it draws and trains itself."""

import numpy as np
import pytest

from preact.book.depth.fresh import neighbors_agree
from preact.plan import stack_plan
from preact.propagation import profile
from preact.spec import CONTROLS, TABLE_1, TABLE_2
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
RESIDUAL = ("no-relu-after-addition", "original", "full-preactivation")
(SEED,) = draw_seeds(1)


# ------------------------------------------------------------- the laws
def predicted_exponent(depths, step, v):
    line = [0.0]
    for _ in range(depths[-1]):
        line.append(line[-1] + np.log(1 + 1 / ((1 - 1 / np.pi) * v)) / 2)
        v += step
    return np.polyfit(np.log(depths), np.array(line)[depths], 1)[0]


def measured_exponents(spec, depths, seeds):
    plans = [stack_plan(spec, units=L, width=64) for L in depths]
    return [
        np.polyfit(
            np.log(depths),
            [
                np.log(profile(p, batch=64, seed=s).gradient_ratio)
                for p in plans
            ],
            1,
        )[0]
        for s in seeds
    ]


@slow
@claim("gradient-exponents-of-three-units")
def test_three_units_have_three_exponents_and_theory_is_near_two_of_them():
    depths, seeds = [10, 20, 50, 100], draw_seeds(6)
    control, full, original = (
        np.mean(measured_exponents(spec, depths, seeds))
        for spec in (
            CONTROLS["no-relu-after-addition"],
            TABLE_2["full-preactivation"],
            TABLE_2["original"],
        )
    )
    assert full > control + 0.1
    assert original > full + 0.1
    for found, step, v in (
        (control, 1.0, 0.5 - 0.5 / np.pi),
        (full, 1 - 1 / np.pi, 1.0),
    ):
        assert 0 < found - predicted_exponent(depths, step, v) < 0.15


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
