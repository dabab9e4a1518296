"""What the page's engine is asked, and what the reference answers."""

import numpy as np
import pytest

from preact import reference
from preact.book.engine import engine_plan
from preact.reference.layers import cross_entropy
from preact.reference.network import running_statistics

RATES = {"lr": 0.1, "momentum": 0.9, "weight_decay": 1e-2}


def engine_recipe(recipe):
    return {
        "lr": recipe["lr"],
        "momentum": recipe["momentum"],
        "weightDecay": recipe["weight_decay"],
    }


def training_question(plan, params, batches):
    """What `train` in answers.js is asked."""
    return {
        "plan": engine_plan(plan),
        "params": {
            name: value.ravel().tolist() for name, value in params.items()
        },
        "batches": [
            {"x": x.ravel().tolist(), "labels": labels.tolist()}
            for x, labels in batches
        ],
        "recipe": engine_recipe(RATES),
    }


def reference_steps(plan, params, batches):
    """Loss, gradients and parameters after each step, by the reference."""
    velocity = {}
    for x, labels in batches:
        logits, cache = reference.network_forward(plan, params, x)
        loss, dlogits = cross_entropy(logits, labels)
        _, grads = reference.network_backward(plan, dlogits, cache)
        kept = running_statistics(plan, params, cache)
        params, velocity = reference.sgd_step(params, grads, velocity, **RATES)
        params |= kept
        wrong = (logits.argmax(1) != labels).mean()
        yield loss, wrong, grads, params


def assert_equal_training(plan, params, batches, answer):
    """Loss, every gradient, weight and running statistic: to 1e-9."""
    steps = reference_steps(plan, params, batches)
    for got, (loss, wrong, grads, params) in zip(
        answer["steps"], steps, strict=True
    ):
        assert got["loss"] == pytest.approx(loss, rel=1e-9)
        assert got["wrong"] == pytest.approx(wrong, abs=1e-12)
        assert_equal_arrays(got["gradients"], grads)
        assert_equal_arrays(got["params"], params)
    x, _ = batches[0]
    logits, _ = reference.network_forward(plan, params, x, mode="eval")
    assert_equal_arrays({"logits": answer["logits"]}, {"logits": logits})


def assert_equal_arrays(got, wanted):
    """Equal names; the difference at most 1e-9 of each array's largest.

    What is zero by a law (a shift before a BN has no gradient) is so but for
    the rounding of the terms that cancel, which are as large as the others.
    """
    assert got.keys() == wanted.keys()
    rounding = 1e-13 * max(np.abs(v).max() for v in wanted.values())
    for name, value in wanted.items():
        np.testing.assert_allclose(
            got[name],
            value.ravel(),
            rtol=1e-9,
            atol=1e-9 * np.abs(value).max() + rounding,
            err_msg=name,
        )
