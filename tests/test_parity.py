"""Two engines, one function: NumPy backward by hand against autograd.

Every row where its shortcut projects, and the paper's units with 1, 2 and 3
convolutions in every place: values and every gradient, float64.
"""

import numpy as np
import pytest
import torch
import torch.nn.functional as nnf

from preact import reference
from preact.nn import Network, Unit, watch
from preact.plan import Conv, Conventions, Linear, cifar_plan, stack_plan
from preact.reference.network import unit_params
from preact.spec import (
    BN,
    RELU,
    ROWS,
    TABLE_2,
    Dropout,
    Gated,
    Scale,
    UnitSpec,
)
from seeds import draw_seeds

RTOL = 1e-9  # float64 rounding is 1e-16; a wrong term would be 1e-2
EXTRA = {
    "nothing": UnitSpec(on_shortcut=Scale(0.5)),
    "gate like the branch": UnitSpec(
        post=(BN,),
        after=(RELU,),
        on_shortcut=Gated(-1.0, complement=True, design="two conv3x3"),
        on_branch=Gated(-1.0, design="two conv3x3"),
    ),
    "gated full pre-activation": UnitSpec(
        pre=(BN, RELU), on_shortcut=Gated(-1.0, complement=True)
    ),
}
CASES = {**ROWS, **EXTRA}
DEPTHS = {1: 8, 2: 14, 3: 20}


def close(got, expected):
    # A shift in front of a mean subtraction has gradient 0 in theory and
    # rounding in practice; below 1e-4 of the other gradients (order 1) the
    # comparison is absolute.
    scale = max(np.abs(expected).max(), 1e-4)
    np.testing.assert_allclose(got, expected, rtol=RTOL, atol=RTOL * scale)


def tiny(spec, convs, **conventions):
    return cifar_plan(
        spec,
        depth=DEPTHS[convs],
        convs=convs,
        width=4,
        image=(3, 5, 6),
        conventions=Conventions(**conventions),
    )


def trained(params, rng):
    """Move BN away from scale 1 and shift 0, where errors would hide."""
    return {
        name: np.abs(v + 0.3 * rng.normal(size=v.shape)) + 0.1
        if name.endswith("running_var")
        else v + 0.3 * rng.normal(size=v.shape)
        for name, v in params.items()
    }


def assert_units_agree(plan, unit, mode="train"):
    (seed,) = draw_seeds(1)
    rng = np.random.default_rng(seed)
    params = trained(
        unit_params(plan, reference.initialize(plan, seed))[unit], rng
    )
    planned = plan.units[unit]
    shape = plan.stream_shapes[unit]
    x = rng.normal(size=(3, *shape))
    torch_x = torch.tensor(x, requires_grad=True)
    module = Unit(planned).double().train(mode == "train")
    module.load_state_dict({k: torch.tensor(v) for k, v in params.items()})

    torch.manual_seed(5)
    expected = module(torch_x)
    mask = None
    if isinstance(planned.spec.on_shortcut, Dropout):
        torch.manual_seed(5)
        ones = torch.ones(expected.shape, dtype=torch.float64)
        rate = planned.spec.on_shortcut.rate
        mask = nnf.dropout(ones, rate, mode == "train").numpy()
    out, cache = reference.unit_forward(
        planned, params, x, mode=mode, mask=mask
    )
    close(out, expected.detach().numpy())

    dout = rng.normal(size=out.shape)
    expected.backward(torch.tensor(dout))
    dx, grads = reference.unit_backward(planned, dout, cache)
    close(dx, torch_x.grad.numpy())
    named = dict(module.named_parameters())
    assert set(grads) == set(named)
    for name, parameter in named.items():
        close(grads[name], parameter.grad.numpy())


@pytest.mark.claim("two-engines-agree")
@pytest.mark.parametrize(
    ("row", "convs", "where"),
    [
        *((row, 2, "projecting") for row in CASES),
        *(
            (row, convs, where)
            for row in (*TABLE_2, "gate like the branch")
            for convs, where in [
                (1, "same"),
                (2, "first"),
                (3, "same"),
                (3, "first"),
                (3, "projecting"),
            ]
        ),
    ],
)
def test_reference_and_torch_agree_on_every_gradient(row, convs, where):
    plan = tiny(CASES[row], convs)
    assert_units_agree(
        plan,
        {"first": 0, "same": 1, "projecting": plan.stages[1].start}[where],
    )


def test_a_classifier_is_a_layer_among_others():
    plan = tiny(TABLE_2["original"], 2)
    rng = np.random.default_rng(0)
    params = trained(reference.initialize(plan, 0), rng)
    x = rng.normal(size=(3, plan.classifier.c_in))
    out, caches = reference.layers.forward((plan.classifier,), params, x)
    weight, bias = (params[f"classifier.{k}"] for k in ("weight", "bias"))
    close(out, x @ weight.T + bias)
    dx, grads = reference.layers.backward(np.ones_like(out), caches)
    close(dx, np.broadcast_to(weight.sum(0), x.shape))
    close(grads["classifier.bias"], np.full(10, 3.0))
    close(grads["classifier.weight"], np.tile(x.sum(0), (10, 1)))


@pytest.mark.parametrize("row", ["original", "full-preactivation"])
def test_both_engines_watch_the_same_stream(row):
    plan = stack_plan(TABLE_2[row], units=4, width=6)
    params = reference.initialize(plan, 0)
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(5, 6, 1, 1)), rng.integers(0, 10, 5)
    streams, _, gradients, loss = reference.propagate(plan, params, x, labels)
    network = Network(plan).double()
    network.load_arrays(params)
    with watch(network.units) as watched:
        logits = network(torch.tensor(x))
        other_loss = nnf.cross_entropy(logits, torch.tensor(labels))
        other_loss.backward()
    for ours, theirs in (
        (streams, watched.streams),
        (gradients, watched.gradients),
    ):
        for a, b in zip(ours, theirs, strict=True):
            close(a, b.numpy())
    assert loss == pytest.approx(other_loss.item(), rel=1e-12)


def test_a_plain_dictionary_passes_both_ways():
    plan = tiny(TABLE_2["full-preactivation"], 3)
    params = reference.initialize(plan, 0)
    network = Network(plan).double()
    network.load_arrays(params)
    back = network.arrays()
    assert set(back) == set(params) != set()
    assert all(np.array_equal(back[name], params[name]) for name in params)


def test_both_engines_draw_weights_of_the_planned_deviation():
    for init in ("fan-in", "fan-out"):
        plan = cifar_plan(
            TABLE_2["full-preactivation"],
            depth=11,
            convs=3,
            width=32,
            conventions=Conventions(init=init),
        )
        drawn = (reference.initialize(plan, 0), Network(plan, seed=0).arrays())
        for placed in plan.placed_layers:
            match placed.layer:
                case Conv() as conv:
                    wanted = conv.deviation(init)
                case Linear() as linear:  # evenly up to 1 / sqrt(c_in)
                    wanted = (3 * linear.c_in) ** -0.5
                case _:
                    continue
            for params in drawn:
                w = params[f"{placed.name}.weight"]
                assert w.std() == pytest.approx(wanted, rel=5 / w.size**0.5)
