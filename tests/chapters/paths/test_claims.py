"""Sentences of chapter 08 on networks that it draws and trains itself."""

import numpy as np
import pytest

from cells import cells
from preact.book.paths import ARMS
from preact.book.paths.controls import CONTROLS, without_each
from preact.book.stacks import Stack, images, train
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
PLAIN, ORIGINAL, FULL = ARMS
AS_ABOVE, ANEW, IN_FRONT, BOTH = CONTROLS.values()
(SEED,) = draw_seeds(1)


@pytest.fixture(scope="module")
def chapter():
    """The chapter's functions; none of its measurements."""
    starts = "import numpy", "def true_paths", "def by_length", "def changed"
    return cells("08-paths", *starts)


# ------------------------------------------------------------ the paths
@claim("true-paths-add-up")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_the_true_paths_add_up_to_the_whole_network(chapter, name):
    network = Stack(*ARMS[name], units=3, seed=SEED)
    x = images().train[:200]
    network.freeze(x)
    whole = network.run(x.expand(network.seeds, -1, -1), network.units)
    delta, lengths = chapter["true_paths"](network, 3)
    assert sorted(lengths) == [0, 1, 1, 1, 2, 2, 2, 3]
    assert (delta.sum(0) - whole).norm() < 1e-5 * whole.norm()


@claim("true-paths-add-up")
def test_of_two_units_the_fourth_path_is_a_difference_of_compositions():
    rng = np.random.default_rng(0)
    A, B, x = rng.normal(size=(3, 5, 5))

    def F1(x):
        return np.maximum(x @ A, 0)

    def F2(x):
        return np.maximum(x @ B, 0)

    both = F2(x + F1(x)) - F2(x)
    whole = (x + F1(x)) + F2(x + F1(x))
    np.testing.assert_allclose(x + F1(x) + F2(x) + both, whole)
    assert np.abs(both - F2(F1(x))).max() > 0.1  # no composition by itself
    outputs = x + F1(x) + F2(x)
    assert np.abs(outputs - whole).max() > 0.1


@claim("true-paths-add-up")
def test_for_linear_units_a_true_path_is_the_product_of_its_matrices():
    rng = np.random.default_rng(0)
    W, x = rng.normal(size=(3, 4, 4)), rng.normal(size=4)

    def left(k):
        found = x
        for i in range(3):
            found = found + W[i] @ found if k >> i & 1 else found
        return found

    delta = np.array([left(k) for k in range(8)])
    for i in range(3):
        for k in range(8):
            if k >> i & 1:
                delta[k] -= delta[k ^ 1 << i]
    for k in range(8):
        path = x
        for i in range(3):
            path = W[i] @ path if k >> i & 1 else path
        np.testing.assert_allclose(delta[k], path)


@slow
@claim("training-shortens-the-paths")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_training_shortens_the_paths_in_every_network(chapter, name):
    k = np.arange(7)
    fresh = chapter["by_length"](Stack(*ARMS[name], seed=SEED))
    trained = chapter["by_length"](train(*ARMS[name], seed=SEED))
    assert (k @ trained < k @ fresh - 0.2).all()
    assert (trained[4:].sum(0) < fresh[4:].sum(0)).all()


@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_a_late_unit_changes_little_of_the_output(chapter, name):
    network = train(*ARMS[name], seed=SEED)
    network.freeze(images().train[:200])
    share = chapter["changed_by_deletion"](network)
    assert (share[0] > 0.3).all()
    assert (share[2:] < 0.25).all()


# ------------------------------------------------------- single units
@pytest.fixture(scope="module")
def controls():
    """Errors whole and without each unit, by control and arm."""
    return without_each(seed=SEED)


@slow
@claim("deleting-a-unit")
def test_a_plain_network_misses_two_of_three_without_any_of_its_units():
    network = train(*ARMS[PLAIN], seeds=20, seed=SEED)
    assert np.median(network.test_errors(range(6))) < 30
    without = [[j for j in range(6) if j != i] for i in range(6)]
    errors = np.array([network.test_errors(order) for order in without])
    assert (errors > 200 / 3).all(axis=0).sum() >= 16


@slow
@claim("deleting-a-unit")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_a_residual_one_spares_each_of_its_last_four_units(controls, name):
    whole, *without = controls[AS_ABOVE][name]
    spared = (np.array(without[2:]) - whole < 10).all(axis=0)
    assert spared.sum() >= 18


def dearer(errors):
    """In how many networks the first unit costs more than all others."""
    cost = errors[1:] - errors[0]
    return (cost[0] > cost[1:].sum(axis=0)).sum()


@slow
@claim("the-first-unit-is-not-dispensable")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_the_first_unit_costs_more_than_all_others_together(controls, name):
    for control in (AS_ABOVE, IN_FRONT):
        assert dearer(controls[control][name]) >= 17


@slow
@claim("two-controls-take-most-of-the-cost")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_weights_in_front_and_new_statistics_take_most_of_it(controls, name):
    cost = {
        control: np.median(errors[name][1:] - errors[name][0], axis=1)
        for control, errors in controls.items()
    }
    first = cost[AS_ABOVE][0]
    assert cost[ANEW][0] < 0.75 * first
    assert cost[IN_FRONT][0] < 0.75 * first
    assert cost[BOTH][0] < min(0.3 * first, 12)
    assert cost[BOTH][0] > 1.5 * max(cost[BOTH][1:])
    assert dearer(controls[BOTH][name]) > 10
