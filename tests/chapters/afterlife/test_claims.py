"""Sentences of the chapter, as inequalities over seeds."""

from functools import cache

import numpy as np
import pytest
import torch

from preact.book.afterlife.model import PLACEMENTS
from preact.book.afterlife.runs import (
    RATES_FOLDER,
    at_rate,
    draw_windows,
    fresh,
    letter_entropy,
    measure,
    read_runs,
    read_text,
    recorded_letters,
    runs_of,
)
from preact.book.afterlife.train import descend
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim
SEEDS = draw_seeds(3)
EVERY_SEED = pytest.mark.parametrize("seed", [*sampled(SEEDS, 3)])
BARE = ("pre-ln", "peri-ln", "zero-init")  # nothing touches the addition
HELD_OUT = [5, 6, 7]  # when the sentences were written


@cache
def moment(arm, layers, seed, default=False):
    return measure(fresh(arm, layers, seed, default=default), seed)


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
    runs = [
        r for r in (*read_runs(), *read_runs(RATES_FOLDER)) if r.arm in BARE
    ]
    assert len(runs) >= 20
    for m in (moment for run in runs for moment in run.moments):
        np.testing.assert_allclose(m.direct, 1, rtol=1e-3)


@claim("afterlife-direct-term-dies")
@EVERY_SEED
def test_of_48_layers_of_post_ln_nothing_comes_by_the_shortcuts(seed):
    assert 0 < moment("post-ln", 48, seed).direct[0] < 1e-10
    assert 0.002 < moment("post-ln", 48, seed, default=True).direct[0] < 0.1


@claim("afterlife-gradient-does-not-vanish")
@pytest.mark.parametrize("default", [False, True])
@pytest.mark.parametrize("layers", [12, 48])
@EVERY_SEED
def test_but_a_gradient_arrives_at_every_unit_of_them(seed, layers, default):
    found = moment("post-ln", layers, seed, default)
    norms = np.array(found.gradient_norm)
    assert (norms > norms[-1] / 50).all()


def hidden_factors(network, seed):
    """Yield the factor of Eq. (6) that each norm after an addition makes."""
    generator = torch.Generator().manual_seed(seed)
    text, _ = draw_windows(read_text().test, 16, 32, generator)
    for unit, x in zip(network.units, network.streams(text), strict=False):
        y = unit.scale * x + unit.branch(x)
        yield unit.scale * (1 / y.std(-1, correction=0)).mean().item()


@claim("afterlife-hidden-lambda")
@pytest.mark.parametrize("layers", [4, 12])
@EVERY_SEED
def test_the_direct_term_of_post_ln_is_the_product_of_hidden_factors(
    layers, seed
):
    network = fresh("post-ln", layers, seed)
    with torch.no_grad():
        predicted = np.log([*hidden_factors(network, seed)]).sum()
    measured = np.log(moment("post-ln", layers, seed).direct[0])
    assert 1 < measured / predicted < 1.2


@claim("afterlife-stream-grows")
@pytest.mark.parametrize("arm", ["pre-ln", "peri-ln"])
@EVERY_SEED
def test_twelve_times_the_layers_more_than_double_the_stream(arm, seed):
    few, many = (moment(arm, layers, seed) for layers in (4, 48))
    assert many.signal_rms[-1] > 2 * few.signal_rms[-1]
    assert moment("post-ln", 48, seed).signal_rms[-1] < 1.1


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
def growth_of_draws(units, streams, size, draws):
    """By what factor free matrices enlarge a vector: one for each draw."""
    rng = np.random.default_rng(0)
    u = np.ones((draws, streams, 1))
    for _ in range(units):
        noise = rng.normal(size=(draws, streams, streams))
        u = u + size * noise @ u
    return np.linalg.norm(u[..., 0], axis=1) / np.sqrt(streams)


@claim("afterlife-free-matrices-explode")
@pytest.mark.parametrize("size", [0.05, 0.1])
def test_free_matrices_multiply_the_mean_square_as_derived(size):
    squares = growth_of_draws(20, 4, size, 3000) ** 2
    error = np.std(squares) / np.sqrt(len(squares))
    theory = (1 + 4 * size**2) ** 20
    assert abs(np.mean(squares) - theory) < 5 * error
    assert error < 0.1 * theory


