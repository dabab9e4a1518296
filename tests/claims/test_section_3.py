"""Section 3: Eqs. (6) to (8), scaled and gated shortcuts."""

import math
from dataclasses import replace

import numpy as np
import pytest

from claims.test_section_2 import EXACT, WIDE, relative, small
from preact.plan import cifar_plan, stack_plan
from preact.propagation import (
    direct_coefficient,
    profile,
    pullback,
    run_units,
    shortcut_products,
    stream_jacobian,
)
from preact.spec import BN, RELU, TABLE_1, Dropout, Gated, Scale, UnitSpec

LAMBDAS = [0.5, 0.9, 1.1]


def scaled(value):
    """Eq. (6): a scaled shortcut, f still the identity."""
    return UnitSpec(pre=(BN, RELU), on_shortcut=Scale(value))


@pytest.mark.claim("eq-8")
@pytest.mark.parametrize("value", LAMBDAS)
def test_eq_6_and_7_scalars_are_absorbed_into_the_branches(value):
    plan, params, x = small(scaled(value))
    streams, caches = run_units(plan, params, x)
    L = len(plan.units)
    total = value**L * streams[0] + sum(
        value ** (L - 1 - i) * cache.F for i, cache in enumerate(caches)
    )
    assert relative(streams[-1], total) < EXACT


@pytest.mark.claim("eq-8")
@pytest.mark.parametrize("value", LAMBDAS)
def test_eq_8_the_direct_term_is_the_product_of_lambdas(value):
    plan, params, x = small(scaled(value))
    total, branches = stream_jacobian(plan, params, x)
    product = shortcut_products(plan)[0]
    assert product == pytest.approx(value ** len(plan.units))
    assert relative(total, product * np.eye(len(total)) + branches) < EXACT


@pytest.mark.parametrize("value", LAMBDAS)
def test_with_silent_branches_the_gradient_is_lambda_to_the_depth(value):
    """What is left of Eq. (8) when all weights say nothing."""
    plan, params, x = small(scaled(value), units=10)
    for i in range(10):
        name = f"units.{i}.weights.3.weight"
        params[name] = np.zeros_like(params[name])
    streams, caches = run_units(plan, params, x)
    last = np.random.default_rng(0).normal(size=streams[-1].shape)
    first = pullback(plan, caches, last)[0]
    np.testing.assert_allclose(first, value**10 * last, rtol=EXACT)


def test_the_measured_direct_term_follows_lambda_to_the_depth():
    plan = stack_plan(scaled(0.9), units=10, width=WIDE)
    measured = [
        direct_coefficient(plan, batch=64, seed=s)[0] for s in range(4)
    ]
    assert np.mean(measured) == pytest.approx(0.9**10, abs=0.04)


@pytest.mark.parametrize(
    ("value", "power", "expected"),
    [
        (0.9, 100, 2.656e-5),
        (0.99, 1000, 4.317e-5),
        (1.1, 100, 1.378e4),
        (0.5, 54, 5.551e-17),
    ],
)
def test_products_of_lambda(value, power, expected):
    plan = stack_plan(scaled(value), units=power, width=4)
    assert shortcut_products(plan)[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("bias", "product"),
    [(-4, 0.375), (-5, 0.696), (-6, 0.875), (-7, 0.952), (-10, 0.998)],
)
def test_products_of_gates_at_their_bias(bias, product):
    for kind in ("exclusive", "shortcut-only"):
        spec = TABLE_1[f"{kind}-gating-b{bias}"]
        plan = cifar_plan(spec, depth=110, convs=2)
        assert shortcut_products(plan)[0] == pytest.approx(product, abs=5e-4)


def test_a_gate_that_is_no_complement_opens_with_its_bias():
    spec = UnitSpec(pre=(BN, RELU), on_shortcut=Gated(3.0))
    plan = stack_plan(spec, units=2, width=4)
    open_, closed = 1 / (1 + math.exp(-3)), 1 / (1 + math.exp(3))
    assert shortcut_products(plan) == pytest.approx([open_**2, open_, 1.0])
    spec = replace(spec, on_shortcut=Gated(3.0, complement=True))
    plan = stack_plan(spec, units=2, width=4)
    assert shortcut_products(plan)[0] == pytest.approx(closed**2)


def test_with_lambda_above_one_the_stream_explodes():
    plan = stack_plan(scaled(1.1), units=100, width=16)
    assert profile(plan, batch=64).signal_rms[-1] > 1e4


def test_dropout_has_mean_one_scaled_and_half_unscaled():
    from preact.reference.unit import dropout_mask

    mask = dropout_mask(np.random.default_rng(0), (100_000,), 0.5)
    assert mask.mean() == pytest.approx(1.0, abs=0.02)
    assert (mask**2).mean() == pytest.approx(2.0, abs=0.04)
    assert (mask > 0).mean() == pytest.approx(0.5, abs=0.01)
    assert str(Dropout(0.5)) == "dropout 0.5"
