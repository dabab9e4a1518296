"""Twelve units from one BN and one ReLU: counted, written, measured."""

from itertools import product

import numpy as np
import pytest

from engine.calls import call, needs_node
from preact.book.placements import (
    PLACES,
    key,
    measure,
    row_of,
    twelve_units,
)
from preact.plan import stack_plan
from preact.propagation import profile
from preact.spec import BN, RELU, TABLE_2, UnitSpec

WAYS = twelve_units()


def test_one_bn_and_one_relu_have_twelve_arrangements():
    assert len(WAYS) == len(set(WAYS.values())) == 12
    for spec in WAYS.values():
        assert sorted(spec.pre + spec.post + spec.after) == [BN, RELU]


def test_the_paper_has_five_of_them():
    assert [row_of(spec) for spec in WAYS.values()] == [*TABLE_2] + 7 * [None]


@pytest.mark.parametrize("way", [*WAYS][::4])
def test_what_is_shown_is_what_propagation_measures(way):
    shown = measure(WAYS[way], units=5, width=8, batch=32, seeds=2)
    plan = stack_plan(WAYS[way], units=5, width=8)
    for seed in range(2):
        run = profile(plan, batch=32, seed=seed)
        relative = run.gradient_norm / run.gradient_norm[-1]
        np.testing.assert_array_equal(shown.signal[seed], run.signal_rms)
        np.testing.assert_array_equal(shown.gradient[seed], relative)
        np.testing.assert_array_equal(
            shown.open_share[seed], run.open_share[-1]
        )


@needs_node
def test_the_page_names_every_choice_as_python_does():
    choices, wanted = [], []
    for bn, relu, relu_first in product(PLACES, PLACES, (False, True)):
        choices.append({"bn": bn, "relu": relu, "reluFirst": relu_first})
        places = {bn: (BN,), relu: (RELU,)}
        if bn == relu:
            places = {bn: (RELU, BN) if relu_first else (BN, RELU)}
        wanted.append(key(UnitSpec(**places)))
    ways = call("units.wayOf", [[choice] for choice in choices])
    assert ways == wanted
    assert set(wanted) == set(WAYS)
    choices = call("units.choiceOf", [[way] for way in ways])
    assert call("units.wayOf", [[c] for c in choices]) == wanted
