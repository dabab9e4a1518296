"""The matrix of mistakes: each is seen wherever it stands, or on a list."""

import random

import pytest
import torch

from conformance.matrix import cells, counts
from conformance.mistakes import KINDS, RANDOM
from conformance.parts import IMAGE, ORIGINAL, PRE, WRITINGS, Parts
from conformance.variations import VARIATIONS
from preact.book.bugs.surveyed import matrix
from preact.conformance import probe
from sampled import sampled

EVERY = [*cells()]


def one_of_each_kind():
    """A cell of each kind; positions, modes and writings take turns."""
    by_kind = {}
    for cell in EVERY:
        by_kind.setdefault((cell.place, cell.name), []).append(cell)
    for i, same in enumerate(by_kind.values()):
        yield same[(7 * i) % len(same)]


SAMPLE = [*one_of_each_kind()]


def passed(cells):
    """Those that get no *no*, now."""
    return {str(cell) for cell in cells if not cell.is_caught()}


def state(network):
    """What a network computes in both modes, and how it learns."""
    random.seed(1)
    torch.manual_seed(1)
    x = torch.randn(4, *IMAGE)
    out = network.train()(x)
    out.square().sum().backward()
    gradients = [p.grad for p in network.parameters() if p.grad is not None]
    size = sum(p.numel() for p in network.parameters())
    kept = sum(
        float(b.double().abs().sum())
        for b in network.buffers()
        if b.is_floating_point()  # how many batches, not everybody counts
    )
    with torch.no_grad():
        evaluated = network.eval()(x)
    length = sum(float(g.double().square().sum()) for g in gradients)
    return out.detach(), evaluated, [size, kept, length**0.5]


def close(ours, theirs, within=1e-3):
    pairs = zip(ours, theirs, strict=True)
    return all(
        torch.as_tensor(a).shape == torch.as_tensor(b).shape
        and torch.allclose(
            torch.as_tensor(a), torch.as_tensor(b), within, within / 10
        )
        for a, b in pairs
    )


claim = pytest.mark.claim


@pytest.mark.slow
@claim("the-probe-finds-each-and-accuses-none")
@pytest.mark.parametrize("place", dict.fromkeys(place for place, _ in KINDS))
def test_what_gets_no_no_is_what_the_record_says(place):
    ours = [cell for cell in SAMPLE if cell.place == place]
    asked = {str(cell) for cell in ours}
    assert passed(ours) == asked & {*matrix()["passed"]}


@claim("the-probe-finds-each-and-accuses-none")
def test_at_every_place_all_but_one_in_fifty_are_caught():
    assert len(VARIATIONS) >= 60  # the claim says so of right networks
    passed = {*matrix()["passed"]}
    by_place, by_writing = {}, {}
    for cell in EVERY:
        if cell.hidden in ("", "missed"):
            got = str(cell) not in passed
            by_place.setdefault(cell.place, []).append(got)
            by_writing.setdefault(cell.writing, []).append(got)
    for caught in (*by_place.values(), *by_writing.values()):
        assert 50 * sum(caught) > 49 * len(caught)


def test_every_cell_is_caught_or_on_the_list_with_its_reason():
    assert matrix()["counts"] == counts()
    assert {*matrix()["passed"]} == {str(c) for c in EVERY if c.hidden}


@pytest.mark.nightly
@pytest.mark.parametrize("turn", range(10))
def test_in_other_turns_all_but_one_in_a_hundred_are_caught(turn):
    every = [*cells(turn)]
    unexpected = passed(every) - {str(cell) for cell in every if cell.hidden}
    assert 100 * len(unexpected) < len(every)


@pytest.mark.parametrize("row", [PRE, ORIGINAL])
def test_all_writings_compute_the_same(row):
    torch.manual_seed(0)
    wanted = state(WRITINGS["ModuleList"](Parts(row)))
    for write in WRITINGS.values():
        torch.manual_seed(0)
        assert close(state(write(Parts(row))), wanted)


# Chance may spare a network; a ReLU finds nothing to do behind another.
SEEN = [
    c for c in SAMPLE
    if not c.hidden and c.name not in {*RANDOM, "relu(x)"}
    and "random" not in c.name
]  # fmt: skip


@pytest.mark.parametrize(
    "cell", [*sampled([(c,) for c in SEEN], 12, "nightly")], ids=str
)
def test_a_mistake_changes_the_network_and_all_writings_alike(cell):
    torch.manual_seed(0)
    right = state(WRITINGS[cell.writing](Parts(cell.row)))
    wrong = state(cell.network())
    bounds = "clamp" in cell.name or "ReLU6" in cell.name  # none is met
    assert bounds or not close(wrong, right, within=1e-6)
    for writing in WRITINGS:
        other = state(cell._replace(writing=writing).network())
        assert close(other, wrong)


@claim("the-probe-finds-each-and-accuses-none")
@pytest.mark.parametrize("name", [*sampled(VARIATIONS, 4)])
def test_no_answer_on_a_right_network_is_no(name):
    torch.manual_seed(0)
    random.seed(0)
    variation = VARIATIONS[name]
    report = probe(variation.make(), variation.image, row=variation.row)
    assert not report.faults
    if variation.row:
        assert report.row in (variation.row, "")
