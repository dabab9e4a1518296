from dataclasses import replace

import pytest

from preact.paper import read
from preact.train import find_recipe


def test_our_recipe_paper_is_the_one_the_paper_states():
    theirs, ours = read("protocols")["cifar"], find_recipe("paper")
    assert ours.batch == theirs["batch"]
    assert ours.lr == theirs["learning_rate"]
    assert ours.warmup_lr == theirs["warmup_learning_rate"]
    assert ours.warmup_iterations == theirs["warmup_iterations"]
    assert list(ours.drop_at) == theirs["drop_at_iterations"]
    assert ours.iterations == theirs["iterations"]
    assert ours.weight_decay == theirs["weight_decay"]
    assert ours.momentum == theirs["momentum"]
    assert ours.pad == theirs["pad"]
    assert ours.ghost_batch == 64


def test_the_release_drops_after_80_and_121_of_200_epochs():
    release = find_recipe("torch-release")
    assert release.batch * release.iterations == 200 * 50_048
    epoch = release.iterations / 200
    assert [round(d / epoch) for d in release.drop_at] == [80, 121]


def test_the_learning_rate_warms_up_and_drops():
    for iteration, lr in [
        (0, 0.01),
        (399, 0.01),
        (400, 0.1),
        (31_999, 0.1),
        (32_000, 0.01),
        (63_999, 0.001),
    ]:
        assert find_recipe("paper").lr_at(iteration) == pytest.approx(lr)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ghost_batch": 50}, "a multiple of ghost_batch; got 128 and 50"),
        ({"iterations": 0}, "iterations must be at least 1; got 0"),
    ],
)
def test_a_bad_protocol_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(find_recipe("paper"), **change)
    with pytest.raises(
        ValueError, match="one of paper, torch-release, digits"
    ):
        find_recipe("ancient")


def test_a_line_and_a_cosine_go_up_once_and_down_to_nothing():
    recipe = replace(
        find_recipe("digits"),
        schedule="linear",
        warmup_lr=0.0,
        warmup_iterations=10,
        iterations=110,
        lr=0.4,
    )
    rates = [recipe.lr_at(i) for i in (0, 5, 10, 60, 110)]
    assert rates == pytest.approx([0.0, 0.2, 0.4, 0.2, 0.0])
    quarter = recipe.lr_at(35), replace(recipe, schedule="cosine").lr_at(35)
    assert quarter == pytest.approx((0.3, 0.2 + 0.2 * 0.5**0.5))
    cosine = replace(recipe, schedule="cosine")
    assert [cosine.lr_at(i) for i in (0, 5, 10, 60, 110)] == pytest.approx(
        rates
    )
