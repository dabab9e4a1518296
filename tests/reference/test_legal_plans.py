"""Two engines, one function, on whatever is legal and not on rows alone.

The rows of the paper are a few points among all the specs, conventions and
sizes that the types allow; hypothesis draws from the rest.
"""

import hypothesis
import numpy as np
import pytest
import torch
import torch.nn.functional as nnf
from hypothesis import given, settings
from hypothesis import strategies as st

import legal
from preact import reference
from preact.book.stacks import single_thread
from preact.nn import Network, Unit
from preact.plan import Conv, Conventions, imagenet_plan
from preact.reference.layers import cross_entropy
from preact.reference.network import running_statistics
from preact.spec import BN, RELU, Dropout, Gated, UnitSpec
from sampled import sampled

RTOL = 1e-9  # float64 rounding is 1e-16; a wrong term would be 1e-2
BATCH = 4
MODES = st.sampled_from(["train", "eval"])


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads that wait for each other over four pixels cost 10 times more."""
    with single_thread():
        yield


class Masks(np.random.Generator):
    """Hands PyTorch's dropout masks to the reference, in the same order."""

    def __init__(self, plan, batch):
        super().__init__(np.random.PCG64(0))
        torch.manual_seed(5)
        self.masks = []
        for unit, shape in zip(
            plan.units, plan.stream_shapes[1:], strict=True
        ):
            rate = getattr(unit.spec.on_shortcut, "rate", 0.0)
            ones = torch.ones(batch, *shape, dtype=torch.float64)
            self.masks.append(nnf.dropout(ones, rate, True).numpy() > 0)

    def random(self, size=None, dtype=np.float64, out=None):
        return self.masks.pop(0).astype(np.float64)


def close(got, expected, what):
    # The largest number of an array, or of order 1 where theory says 0.
    scale = max(float(np.abs(expected).max()), 1.0)
    np.testing.assert_allclose(
        got, expected, rtol=RTOL, atol=RTOL * scale, err_msg=what
    )


def away_from_the_start(names_and_shapes, rng):
    """Weights of order 1 / sqrt(fan in), BN of scale 1, shift not 0."""
    params = {}
    for name, shape in names_and_shapes:
        fan_in = int(np.prod(shape[1:])) or 1
        value = rng.normal(size=shape) / np.sqrt(fan_in)
        if name.endswith(("running_var", "weight")) and len(shape) == 1:
            value = rng.uniform(0.5, 1.5, shape)
        params[name] = value
    return params


def drawn(check, plans, examples, start=0):
    """Run a check on so many plans, in both modes; others from each start."""
    draw = given(plan=plans, mode=MODES, seed=st.integers(0, 10**6))
    settings(max_examples=examples)(hypothesis.seed(start)(draw(check)))()


@pytest.mark.claim("two-engines-agree")
@pytest.mark.parametrize("examples", [*sampled([9, 22], 2)])
@pytest.mark.parametrize("boundary", legal.BOUNDARIES, ids=str)
def test_the_engines_agree_on_legal_units_at_every_boundary(
    boundary, examples
):
    start = legal.BOUNDARIES.index(boundary)
    drawn(units_agree, legal.unit_plans(boundary), examples, start)


@pytest.mark.claim("two-engines-agree")
@pytest.mark.parametrize("examples", [*sampled([30, 60], 2)])
def test_the_engines_agree_on_many_legal_networks(examples):
    drawn(networks_agree, legal.network_plans(), examples)


def units_agree(plan, mode, seed):
    rng = np.random.default_rng(seed)
    module = Unit(plan).double().train(mode == "train")
    params = away_from_the_start(
        [(k, tuple(v.shape)) for k, v in module.state_dict().items()], rng
    )
    module.load_state_dict({k: torch.tensor(v) for k, v in params.items()})
    x = rng.normal(size=(BATCH, plan.c_in, 4, 5))
    torch_x = torch.tensor(x, requires_grad=True)
    torch.manual_seed(5)
    expected = module(torch_x)
    mask = None
    if isinstance(plan.spec.on_shortcut, Dropout):
        torch.manual_seed(5)
        ones = torch.ones(expected.shape, dtype=torch.float64)
        rate = plan.spec.on_shortcut.rate
        mask = nnf.dropout(ones, rate, mode == "train").numpy()
    out, cache = reference.unit_forward(plan, params, x, mode=mode, mask=mask)
    close(out, expected.detach().numpy(), "output")

    dout = rng.normal(size=out.shape)
    expected.backward(torch.tensor(dout))
    dx, grads = reference.unit_backward(plan, dout, cache)
    assert torch_x.grad is not None
    close(dx, torch_x.grad.numpy(), "gradient of the input")
    named = dict(module.named_parameters())
    assert set(grads) == set(named)
    for name, parameter in named.items():
        close(grads[name], parameter.grad.numpy(), f"gradient of {name}")


