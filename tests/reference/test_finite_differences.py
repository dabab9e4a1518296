"""Every hand-derived backward against central differences.

Shapes are drawn by hypothesis. For a random direction v, <gradient, v> must
equal the change of the loss along v; the error of a central difference of
step h is of order h^2 plus rounding over h, so 1e-6 leaves room and a wrong
term does not fit in it.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preact import reference
from preact.plan import cifar_plan
from preact.reference.layers import (
    bn_backward,
    bn_forward,
    conv_backward,
    conv_forward,
    cross_entropy,
    linear_backward,
    linear_forward,
    maxpool_backward,
    maxpool_forward,
    pad_backward,
    pad_forward,
    relu_backward,
    relu_forward,
    sigmoid,
)
from preact.spec import ROWS
from sampled import sampled

STEP, RTOL = 1e-6, 2e-6
SETTINGS = settings(max_examples=25)
SIZES = {
    "n": st.integers(1, 3),
    "c": st.integers(1, 4),
    "h": st.integers(1, 6),
    "w": st.integers(1, 6),
    "seed": st.integers(0, 10**6),
}


def assert_gradient(loss, arrays, grads, rng):
    for i, (array, grad) in enumerate(zip(arrays, grads, strict=True)):
        v = rng.normal(size=array.shape)
        v /= np.linalg.norm(v)
        ends = []
        for sign in (1, -1):
            moved = list(arrays)
            moved[i] = array + sign * STEP * v
            ends.append(loss(*moved))
        slope = (ends[0] - ends[1]) / (2 * STEP)
        scale = max(1.0, abs(ends[0]), float(np.linalg.norm(grad)))
        assert float((grad * v).sum()) == pytest.approx(
            slope, abs=RTOL * scale
        )


@SETTINGS
@given(
    d=st.integers(1, 4),
    K=st.sampled_from([1, 3, 7]),
    stride=st.sampled_from([1, 2]),
    bias=st.booleans(),
    **SIZES,
)
def test_convolution(n, c, h, w, seed, d, K, stride, bias):
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=(n, c, h, w)), rng.normal(size=(d, c, K, K))]
    if bias:
        arrays.append(rng.normal(size=d))
    out, cache = conv_forward(
        arrays[0], arrays[1], arrays[2] if bias else None, stride
    )
    dout = rng.normal(size=out.shape)
    grads = [g for g in conv_backward(dout, cache) if g is not None]

    def loss(x, weight, b=None):
        return float((dout * conv_forward(x, weight, b, stride)[0]).sum())

    assert_gradient(loss, arrays, grads, rng)


@pytest.mark.claim("bn-dx")
@SETTINGS
@given(**{**SIZES, "n": st.integers(3, 6)})
def test_batch_normalization(n, c, h, w, seed):
    rng = np.random.default_rng(seed)
    arrays = [
        rng.normal(1.0, 2.0, (n, c, h, w)),
        rng.normal(1.0, 0.3, c),
        rng.normal(size=c),
    ]
    running = (rng.normal(size=c), rng.uniform(0.5, 2.0, c))
    for statistics in (None, running):
        out, cache = bn_forward(*arrays, statistics)
        dout = rng.normal(size=out.shape)

        def loss(x, gamma, beta, dout=dout, statistics=statistics):
            return float(
                (dout * bn_forward(x, gamma, beta, statistics)[0]).sum()
            )

        assert_gradient(loss, arrays, bn_backward(dout, cache), rng)


@SETTINGS
@given(extra=st.integers(0, 3), stride=st.sampled_from([1, 2]), **SIZES)
def test_padding_relu_and_pooling(n, c, h, w, seed, extra, stride):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, c, h, w))
    for run, back in (
        (lambda x: pad_forward(x, c + extra, stride), pad_backward),
        (relu_forward, relu_backward),
        (maxpool_forward, maxpool_backward),
    ):
        out, cache = run(x)
        dout = rng.normal(size=out.shape)
        assert_gradient(
            lambda x, run=run, dout=dout: float((dout * run(x)[0]).sum()),
            [x],
            [back(dout, cache)],
            rng,
        )


@SETTINGS
@given(d=st.integers(2, 5), **SIZES)
def test_classifier_and_cross_entropy(n, c, h, w, seed, d):
    rng = np.random.default_rng(seed)
    arrays = [
        rng.normal(size=(n, c)),
        rng.normal(size=(d, c)),
        rng.normal(size=d),
    ]
    labels = rng.integers(0, d, n)
    logits, cache = linear_forward(*arrays)
    _, dlogits = cross_entropy(logits, labels)

    def loss(x, weight, bias):
        return cross_entropy(linear_forward(x, weight, bias)[0], labels)[0]

    assert_gradient(loss, arrays, linear_backward(dlogits, cache), rng)


@pytest.mark.parametrize(
    "row",
    [*sampled(["exclusive-gating-b-6", "original", "full-preactivation"], 3)],
)
def test_a_whole_network(row):
    rng = np.random.default_rng(1)
    plan = cifar_plan(ROWS[row], depth=8, convs=2, width=3, image=(3, 6, 5))
    params = reference.initialize(plan, 0)
    x, labels = rng.normal(size=(4, 3, 6, 5)), rng.integers(0, 10, 4)
    logits, cache = reference.network_forward(plan, params, x)
    dx, grads = reference.network_backward(
        plan, cross_entropy(logits, labels)[1], cache
    )
    names = list(grads)

    def loss(x, *values):
        moved = {**params, **dict(zip(names, values, strict=True))}
        out, _ = reference.network_forward(plan, moved, x)
        return cross_entropy(out, labels)[0]

    assert_gradient(
        loss,
        [x, *(params[name] for name in names)],
        [dx, *grads.values()],
        rng,
    )


def test_cross_entropy_does_not_overflow():
    logits = np.array([[1000.0, 0.0], [-1000.0, 0.0]])
    loss, dlogits = cross_entropy(logits, np.array([0, 0]))
    assert loss == 500.0
    np.testing.assert_array_equal(dlogits, [[0.0, 0.0], [-0.5, 0.5]])


def test_sigmoid_does_not_overflow():
    z = np.array([-1e4, -1.0, 0.0, 1.0, 1e4])
    expected = [0.0, 1 / (1 + np.e), 0.5, np.e / (1 + np.e), 1.0]
    np.testing.assert_allclose(sigmoid(z), expected, rtol=1e-14)
