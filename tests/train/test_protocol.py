from dataclasses import replace

import pytest

from preact.paper import read
from preact.plan import CONVENTIONS
from preact.train import find_protocol, protocols


def test_the_paper_protocol_is_the_papers_recipe():
    recipe, ours = read("protocols")["cifar"], find_protocol("paper")
    assert ours.batch == recipe["batch"]
    assert ours.lr == recipe["learning_rate"]
    assert ours.warmup_lr == recipe["warmup_learning_rate"]
    assert ours.warmup_iterations == recipe["warmup_iterations"]
    assert list(ours.drop_at) == recipe["drop_at_iterations"]
    assert ours.iterations == recipe["iterations"]
    assert ours.weight_decay == recipe["weight_decay"]
    assert ours.momentum == recipe["momentum"]
    assert ours.pad == recipe["pad"]
    assert ours.ghost_batch == 64


def test_the_release_drops_after_80_and_121_of_200_epochs():
    release = find_protocol("torch-release")
    assert release.batch * release.iterations == 200 * 50_048
    epoch = release.iterations / 200
    assert [round(d / epoch) for d in release.drop_at] == [80, 121]


def test_every_protocol_names_conventions_that_exist():
    assert {p.conventions for p in protocols().values()} <= set(CONVENTIONS)


@pytest.mark.parametrize(
    ("iteration", "lr"),
    [
        (0, 0.01),
        (399, 0.01),
        (400, 0.1),
        (31_999, 0.1),
        (32_000, 0.01),
        (63_999, 0.001),
    ],
)
def test_the_learning_rate_warms_up_and_drops(iteration, lr):
    assert find_protocol("paper").lr_at(iteration) == pytest.approx(lr)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ghost_batch": 50}, "a multiple of ghost_batch; got 128 and 50"),
        ({"iterations": 0}, "iterations must be at least 1; got 0"),
    ],
)
def test_a_bad_protocol_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(find_protocol("paper"), **change)
    with pytest.raises(
        ValueError, match="one of paper, torch-release, digits"
    ):
        find_protocol("ancient")