def networks_agree(plan, mode, seed):
    rng = np.random.default_rng(seed)
    network = Network(plan).double().train(mode == "train")
    params = away_from_the_start(
        [(k, v.shape) for k, v in network.arrays().items()], rng
    )
    network.load_arrays(params)
    x = rng.normal(size=(BATCH, *plan.image))
    labels = rng.integers(0, plan.classes, BATCH)
    masks = Masks(plan, BATCH)
    torch.manual_seed(5)
    torch_x = torch.tensor(x, requires_grad=True)
    logits = network(torch_x)
    nnf.cross_entropy(logits, torch.tensor(labels)).backward()

    mine, cache = reference.network_forward(
        plan, params, x, mode=mode, rng=masks
    )
    close(mine, logits.detach().numpy(), "logits")
    _, dlogits = cross_entropy(mine, labels)
    dx, grads = reference.network_backward(plan, dlogits, cache)
    assert torch_x.grad is not None
    close(dx, torch_x.grad.numpy(), "gradient of the images")
    named = dict(network.named_parameters())
    assert set(grads) == set(named)
    for name, parameter in named.items():
        gradient = parameter.grad
        if gradient is None:
            gradient = torch.zeros_like(parameter)
        close(grads[name], gradient.numpy(), f"gradient of {name}")
    if mode == "train":
        after = network.arrays()
        updated = running_statistics(plan, params, cache)
        assert set(updated) == {name for name in after if "running" in name}
        for name, value in updated.items():
            close(value, after[name], name)


@pytest.mark.parametrize("design", legal.DESIGNS)
def test_a_gate_on_the_shortcut_alone_need_not_be_a_complement(design):
    """s = g(x), not 1 - g(x): silent branch, gate shut, nothing is left."""
    spec = UnitSpec(on_shortcut=Gated(-30.0, design=design))
    plan = legal.UnitPlan(spec=spec, c_in=2, c_inner=2, c_out=2)
    module = Unit(plan).double()
    params = {k: v.numpy() for k, v in module.state_dict().items()}
    params["weights.3.weight"] = np.zeros((2, 2, 3, 3))
    for name in params:
        if name.startswith("gate") and params[name].ndim == 4:
            params[name] = np.zeros_like(params[name])
    last = "gate.4.bias" if design == "two conv3x3" else "gate.0.bias"
    params[last] = np.full(2, -30.0)
    out, _ = reference.unit_forward(plan, params, np.ones((2, 2, 3, 3)))
    assert np.abs(out).max() < 1e-12


@pytest.mark.parametrize(
    "convention", ["derived", pytest.param("BN ReLU", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "stem",
    [None, *(pytest.param(op, marks=pytest.mark.slow) for op in legal.OPS)],
)
def test_imagenet_stems_and_first_units_agree(stem, convention):
    plan = imagenet_plan(
        UnitSpec(pre=(BN, RELU)),
        depth=50,
        image=(3, 17, 18),
        conventions=Conventions(stem=stem, imagenet_stem=convention),
    )
    rng = np.random.default_rng(0)
    network = Network(plan, seed=0).double()
    x = rng.normal(size=(2, *plan.image))
    torch_x = torch.tensor(x, requires_grad=True)
    module = torch.nn.Sequential(network.stem, network.units[0])
    expected = module(torch_x)
    params = network.arrays()
    own = reference.network.unit_params(plan, params)[0]
    x0, stem_cache = reference.layers.forward(plan.stem, params, x)
    out, cache = reference.unit_forward(plan.units[0], own, x0)
    close(out, expected.detach().numpy(), "output")
    dout = rng.normal(size=out.shape)
    expected.backward(torch.tensor(dout))
    dx0, _ = reference.unit_backward(plan.units[0], dout, cache)
    dx, grads = reference.layers.backward(dx0, stem_cache)
    assert torch_x.grad is not None
    close(dx, torch_x.grad.numpy(), "gradient of the images")
    weight = network.get_parameter("stem.0.weight").grad
    close(grads["stem.0.weight"], weight.numpy(), "gradient of the stem")
    assert isinstance(plan.stem[0], Conv)
