"""Twelve units from one BN and one ReLU: counted, written, measured."""

from itertools import product

from engine.calls import call, needs_node
from preact.book.placements import (
    PLACES,
    key,
    twelve_units,
)
from preact.spec import BN, RELU, UnitSpec

WAYS = twelve_units()


def test_one_bn_and_one_relu_have_twelve_arrangements():
    assert len(WAYS) == len(set(WAYS.values())) == 12
    for spec in WAYS.values():
        assert sorted(spec.pre + spec.post + spec.after) == [BN, RELU]


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
