"""The page's engine trains exactly as the reference does, in Node."""

import numpy as np
import pytest
import torch

from engine.calls import evaluate, needs_node
from engine.questions import (
    assert_equal_training,
    engine_recipe,
    training_question,
)
from paths import ROOT
from preact import reference
from preact.book.explorers import ROWS, engine_plan
from preact.book.why.digits import digits_script
from preact.book.why.race import (
    ARMS,
    BATCH,
    NOT_RACING,
    RECIPE,
    WINDOW,
    Draws,
    initial_weights,
    mini_batches,
    race_digits,
    race_errors,
    race_plan,
    train_arm,
)
from preact.data import load
from preact.plan import Conventions, stack_plan
from preact.propagation import draw_batch, open_share
from preact.spec import BN, RELU, TABLE_1, Scale, UnitSpec
from sampled import sampled

pytestmark = needs_node
DIGITS_JS = ROOT / "book/scripts/engine/digits.js"
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


@pytest.mark.parametrize("arm", [*sampled(ARMS, 2)])
def test_two_steps_on_digits_equal_the_reference(arm):
    plan, digits = race_plan(arm, units=10), race_digits()
    params = reference.initialize(plan, 0)
    batches = [
        (digits.images[batch], digits.labels[batch])
        for batch in mini_batches(digits.train, 32, 2, seed=0)
    ]
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


@pytest.mark.parametrize("arm", [*sampled(ARMS, 2)])
def test_a_short_training_in_the_page_is_the_recorded_race(arm):
    plan, digits = race_plan(arm, units=3), race_digits()
    got = ask(
        "trainOnDigits",
        plan=engine_plan(plan),
        batch=BATCH,
        seed=1,
        recipe=engine_recipe(RECIPE),
        steps=5,
    )
    curve, test = train_arm(plan, digits, seed=1, steps=5)
    for name, wanted in zip(("loss", "wrong"), curve.T, strict=True):
        found = [step[name] for step in got["steps"]]
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
    assert got["test"] == pytest.approx(test, abs=1e-12)
    first = mini_batches(digits.train, BATCH, 1, seed=1)[0]
    params = initial_weights(plan, 1)
    batch = digits.images[first], digits.labels[first]
    streams, _, gradients, _ = reference.propagate(plan, params, *batch)
    norms = [np.linalg.norm(g) for g in gradients]
    fresh = got["steps"][0]
    np.testing.assert_allclose(fresh["gradient"], norms, rtol=1e-9)
    np.testing.assert_allclose(fresh["open"], open_share(plan, streams))


@pytest.mark.parametrize("arm", [*sampled({**ARMS, **NOT_RACING}, 2)])
def test_races_run_at_once_are_the_recorded_races(arm):
    plan, digits, seeds = race_plan(arm, units=3), race_digits(), (0, 1)
    curves = [
        train_arm(plan, digits, seed=seed, steps=15)[0] for seed in seeds
    ]
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


def test_the_digits_script_is_small_and_current():
    text = DIGITS_JS.read_text("utf-8")
    assert len(text) < 80_000
    head, packed = (
        part.split('"packed": "') for part in (digits_script(), text)
    )
    # The bytes of the packing may differ between versions of zlib; the test
    # above has read what is in it.
    assert head[0] == packed[0]
