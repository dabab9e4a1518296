"""Sentences of chapter 12, as inequalities over seeds and mutants."""

import json

import numpy as np
import pytest
import torch
import torch.nn.functional as nnf

from cells import cells
from conformance.reports import report_of
from preact.book.bugs import (
    BATCH,
    STACKS,
    UNITS,
    different_size,
    growth,
    predicted,
    stack,
    through_branches,
)
from preact.book.bugs.surveyed import surveyed
from preact.book.bugs.zoo import MUTANTS, RIGHT
from preact.conformance import Property
from preact.data import read_digits
from preact.propagation import profile
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
SEEDS = tuple(draw_seeds(5))


def drawn(name, seed=0):
    """A network of the zoo, fresh weights."""
    torch.manual_seed(seed)
    return {**RIGHT, **MUTANTS}[name].make()


def batch(size=4, seed=0):
    return torch.randn(
        (size, 3, 32, 32), generator=torch.Generator().manual_seed(seed)
    )


# ----------------------------------------------------------- what one notices
@claim("every-mutant-runs")
@pytest.mark.parametrize("seed", [*sampled(draw_seeds(2), 2)])
def test_every_mutant_returns_finite_logits_and_gradients(seed):
    for name in MUTANTS:
        network = drawn(name, seed)
        logits = network(batch(seed=seed))
        assert logits.shape == (4, 10)
        nnf.cross_entropy(logits, torch.arange(4)).backward()
        read = [p.grad for p in network.parameters() if p.grad is not None]
        unread = len(read) < len([*network.parameters()])
        assert unread == (Property.UNUSED in MUTANTS[name].breaks)
        assert all(values.isfinite().all() for values in (logits, *read))


@claim("every-mutant-runs")
@pytest.mark.slow
def test_fewer_than_half_of_the_mutants_have_another_size():
    assert 0 < 2 * len(different_size()) < len(MUTANTS)


@claim("mutants-learn-all-the-same")
@slow
@pytest.mark.parametrize(
    "name",
    [
        *("averaged-sum", "activated-shortcut", "added-twice"),
        *("relu-after-sum", "no-final-activation"),
    ],
)
@pytest.mark.parametrize("lr", [0.1, 0.03])
def test_a_mutant_learns_the_digits_within_sixty_steps(name, lr):
    digits = read_digits()
    images, labels = digits.train_images.float(), digits.train_labels
    images = ((images - images.mean()) / images.std()).expand(-1, 3, 8, 8)
    for seed in draw_seeds(2):
        network = drawn(name, seed)
        sgd = torch.optim.SGD(network.parameters(), lr=lr, momentum=0.9)
        generator = torch.Generator().manual_seed(seed)
        losses = []
        for _ in range(60):
            rows = torch.randint(0, 1400, (64,), generator=generator)
            loss = nnf.cross_entropy(network(images[rows]), labels[rows])
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            losses.append(loss.item())
        assert np.median(losses[-10:]) < np.log(10) / 5


# --------------------------------------------- fully connected, iteration 0
@claim("averaging-keeps-the-signal-not-the-gradient")
@slow
def test_an_averaged_sum_keeps_the_signal_and_lets_the_gradient_grow():
    for seed in SEEDS:
        averaged = profile(stack("averaged-sum"), batch=BATCH, seed=seed)
        assert averaged.signal_rms.min() > 2 / 3
        assert averaged.signal_rms.max() < 3 / 2
    assert growth("averaged-sum", SEEDS).min() > 1e4
    assert growth(seeds=SEEDS).max() < 100


@claim("a-halved-shortcut-explodes")
@slow
@pytest.mark.parametrize(
    "name", ["", "averaged-sum", "halved-shortcut", "added-twice"]
)
def test_behind_halved_shortcuts_the_gradient_grows_as_the_law_says(name):
    found = growth(name, SEEDS)
    assert name != "halved-shortcut" or found.min() > 1e5
    per_unit = (found / predicted(name)) ** (1 / UNITS)
    assert (abs(per_unit - 1) < 0.1).all()


