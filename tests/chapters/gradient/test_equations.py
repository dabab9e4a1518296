"""Sections 2 and 3: Eqs. (1) to (8), each measured on both sides."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from exact import EXACT, relative
from preact import reference
from preact.nn import Network, Unit
from preact.plan import stack_plan
from preact.propagation import (
    direct_coefficient,
    draw_batch,
    run_units,
    shortcut_products,
    stream_jacobian,
)
from preact.reference.network import unit_params
from preact.spec import (
    BN,
    RELU,
    TABLE_2,
    Gated,
    Scale,
    UnitSpec,
)
from sampled import sampled

claim = pytest.mark.claim
ORIGINAL = TABLE_2["original"]

LAMBDAS = [0.5, 0.9, 1.1]

IDENTITY_F = [row for row, spec in TABLE_2.items() if spec.is_identity_after]
WIDE = 256  # what comes through the weights averages out like 1 / width


def small(spec, units=6):
    plan = stack_plan(spec, units=units, width=4)
    params = reference.initialize(plan, 0)
    x, _ = draw_batch(plan, 6, 0)
    return plan, params, x


@pytest.mark.parametrize("row", TABLE_2)
def test_eq_1_and_2_a_unit_is_f_of_h_plus_F(row):
    plan, params, x = small(TABLE_2[row], units=1)
    streams, (cache,) = run_units(plan, params, x)
    y = streams[0] + cache.F
    after, _ = reference.layers.forward(
        plan.units[0].after, unit_params(plan, params)[0], y
    )
    assert relative(streams[1], after) < EXACT


@claim("eq-4")
@pytest.mark.parametrize("row", IDENTITY_F)
def test_eq_3_and_4_the_signal_is_the_sum_of_branches(row):
    plan, params, x = small(TABLE_2[row])
    streams, caches = run_units(plan, params, x)
    for start in range(len(plan.units)):
        total = streams[start] + sum(c.F for c in caches[start:])
        assert relative(streams[-1], total) < EXACT


@claim("eq-5")
@pytest.mark.parametrize("row", IDENTITY_F)
def test_eq_5_the_gradient_is_one_plus_the_branches(row):
    plan, params, x = small(TABLE_2[row])
    total, branches = stream_jacobian(plan, params, x)
    assert relative(total, np.eye(len(total)) + branches) < EXACT


@claim("eq-5")
@pytest.mark.parametrize("row", IDENTITY_F)
def test_eq_5_holds_between_two_engines(row):
    """Left side by hand in NumPy, right side by autograd in PyTorch."""
    plan, params, x = small(TABLE_2[row])
    total, _ = stream_jacobian(plan, params, x)
    network = Network(plan).double()
    network.load_arrays(params)

    def sum_of_branches(x0):
        stream, branches = x0, []
        for unit in network.units:
            assert isinstance(unit, Unit)
            branches.append(unit.post(unit.weights(unit.pre(stream))))
            stream = unit(stream)
        return torch.stack(branches).sum(0)

    x0 = network.stem(torch.tensor(x)).detach()
    jacobian = torch.autograd.functional.jacobian(sum_of_branches, x0)
    right = np.eye(len(total)) + jacobian.reshape(total.shape).numpy()
    assert relative(total, right) < EXACT


def test_the_direct_term_of_full_preactivation_is_one():
    plan = stack_plan(TABLE_2["full-preactivation"], units=10, width=WIDE)
    measured = [
        direct_coefficient(plan, batch=64, seed=s)[0] for s in range(4)
    ]
    assert np.mean(measured) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("row", TABLE_2)
def test_zero_branch_makes_the_unit_an_identity(row):
    """Exactly for rows (c) to (e); (a) gives ReLU(x), (b) BN and ReLU of x.

    Silent is the last weight layer, or the last BN's scale where one follows
    it inside the branch.
    """
    plan, params, x = small(TABLE_2[row], units=1)
    last = "post.0.weight" if BN in TABLE_2[row].post else "weights.3.weight"
    params[f"units.0.{last}"] = np.zeros_like(params[f"units.0.{last}"])
    out, _ = reference.unit_forward(
        plan.units[0], unit_params(plan, params)[0], x
    )
    if TABLE_2[row].is_identity_after:
        np.testing.assert_array_equal(out, x)
    elif TABLE_2[row].after == (RELU,):
        np.testing.assert_array_equal(out, np.maximum(x, 0.0))
    else:
        assert relative(out, x) > 0.1


def scaled(value):
    """Eq. (6): a scaled shortcut, f still the identity."""
    return UnitSpec(pre=(BN, RELU), on_shortcut=Scale(value))


@claim("eq-8")
@pytest.mark.parametrize("value", LAMBDAS)
def test_eq_6_and_7_scalars_are_absorbed_into_the_branches(value):
    plan, params, x = small(scaled(value))
    streams, caches = run_units(plan, params, x)
    L = len(plan.units)
    total = value**L * streams[0] + sum(
        value ** (L - 1 - i) * cache.F for i, cache in enumerate(caches)
    )
    assert relative(streams[-1], total) < EXACT


@claim("eq-8")
@pytest.mark.parametrize("value", LAMBDAS)
def test_eq_8_the_direct_term_is_the_product_of_lambdas(value):
    plan, params, x = small(scaled(value))
    total, branches = stream_jacobian(plan, params, x)
    product = shortcut_products(plan)[0]
    assert product == pytest.approx(value ** len(plan.units))
    assert relative(total, product * np.eye(len(total)) + branches) < EXACT


def test_a_gate_that_is_no_complement_opens_with_its_bias():
    spec = UnitSpec(pre=(BN, RELU), on_shortcut=Gated(3.0))
    plan = stack_plan(spec, units=2, width=4)
    open_, closed = 1 / (1 + math.exp(-3)), 1 / (1 + math.exp(3))
    assert shortcut_products(plan) == pytest.approx([open_**2, open_, 1.0])
    spec = replace(spec, on_shortcut=Gated(3.0, complement=True))
    plan = stack_plan(spec, units=2, width=4)
    assert shortcut_products(plan)[0] == pytest.approx(closed**2)


@claim("the-last-relu-masks-both-terms")
@pytest.mark.parametrize("seed", [*sampled(range(3), 9)])
def test_the_original_unit_backward_is_the_mask_times_i_plus_the_branch(seed):
    plan = stack_plan(ORIGINAL, units=1, width=4)
    params = reference.initialize(plan, seed)
    x, _ = draw_batch(plan, 6, seed)
    total, branch = stream_jacobian(plan, params, x)
    streams, (cache,) = run_units(plan, params, x)
    mask = np.diag((streams[0] + cache.F > 0).ravel().astype(float))
    inner = np.eye(len(total)) + branch
    assert relative(total, mask @ inner) < EXACT
    assert relative(total, inner @ mask) > 0.1  # the other order is another
