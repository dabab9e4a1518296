"""The page runs each mutant of chapter 12 as the reference does, in Node."""

import numpy as np
import pytest

from engine.calls import needs_node
from engine.questions import assert_equal_training, training_question
from engine.test_engine import ask
from preact import reference
from preact.book.bugs import (
    STACKS,
    fully_connected,
    meant,
    stack,
)
from preact.propagation import draw_batch, run_units

pytestmark = needs_node
SMALL = {"units": 3, "width": 5}


@pytest.mark.parametrize("name", STACKS)
def test_two_training_steps_of_a_mutant_equal_the_reference(name):
    plan = stack(name, **SMALL)
    params = reference.initialize(plan, 3)
    batches = [draw_batch(plan, 9, seed) for seed in range(2)]
    question = training_question(plan, params, batches)
    answer = ask(
        "train", **question | {"plan": fully_connected(name, **SMALL)}
    )
    assert_equal_training(plan, params, batches, answer)


def test_a_detached_shortcut_returns_what_the_branches_return():
    plan = meant("detached-shortcut", **SMALL)
    params = reference.initialize(plan, 3)
    x, labels = draw_batch(plan, 9, 0)
    answer = ask(
        "propagate",
        plan=fully_connected("detached-shortcut", **SMALL),
        params={name: v.ravel().tolist() for name, v in params.items()},
        x=x.ravel().tolist(),
        labels=labels.tolist(),
    )
    streams, _, gradients, loss = reference.propagate(plan, params, x, labels)
    assert answer["loss"] == pytest.approx(loss, rel=1e-9)
    for got, wanted in zip(answer["streams"], streams, strict=True):
        np.testing.assert_allclose(got, wanted.ravel(), rtol=1e-9, atol=1e-12)
    _, caches = run_units(plan, params, x)
    gradient = gradients[-1]
    for unit, cache, got in zip(
        plan.units[::-1], caches[::-1], answer["gradients"][-2::-1],
        strict=True,
    ):  # fmt: skip
        gradient = reference.unit_backward(unit, gradient, cache)[0] - gradient
        np.testing.assert_allclose(
            got, gradient.ravel(), atol=1e-9 * abs(gradient).max()
        )
