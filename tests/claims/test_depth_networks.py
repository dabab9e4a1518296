"""Sentences of chapter 07 on networks that it draws and trains itself."""

import numpy as np
import pytest
import torch

from claims.test_chapters import cells
from preact.plan import stack_plan
from preact.propagation import profile
from preact.spec import CONTROLS, TABLE_1, TABLE_2

claim = pytest.mark.claim
slow = pytest.mark.slow
ORIGINAL, FULL = "original+final-bn", "full-preactivation"
PLAIN = "constant-scaling-0-1+final-bn"
UNITS = list(range(6))
SEED = 1  # the chapter's is 0


@pytest.fixture(scope="module")
def chapter():
    """The chapter's functions; none of its measurements."""
    return cells(
        "07-depth",
        "import numpy as np",
        "trio =",
        "digits = read_digits",
        "def weights_hear",
        "class BatchNorm",
        "def stack",
        "def frozen",
        "def train",
        "arms = {",
        "def true_paths",
        "def by_length",
        "def neighbors_agree",
    )


# ------------------------------------------------------------- the laws
def predicted_exponent(depths, step, v):
    line = [0.0]
    for _ in range(depths[-1]):
        line.append(line[-1] + np.log(1 + 1 / ((1 - 1 / np.pi) * v)) / 2)
        v += step
    return np.polyfit(np.log(depths), np.array(line)[depths], 1)[0]


def measured_exponents(spec, depths, seeds):
    plans = [stack_plan(spec, units=L, width=64) for L in depths]
    return [
        np.polyfit(
            np.log(depths),
            [
                np.log(profile(p, batch=64, seed=s).gradient_ratio)
                for p in plans
            ],
            1,
        )[0]
        for s in seeds
    ]


@slow
@claim("gradient-exponents-of-three-units")
def test_three_units_have_three_exponents_and_theory_is_near_two_of_them():
    depths, seeds = [10, 20, 50, 100], range(10, 16)
    control, full, original = (
        measured_exponents(spec, depths, seeds)
        for spec in (
            CONTROLS["no-relu-after-addition"],
            TABLE_2["full-preactivation"],
            TABLE_2["original"],
        )
    )
    assert max(control) < min(full)
    assert max(full) < min(original)
    for found, step, v in (
        (control, 1.0, 0.5 - 0.5 / np.pi),
        (full, 1 - 1 / np.pi, 1.0),
    ):
        off = np.mean(found) - predicted_exponent(depths, step, v)
        assert 0 < off < 0.1
    drop = np.mean(original) - np.mean(control)
    assert drop == pytest.approx(0.5, abs=0.15)
    assert 0.3 * drop < np.mean(full) - np.mean(control) < 0.7 * drop


# ---------------------------------------------------------- the weights
@slow
@claim("relative-gradients-of-weights-164")
def test_in_resnet_164_the_first_weights_hear_most_and_the_originals_more(
    chapter,
):
    hear = chapter["weights_hear"]
    found = {
        row: np.array([hear(row, seed=s) for s in (1, 2, 3)])
        for row in ("original", "full-preactivation")
    }
    first = {row: values[:, 0] for row, values in found.items()}
    assert first["original"].min() > 10 * first["full-preactivation"].max()
    for values in found.values():
        assert (values[:, 0] > 100 * values[:, -1]).all()


# ------------------------------------------------------------ the paths
def drawn(chapter, name, *, units=6, seed=SEED):
    """A fresh arm with its true paths: unit, delta, lengths, error."""
    weights, _ = chapter["draw"](units, seed=seed)
    return chapter["true_paths"](*chapter["arms"][name], weights, units)


@claim("true-paths-add-up")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_the_true_paths_add_up_to_the_whole_network(chapter, name):
    delta, lengths, error = drawn(chapter, name, units=3)
    assert len(delta) == 8
    assert sorted(lengths) == [0, 1, 1, 1, 2, 2, 2, 3]
    assert error < 1e-5


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


