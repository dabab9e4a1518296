"""Sentences of chapter 10, as inequalities over seeds."""

from functools import cache

import numpy as np
import pytest
import torch

from preact.book.afterlife import (
    free_mixing,
    gain,
    kept_difference,
    running_products,
    sinkhorn,
    stochastic_mixing,
)
from preact.book.transformer.model import PLACEMENTS
from preact.book.transformer.runs import (
    chosen,
    fresh,
    measure,
    recorded,
    recorded_letters,
)
from preact.book.transformer.text import (
    draw_windows,
    letter_entropy,
    read_text,
)
from sampled import sampled

claim = pytest.mark.claim
SEEDS = range(3)
EVERY_SEED = pytest.mark.parametrize("seed", [*sampled(SEEDS, 3)])
BARE = ("pre-ln", "peri-ln", "zero-init")  # nothing touches the addition


@cache
def moment(arm, layers, seed):
    return measure(fresh(arm, layers, seed), seed)


def ratio(m):
    """Gradient at the first unit, relative to that at the last."""
    return m.gradient_norm[0] / m.gradient_norm[-1]


# ------------------------------------------------------------- freshly drawn
@claim("afterlife-direct-term-is-one")
@pytest.mark.parametrize("arm", BARE)
def test_a_bare_addition_passes_all_of_the_gradient(arm):
    for seed in SEEDS:
        np.testing.assert_allclose(moment(arm, 12, seed).direct, 1, rtol=1e-3)


@claim("afterlife-direct-term-is-one")
def test_it_does_so_after_training_too():
    runs = [run for run in recorded() if run.arm in BARE]
    assert len(runs) >= 20
    for run in runs:
        for m in run.moments:
            np.testing.assert_allclose(m.direct, 1, rtol=1e-3)


@claim("afterlife-direct-term-dies")
@EVERY_SEED
def test_of_48_layers_of_post_ln_nothing_comes_by_the_shortcuts(seed):
    assert 0 < moment("post-ln", 48, seed).direct[0] < 1e-10


@claim("afterlife-gradient-does-not-vanish")
@EVERY_SEED
def test_but_a_gradient_arrives_at_every_unit_of_them(seed):
    norms = np.array(moment("post-ln", 48, seed).gradient_norm)
    assert (norms > norms[-1] / 10).all()


@claim("afterlife-deepnorm-keeps-it")
@EVERY_SEED
def test_deepnorm_keeps_four_fifths_of_the_direct_term(seed):
    assert moment("deepnorm", 48, seed).direct[0] > 0.8


def hidden_factors(network, seed):
    """The factor of Eq. (6) that the norm after each addition makes."""
    generator = torch.Generator().manual_seed(seed)
    text, _ = draw_windows(read_text().test, 16, 32, generator)
    factors = []
    with torch.no_grad():
        for unit, x in zip(network.units, network.streams(text), strict=False):
            y = unit.scale * x + unit.branch(x)
            deviation = y.std(-1, correction=0)
            factors.append(unit.scale * (1 / deviation).mean().item())
    return factors


@claim("afterlife-hidden-lambda")
@pytest.mark.parametrize("layers", [4, 12])
@EVERY_SEED
def test_the_direct_term_of_post_ln_is_the_product_of_hidden_factors(
    layers, seed
):
    network = fresh("post-ln", layers, seed)
    predicted = np.log(np.prod(hidden_factors(network, seed)))
    measured = np.log(moment("post-ln", layers, seed).direct[0])
    assert 1 < measured / predicted < 1.2


@claim("afterlife-stream-grows")
@pytest.mark.parametrize("arm", ["pre-ln", "peri-ln"])
@EVERY_SEED
def test_twelve_times_the_layers_more_than_double_the_stream(arm, seed):
    few, many = (moment(arm, layers, seed) for layers in (4, 48))
    assert many.signal_rms[-1] > 2 * few.signal_rms[-1]
    assert moment("post-ln", 48, seed).signal_rms[-1] < 1.1


def added(m):
    """What a unit adds to the mean square of the stream, on average."""
    first, *_, last = np.square(m.signal_rms)
    return (last - first) / (len(m.signal_rms) - 1)


@claim("afterlife-stream-grows")
@pytest.mark.parametrize("arm", ["pre-ln", "peri-ln"])
@EVERY_SEED
def test_the_mean_square_grows_in_proportion_to_depth(arm, seed):
    few, many = (added(moment(arm, layers, seed)) for layers in (4, 48))
    assert many == pytest.approx(few, rel=0.3)


