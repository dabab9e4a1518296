"""The page's engine trains exactly as the reference does, in Node."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from engine.calls import evaluate, needs_node
from engine.questions import (
    assert_equal_training,
    engine_recipe,
    training_question,
)
from preact import reference
from preact.book.engine import (
    Draws,
    answer,
    behind_map,
    engine_plan,
    mini_batches,
)
from preact.book.explorers import ROWS
from preact.book.why.race import (
    ARMS,
    NOT_RACING,
    RECIPE,
    WINDOW,
    race_errors,
    train_arm,
)
from preact.data import load
from preact.plan import Conventions, stack_plan
from preact.propagation import draw_batch
from preact.spec import BN, RELU, TABLE_1, Scale, UnitSpec
from sampled import sampled

pytestmark = needs_node
SCALED = UnitSpec(pre=(BN, RELU), on_shortcut=Scale(0.9))
STACKED = {**ROWS, "plain": TABLE_1["constant-scaling-0-1"], "0.9": SCALED}
TAILS = {"derived": None, "none": (), "BN": (BN,)}


def ask(action, **question):
    return evaluate(
        "* as answers",
        "tests/engine/answers.js",
        f"answers.{action}",
        question,
    )


@pytest.mark.parametrize(
    ("tail", "units"), [*zip(TAILS, [2, 2, 7], strict=True)]
)
@pytest.mark.parametrize("row", [*STACKED][::2])
def test_three_training_steps_equal_the_reference(row, tail, units):
    plan = stack_plan(
        STACKED[row],
        units=units,
        width=5,
        conventions=Conventions(tail=TAILS[tail]),
    )
    params = reference.initialize(plan, 3)
    batches = [draw_batch(plan, 9, seed) for seed in range(3)]
    answer = ask("train", **training_question(plan, params, batches))
    assert_equal_training(plan, params, batches, answer)


def test_the_same_seed_draws_the_same_numbers_and_batches_in_python():
    got = ask("draws", seed=7, size=1000, train=101, steps=20, batch=12)
    np.testing.assert_allclose(
        got["normal"], Draws(7).normal(1000), atol=1e-12
    )
    orders = mini_batches(101, 12, 20, seed=7)
    assert np.array_equal(got["orders"], orders)
    assert sorted(orders.ravel()[:101]) == list(range(101))


@pytest.mark.parametrize("row", [*sampled(ROWS, 2)])
def test_in_a_notebook_the_kernel_answers_as_the_pages_worker(row):
    asked = {"row": row, "batch": 64, "seed": 3}
    spec, factor = ROWS[row], Scale(0.5)
    tail = {"conventions": Conventions(tail=(BN,))}
    stack = stack_plan(
        replace(spec, on_shortcut=factor), units=6, width=8, **tail
    )
    question = asked | {"plan": engine_plan(stack)}
    (got,) = answer(ROWS, {"number": 7, "questions": [question]})
    wanted = evaluate(
        "{ fresh }", "book/scripts/engine/propagation.js", "fresh", question
    )["signal"]
    assert got["number"] == 7
    np.testing.assert_allclose(got["answers"][0]["signal"], wanted, rtol=1e-9)
    recipe = {"recipe": engine_recipe(RECIPE), "steps": 4}
    question = asked | recipe | {"plan": engine_plan(behind_map(stack))}
    *steps, last = answer(ROWS, question)
    page = ask("trainOnDigits", **question)
    assert last["test"] == pytest.approx(page["test"], abs=1e-12)
    for step, wanted in zip(steps, page["steps"], strict=True):
        assert step.keys() == wanted.keys()
        for name, value in wanted.items():
            np.testing.assert_allclose(step[name], value, rtol=1e-9)


@pytest.mark.parametrize(
    "row", [row for row in TABLE_1 if row not in ROWS][::5]
)
def test_the_kernel_answers_for_units_that_no_page_knows(row):
    plan = engine_plan(stack_plan("original", units=3, width=8))
    asked = {"row": "mine", "plan": plan, "batch": 16, "seed": 0}
    (got,) = answer({"mine": row}, {"number": 1, "questions": [asked]})
    signal = got["answers"][0]["signal"]
    assert len(signal) == 4
    assert np.isfinite(signal).all()


@pytest.mark.parametrize("arm", [*sampled({**ARMS, **NOT_RACING}, 2)])
def test_races_run_at_once_are_the_recorded_races(arm):
    seeds = (0, 1)
    curves = [train_arm(arm, 3, seed=seed, steps=15) for seed in seeds]
    errors = [100 * curve[-WINDOW:, 1].mean() for curve in curves]
    got = race_errors(arm, 3, seeds=seeds, steps=15)
    np.testing.assert_allclose(got, errors, atol=1e-9)


def test_the_pages_digits_are_those_of_the_package():
    got, digits = ask("digits"), load("digits")
    train, test = digits.train_images, digits.test_images
    assert got["train"] == len(train)
    labels = torch.cat([digits.train_labels, digits.test_labels])
    assert got["labels"] == labels.tolist()
    theirs = torch.cat([train, test]).flatten(1).double().numpy()
    seen = theirs[: len(train)]
    images = np.array(got["images"]).reshape(theirs.shape)
    pixels = images * seen.std() + seen.mean()
    assert np.array_equal(pixels.round(6), theirs)
