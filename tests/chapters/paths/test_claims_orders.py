"""Sentences of chapter 08 on every order of a trained network's units."""

from itertools import permutations

import numpy as np
import pytest

from preact.book.paths import ARMS
from preact.book.paths.orders import every_order
from preact.book.stacks import images, train
from seeds import draw_seeds

claim = pytest.mark.claim
pytestmark = pytest.mark.slow
ORIGINAL, FULL = "original+final-bn", "full-preactivation+final-bn"
WHOLE = list(permutations(range(6)))


def four(**stack):
    """Four new networks an arm."""
    (seed,) = draw_seeds(1)
    return {
        name: train(*ARMS[name], seed=seed, **stack)
        for name in (ORIGINAL, FULL)
    }


@pytest.fixture(scope="module")
def networks():
    return four()


def every_error(networks):
    """Arm to order to the errors of each network, in percent."""
    found = {}
    for name, network in networks.items():
        x = images().test.expand(network.seeds, -1, -1)
        walk = every_order(6, network.run(x, ()), network.step)
        found[name] = {order: network.errors(x) for order, x in walk}
    return found


@pytest.fixture(scope="module")
def by_order(networks):
    return every_error(networks)


def test_all_orders_at_once_err_as_each_does_alone(networks, by_order):
    rng = np.random.default_rng(0)
    orders = [tuple(range(6)), (), *(rng.permutation(6)[:k] for k in range(7))]
    for name, errors in by_order.items():
        assert len(errors) == 1957
        for order in orders:
            alone = networks[name].test_errors(order)
            assert (errors[tuple(order)] == alone).all()


@claim("the-first-place-decides")
def test_with_its_first_unit_first_preactivation_bears_every_order(by_order):
    for order in WHOLE:
        errors = by_order[FULL][order]
        if order[0] == 0:
            assert errors.max() < 50
        else:
            assert errors.min() > 50


@claim("the-first-place-decides")
def test_the_original_pays_by_degrees(by_order):
    medians = [
        np.median(
            [by_order[ORIGINAL][o] for o in WHOLE if o[place] == 0], axis=0
        )
        for place in (0, 1, 5)
    ]
    assert (np.diff(medians, axis=0) > 0).all()
    assert (medians[-1] > 1.5 * medians[0]).all()


@claim("weights-in-front-free-the-order")
def test_with_weights_in_front_preactivation_bears_every_order():
    errors = every_error(four(first_layer=True))
    assert max(errors[FULL][order].max() for order in WHOLE) < 50
    moved = {
        name: np.median([found[o] for o in WHOLE if o[0] != 0])
        for name, found in errors.items()
    }
    assert moved[FULL] < moved[ORIGINAL]