@claim("afterlife-zero-init-is-flat")
@EVERY_SEED
def test_silent_branches_change_neither_signal_nor_gradient(seed):
    m = moment("zero-init", 12, seed)
    np.testing.assert_allclose(m.signal_rms, m.signal_rms[0], rtol=1e-3)
    np.testing.assert_allclose(m.gradient_norm, m.gradient_norm[0], rtol=1e-3)
    network = fresh("zero-init", 4, seed)
    text, wanted = draw_windows(
        read_text().test, 4, 32, torch.Generator().manual_seed(seed)
    )
    logits = network(text).flatten(0, 1)
    torch.nn.functional.cross_entropy(logits, wanted.flatten()).backward()
    for unit in network.units:
        assert not unit.branch.value.weight.grad.any()
        assert unit.branch.write.weight.grad.any()


@claim("afterlife-silent-branch-tells")
@pytest.mark.parametrize("arm", PLACEMENTS)
def test_with_a_silent_branch_a_bare_addition_is_the_identity(arm):
    network = fresh(arm, 4, seed=0)
    x = torch.randn(2, 8, 32, generator=torch.Generator().manual_seed(0))
    for unit in network.units:
        with torch.no_grad():
            unit.branch.write.weight.zero_()
            assert unit(3 * x).equal(3 * x) == (arm in BARE)
            again = unit(unit(x))
        torch.testing.assert_close(again, unit(x), rtol=1e-3, atol=1e-4)


# --------------------------------------------------------------- mixed streams
@claim("afterlife-free-matrices-explode")
@pytest.mark.parametrize("size", [0.05, 0.1])
def test_free_matrices_multiply_the_mean_square_as_derived(size):
    rng = np.random.default_rng(0)
    u = np.array([1.0, -1.0, 0.5, 0.0])
    squares = []
    for _ in range(3000):
        product = running_products(free_mixing(rng, 20, 4, size))[-1]
        squares.append(np.sum((product @ u) ** 2) / np.sum(u**2))
    error = np.std(squares) / np.sqrt(len(squares))
    theory = (1 + 4 * size**2) ** 20
    assert abs(np.mean(squares) - theory) < 5 * error
    assert error < 0.1 * theory


@claim("afterlife-stochastic-keeps-the-mean")
def test_products_of_doubly_stochastic_matrices_are_doubly_stochastic():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        products = running_products(stochastic_mixing(rng, 100, 4, 0.1))
        assert (products >= 0).all()
        for axis in (-1, -2):
            np.testing.assert_allclose(products.sum(axis), 1, rtol=1e-9)
        np.testing.assert_allclose(gain(products), 1, rtol=1e-9)


@claim("afterlife-differences-are-forgotten")
def test_a_hundred_of_them_forget_what_differs_between_streams():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        products = running_products(stochastic_mixing(rng, 100, 4, 0.1))
        assert kept_difference(products)[-1] < 1e-9
        assert (np.diff(kept_difference(products[:50])) < 0).all()
        rng = np.random.default_rng(seed)
        free = running_products(free_mixing(rng, 100, 4, 0.1))
        assert gain(free)[-1] > 3


def test_sinkhorn_refuses_what_is_not_positive():
    with pytest.raises(ValueError, match=r"must be positive; got -1"):
        sinkhorn(np.array([[1.0, -1.0], [1.0, 1.0]]))


# ---------------------------------------------------------------- as recorded
def losses(arm, layers):
    runs = chosen(arm, layers)
    assert len(runs) >= 4
    return np.array([run.test_loss for run in runs])


def test_the_recorded_text_is_this_one_or_of_another_python():
    (sha256,) = {run.text_sha256 for run in recorded()}
    letters = letter_entropy(read_text().test)
    same = read_text().sha256 == sha256
    assert abs(letters - recorded_letters()) < (5e-4 if same else 0.2)


@claim("afterlife-four-layers-are-enough")
def test_with_4_layers_post_ln_learns_and_ends_last():
    post = losses("post-ln", 4)
    assert (post < recorded_letters() - 0.4).all()
    for arm in PLACEMENTS.keys() - {"post-ln"}:
        assert losses(arm, 4).max() < post.min()