@claim("afterlife-free-matrices-explode")
@pytest.mark.parametrize("n", [1, 2, 4])
def test_a_typical_draw_grows_less_than_the_mean_square(n):
    units, size, draws = 100, 0.05, 2000
    logs = np.log(growth_of_draws(units, n, size, draws))
    error = np.std(logs) / np.sqrt(draws)
    typical = (n - 2) * size**2 * units / 2
    assert abs(np.mean(logs) - typical) < 5 * error
    assert typical < np.log(1 + n * size**2) * units / 2 - 10 * error


# ---------------------------------------------------------------- as recorded
def test_the_recorded_text_is_this_one_or_of_another_python():
    (sha256,) = {
        run.text_sha256 for run in (*read_runs(), *read_runs(RATES_FOLDER))
    }
    letters = letter_entropy(read_text().test)
    same = read_text().sha256 == sha256
    assert abs(letters - recorded_letters()) < (5e-4 if same else 0.2)


def losses_at(arm, layers, lr, iteration, draw="book"):
    runs = at_rate(arm, layers, lr, draw)
    assert [run.seed for run in runs] == HELD_OUT
    return np.array([run.at(iteration).test_loss for run in runs])


@claim("afterlife-post-ln-learns-letters")
@pytest.mark.parametrize("iteration", [200, 1000])
def test_with_12_layers_post_ln_learns_no_more_than_letters(iteration):
    post, pre = (
        losses_at(arm, 12, 0.003, iteration) for arm in ("post-ln", "pre-ln")
    )
    assert (post > recorded_letters()).all()
    assert (pre < recorded_letters() - 0.6).all()


@claim("afterlife-gradient-vanishes-in-training")
def test_in_post_ln_the_gradient_vanishes_in_training():
    for run in at_rate("post-ln", 12, 0.003):
        assert ratio(run.at(0)) > 0.5
        assert max(ratio(run.at(i)) for i in (50, 200, 1000)) < 1 / 1000
    for run in at_rate("pre-ln", 12, 0.003):
        assert min(ratio(m) for m in run.moments) > 0.5


@claim("afterlife-a-tenth-of-the-rate-is-enough")
def test_at_a_tenth_of_the_rate_the_gradient_comes_back_on_its_own():
    ends = losses_at("post-ln", 12, 0.0003, 1000)
    assert (ends < recorded_letters() - 0.2).all()
    for run in at_rate("post-ln", 12, 0.0003):
        assert ratio(run.at(50)) < 0.3
        assert ratio(run.at(1000)) > 0.8
        assert max(abs(m.direct[0]) for m in run.moments) < 1e-3


@claim("afterlife-shallow-post-ln-keeps-up")
@pytest.mark.parametrize("lr", [0.003, 0.001, 0.0003])
@pytest.mark.parametrize("draw", ["book", "default"])
def test_with_4_layers_post_ln_ends_about_where_pre_ln_does(lr, draw):
    post, pre = (
        losses_at(arm, 4, lr, 1000, draw) for arm in ("post-ln", "pre-ln")
    )
    assert (abs(post - pre) < 0.1).all()


def test_records_are_of_unchanged_code_and_one_recipe():
    for runs, changed in (
        (read_runs(), set()),
        (read_runs(RATES_FOLDER), {"lr", "draw"}),
    ):
        own = {"placement", "layers", "seed", "warm_up", *changed}
        settings = {
            tuple(
                sorted((k, v) for k, v in run.config.items() if k not in own)
            )
            for run in runs
        }
        assert len(settings) == 1
        for run in runs:
            assert run.config["seed"] == run.seed
            assert run.arm.startswith(run.config["placement"])
        # git calls the earlier records, beside the code, a change; its hash
        # is that of an unchanged commit in every run
        clean = {run.code_sha256 for run in runs if run.git.dirty is False}
        assert len(clean) == 1
        assert {run.code_sha256 for run in runs} == clean


@pytest.mark.slow
@pytest.mark.parametrize("group", ["placements", "rates"])
def test_the_first_ten_steps_of_a_recorded_run_are_what_is_recorded(group):
    run = runs_of("deepnorm", 4)[0]
    if group == "rates":
        run = at_rate("post-ln", 4, 0.0003)[0]
    if read_text().sha256 != run.text_sha256:
        pytest.skip("another Python has another text")
    network = fresh(run.config["placement"], run.layers, run.seed)
    losses, moments = descend(network, run.config, group == "rates", steps=10)
    assert np.mean(losses) == pytest.approx(run.train_loss[0], abs=5e-3)
    kept, again = run.at(0), moments[0]
    assert again["direct"][0] == pytest.approx(kept.direct[0], rel=0.01)
    norms = pytest.approx(kept.gradient_norm, rel=0.01)
    assert again["gradient_norm"] == norms