@claim("true-paths-of-linear-units")
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
    arm, k = chapter["arms"][name], np.arange(7)
    fresh = chapter["by_length"](*arm, chapter["draw"](6, seed=SEED)[0])
    weights, _ = chapter["train"](*arm, seed=SEED)
    trained = chapter["by_length"](*arm, weights)
    assert (k @ trained < k @ fresh - 0.2).all()
    assert (trained[4:].sum(0) < fresh[4:].sum(0)).all()


@claim("true-paths-cancel")
def test_in_the_fresh_original_the_paths_are_larger_than_their_sum(chapter):
    delta, lengths, _ = drawn(chapter, ORIGINAL)
    together = torch.zeros(7, *delta.shape[1:])
    together.index_add_(0, torch.tensor(lengths), delta)
    squares = (together**2).mean((2, 3)).sum(0)
    out = (delta.sum(0) ** 2).mean((1, 2))
    assert (squares > 4 * out).all()


# ------------------------------------------------------- single units
@pytest.fixture(scope="module")
def errors(chapter):
    """Test error in percent of a trained arm, by the order of its units."""
    made = {}

    def error(name, order):
        unit, tail = chapter["arms"][name]
        if name not in made:
            weights, head = chapter["train"](unit, tail, seed=SEED)
            images = chapter["pixels"].expand(4, -1, -1)
            bn = chapter["frozen"](unit, tail, weights, images)
            made[name] = weights, head, bn
        weights, head, bn = made[name]
        x = chapter["test"].expand(4, -1, -1)
        x = chapter["stack"](unit, weights, x, bn, order)
        logits = chapter["place"](tail, x, bn, "tail") @ head
        wrong = logits.argmax(-1) != chapter["digits"].test_labels
        return 100 * wrong.double().mean(1).numpy()

    return error


def without(i):
    return [unit for unit in UNITS if unit != i]


def exchanged(i):
    return [*UNITS[:i], i + 1, i, *UNITS[i + 2 :]]


@slow
@claim("deleting-a-unit")
def test_a_plain_network_misses_three_of_four_without_any_of_its_units(
    errors,
):
    assert errors(PLAIN, UNITS).max() < 30
    for i in UNITS:
        assert errors(PLAIN, without(i)).min() > 75


@slow
@claim("deleting-a-unit")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_a_residual_one_spares_each_of_its_last_four_units(errors, name):
    whole = errors(name, UNITS)
    for i in UNITS[2:]:
        assert (errors(name, without(i)) - whole).max() < 10


@slow
@claim("the-first-unit-is-not-dispensable")
@pytest.mark.parametrize("name", [ORIGINAL, FULL])
def test_the_first_unit_costs_more_than_all_others_together(errors, name):
    whole = errors(name, UNITS)
    cost = [errors(name, without(i)) - whole for i in UNITS]
    assert (cost[0] > sum(cost[1:])).all()


@slow
@claim("neighbors-can-be-exchanged")
def test_neighbors_behind_the_first_unit_can_be_exchanged(errors):
    for i in UNITS[1:-1]:
        for name in (ORIGINAL, FULL):
            cost = errors(name, exchanged(i)) - errors(name, UNITS)
            assert cost.max() < 10
        assert errors(PLAIN, exchanged(i)).min() > 70


# ---------------------------------------------------------- shattering
@pytest.fixture(scope="module")
def correlation(chapter):
    specs = {**TABLE_1, **TABLE_2, **CONTROLS}

    def mean(row, units):
        agree = chapter["neighbors_agree"]
        return agree(specs[row], units, seeds=16, seed=SEED).mean()

    return mean


@slow
@claim("shortcuts-delay-shattering")
def test_at_five_units_a_shortcut_keeps_gradients_related(correlation):
    plain = correlation("constant-scaling-0-1", 5)
    for row in ("original", "no-relu-after-addition", "full-preactivation"):
        assert correlation(row, 5) > plain + 0.15


@slow
@claim("the-control-shatters-least")
@pytest.mark.parametrize("units", [20, 50])
def test_at_twenty_and_fifty_units_the_control_is_the_most_related(
    correlation, units
):
    control = correlation("no-relu-after-addition", units)
    for row in ("original", "full-preactivation"):
        assert correlation(row, units) < 0.15
        assert correlation(row, units) < control - 0.1