@claim("afterlife-post-ln-learns-letters")
def test_with_12_layers_post_ln_learns_no_more_than_letters():
    assert (losses("post-ln", 12) > recorded_letters()).all()
    assert (losses("pre-ln", 12) < recorded_letters() - 0.6).all()


@claim("afterlife-the-others-learn-at-both-depths")
@pytest.mark.parametrize("arm", sorted(PLACEMENTS.keys() - {"post-ln"}))
def test_the_others_end_with_12_layers_where_they_end_with_4(arm):
    few, many = (np.median(losses(arm, layers)) for layers in (4, 12))
    assert abs(many - few) < 0.05


@claim("afterlife-the-others-learn-at-both-depths")
@pytest.mark.parametrize("layers", [4, 12])
def test_peri_ln_ends_no_better_than_pre_ln(layers):
    peri, pre = losses("peri-ln", layers), losses("pre-ln", layers)
    assert np.median(peri) > np.median(pre)


@claim("afterlife-deepnorm-learns")
def test_deepnorm_learns_with_12_layers():
    assert (losses("deepnorm", 12) < recorded_letters() - 0.6).all()


@claim("afterlife-gradient-vanishes-in-training")
def test_in_post_ln_the_gradient_vanishes_in_training():
    runs = chosen("post-ln", 12)
    for run in runs:
        assert ratio(run.at(0)) > 0.8
        assert ratio(run.at(10)) < 1 / 100
        assert ratio(run.at(50)) < 1 / 1000
    iterations = [m.iteration for m in runs[0].moments]
    middle = [
        np.median([ratio(run.at(i)) for run in runs]) for i in iterations
    ]
    assert middle[iterations.index(10)] < middle[0] / 1000
    assert (np.diff(middle) < 0).all()


@claim("afterlife-gradient-vanishes-in-training")
@pytest.mark.parametrize("arm", BARE)
def test_where_the_addition_is_bare_it_does_not(arm):
    runs = chosen(arm, 12)
    assert len(runs) >= 4
    for run in runs:
        assert min(ratio(m) for m in run.moments) > 0.99


@claim("afterlife-deepnorm-dips")
def test_deepnorm_loses_most_of_its_direct_term_and_recovers():
    runs = chosen("deepnorm", 12)
    assert len(runs) >= 4
    for run in runs:
        assert run.at(0).direct[0] > 0.85
        assert 0.04 < run.at(10).direct[0] < 0.07
        assert 0.2 < run.at(200).direct[0] < 0.3
        assert ratio(run.at(10)) < 0.1
        assert ratio(run.at(200)) > 0.7
    for run in chosen("post-ln", 12):
        assert abs(run.at(10).direct[0]) < 1e-6


def test_records_are_of_unchanged_code_and_one_recipe():
    settings, clean = set(), set()
    for run in recorded():
        if run.git.dirty is False:
            clean.add(run.code_sha256)
        settings.add((run.config["lr"], run.config["iterations"]))
        assert run.config["seed"] == run.seed
        assert run.arm.startswith(run.config["placement"])
    assert len(settings) == 1
    # git calls the earlier records, beside the code, a change; its hash is
    # that of an unchanged commit in every run
    assert {run.code_sha256 for run in recorded()} == clean
    assert len(clean) == 1


@claim("afterlife-deeper-is-faster")
def test_with_24_layers_post_ln_loses_its_gradient_sooner():
    slower = min(ratio(run.at(50)) for run in chosen("post-ln", 12))
    runs = chosen("post-ln", 24)
    assert len(runs) == 3
    for run in runs:
        assert ratio(run.at(0)) > 1
        assert ratio(run.at(10)) < slower
        assert run.test_loss > recorded_letters()


@claim("afterlife-warm-up-delays")
def test_a_warm_up_delays_what_happens_to_post_ln():
    assert (losses("post-ln+warm-up", 12) > recorded_letters()).all()
    for run in chosen("post-ln+warm-up", 12):
        assert ratio(run.at(10)) > 0.3
        assert ratio(run.at(50)) < 0.1
        assert ratio(run.at(200)) < 0.01


@claim("afterlife-pre-ln-needs-no-warm-up")
def test_pre_ln_ends_behind_with_a_warm_up():
    with_one, without = losses("pre-ln+warm-up", 12), losses("pre-ln", 12)
    assert (with_one > without).all()
