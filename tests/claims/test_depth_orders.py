"""Sentences of chapter 07 on every order of a trained network's units."""

from itertools import permutations

import numpy as np
import pytest

from claims.test_chapters import cells

claim = pytest.mark.claim
pytestmark = pytest.mark.slow
ORIGINAL, FULL = "original+final-bn", "full-preactivation"
WHOLE = list(permutations(range(6)))
SEEDS = (0, 1)  # the chapter's own, and another; four networks each


@pytest.fixture(scope="module")
def chapter():
    return cells(
        "07-depth",
        "import numpy as np",
        "trio =",
        "digits = read_digits",
        "class BatchNorm",
        "def stack",
        "def frozen",
        "def train",
        "arms = {",
        "trained = {",
        "def through",
        "def errors_by_order",
    )


@pytest.fixture(scope="module")
def by_order(chapter):
    """Arm to order to the errors of all networks, in percent."""
    images = chapter["pixels"].expand(4, -1, -1)
    found = {name: [errors] for name, errors in chapter["by_order"].items()}
    for name, arm in chapter["arms"].items():
        weights, head = chapter["train"](*arm, seed=SEEDS[1])
        chapter["trained"][name] = weights, head
        bn = chapter["frozen"](*arm, weights, images)
        chapter["statistics"][name] = bn
        found[name].append(chapter["errors_by_order"](name))
    return {
        name: {order: np.concatenate([e[order] for e in each]) for order in e0}
        for name, each in found.items()
        for e0 in each[:1]
    }


def test_all_orders_at_once_err_as_each_does_alone(chapter, by_order):
    rng = np.random.default_rng(0)
    orders = [tuple(range(6)), (), *(rng.permutation(6)[:k] for k in range(7))]
    for name, errors in by_order.items():
        assert len(errors) == 1957
        for order in orders:
            alone = chapter["misread"](name, chapter["through"](name, order))
            assert (errors[tuple(order)][4:] == alone).all()


@claim("a-shuffle-harms-preactivation-more")
def test_a_shuffle_harms_preactivation_more_than_the_original(by_order):
    original, full = (
        np.median([by_order[name][order] for order in WHOLE], axis=0)
        for name in (ORIGINAL, FULL)
    )
    assert min(full) > max(original)
    first_two = [by_order[name][1, 0, 2, 3, 4, 5] for name in (ORIGINAL, FULL)]
    assert min(first_two[1]) > max(first_two[0])


@claim("the-first-place-decides")
def test_with_its_first_unit_first_preactivation_bears_every_order(by_order):
    for order in WHOLE:
        errors = by_order[FULL][order]
        if order[0] == 0:
            assert errors.max() < 50
        else:
            assert errors.min() > 50


@claim("the-first-place-decides")
def test_the_original_pays_more_the_further_back_its_first_unit_stands(
    by_order,
):
    medians = [
        np.median(
            [by_order[ORIGINAL][o] for o in WHOLE if o[place] == 0], axis=0
        )
        for place in range(6)
    ]
    assert (np.diff(medians, axis=0) > 0).all()