@claim("boundary-mistakes-show-in-no-curve")
@slow
def test_four_of_eight_leave_the_band_by_far_and_the_ends_do_not():
    right = growth(seeds=SEEDS)
    grown = {name: growth(name, SEEDS) for name in STACKS}
    far = {n for n in STACKS if grown[n].min() > 100 * right.max()}
    assert far == {
        *("averaged-sum", "activated-shortcut"),
        *("halved-shortcut", "added-twice"),
    }
    assert len(STACKS) == 2 * len(far)
    assert all((grown[n] < 30 * right).all() for n in STACKS.keys() - far)
    for name in ("doubled-stem", "no-final-activation"):
        assert (grown[name] > right / 3).all()
        assert (grown[name] < 3 * right).all()


def signals_of(network):
    """What each of its modules returns, by name; the logits last."""
    returned = {}
    for name, module in network.named_modules():
        module.register_forward_hook(
            lambda module, inputs, out, name=name: returned.update({name: out})
        )
    network(batch())
    return returned


@claim("a-detached-shortcut-is-invisible-forward")
@pytest.mark.parametrize("seed", draw_seeds(3))
def test_a_detached_shortcut_changes_no_signal_and_no_logit(seed):
    right, mutant = drawn("pre-activation", seed), drawn("detached-shortcut")
    mutant.load_state_dict(right.state_dict())
    meant, found = signals_of(right), signals_of(mutant)
    assert meant.keys() == found.keys()
    assert all(torch.equal(meant[name], found[name]) for name in meant)


@claim("a-detached-shortcut-is-invisible-forward")
@slow
def test_behind_detached_shortcuts_hardly_any_gradient_arrives():
    left, _ = through_branches(SEEDS)
    assert left.max() < 1e-10


# ------------------------------------------------------------------- the probe
@claim("the-probe-finds-each-and-accuses-none")
@pytest.mark.parametrize("name", [*sampled([*RIGHT, *MUTANTS], 4)])
def test_the_probe_says_no_to_what_is_wrong_and_to_nothing_else(name):
    specimen = {**RIGHT, **MUTANTS}[name]
    faults = {finding.property for finding in report_of(name).faults}
    assert faults == specimen.breaks
    assert len(faults) <= 2
    assert bool(faults) == (name in MUTANTS)


# ------------------------------------------------------------------ the survey
def named():
    return [n for n in surveyed()["network"] if n["row"]]


def said_no(network):
    return {finding["property"] for finding in network.get("no", [])}


@claim("surveyed-residual-networks-are-right-inside")
def test_surveyed_networks_that_are_a_row_have_identity_shortcuts():
    assert len({n["package"] for n in named()}) == 6
    inside = {Property.SHORTCUT, Property.STREAM, Property.GRADIENT}
    for network in named():
        open_or_no = said_no(network) | set(network["unknown"])
        assert not inside & open_or_no


@claim("surveyed-residual-networks-are-right-inside")
def test_what_such_networks_are_faulted_for_is_stem_size_or_bias():
    faults = set().union(*map(said_no, named()))
    assert faults == {Property.FIRST, Property.SIZE, Property.BIAS}


def test_in_bert_with_silent_branches_a_norm_moves_no_more_than_rounding():
    (bert,) = (n for n in surveyed()["network"] if "bert" in n["address"])
    (finding,) = bert["no"]
    assert finding["reason"] == "stream-norm"
    assert float(json.loads(finding["evidence"])["moved"]) < 1e-6


def test_the_three_mistakes_of_the_last_network_get_four_noes():
    names = cells(
        *("12-find-the-bug", "import Property, probe"),
        *("class Block(", "mine = nn.Sequential(\n", "card = probe("),
    )
    faults = [finding.property for finding in names["card"].faults]
    assert len(faults) == len(set(faults)) == 4
