"""Half precision and layouts train; what is not there is refused."""

from dataclasses import replace

import pytest
import torch

from preact.train import Execution, find_recipe, train
from preact.train.step import make_optimizer
from preact.train.stop import Stopped
from small import small_run, stop_at


def run(iterations=60, **execution):
    recipe = {"iterations": iterations, "batch": 32, "ghost_batch": 16}
    return small_run(width=8, recipe=recipe, execution=Execution(**execution))


slow = pytest.mark.slow


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return train(run(), tmp_path_factory.mktemp("plain"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("execution", "tolerance"),
    [
        # The same numbers in another order, or with 8 or 11 bits: over 60
        # steps the loss drifts by that much and no more.
        ({"channels_last": True}, 1e-3),
        pytest.param(
            {"memory": "segment", "channels_last": True}, 1e-3, marks=slow
        ),
        pytest.param({"precision": "bf16"}, 0.1, marks=slow),
        pytest.param({"precision": "fp16"}, 0.1, marks=slow),
    ],
    ids=str,
)
def test_every_way_of_computing_trains_alike(
    plain, tmp_path, execution, tolerance
):
    ended = train(run(**execution), tmp_path)
    assert ended.outcome == "finished"
    first, other = plain.curve[0]["loss"], ended.curve[0]["loss"]
    assert other == pytest.approx(first, rel=tolerance)
    assert ended.train_loss == pytest.approx(plain.train_loss, rel=0.15)


@pytest.mark.parametrize(
    "execution",
    [{"channels_last": True}, {"memory": "segment"}],
    ids=str,
)
def test_a_run_in_another_way_resumes_to_the_last_bit(tmp_path, execution):
    other = run(24, **execution)
    whole = train(other, tmp_path / "whole", report_every=4)
    with pytest.raises(Stopped):
        train(other, tmp_path, report=stop_at(12), report_every=4)
    again = train(other, tmp_path, report_every=4)
    assert again.curve == whole.curve
    assert again.profiles == whole.profiles


def test_the_gradient_that_is_shown_is_that_of_the_loss_not_of_its_scale(
    tmp_path,
):
    halves, plain = (
        train(run(1, precision=precision), tmp_path / precision).profiles[0]
        for precision in ("fp16", "fp32")
    )
    assert len(halves["gradient_norm"]) == 4
    for name in ("gradient_norm", "signal_rms"):
        assert halves[name] == pytest.approx(plain[name], rel=0.1)


def test_tf32_is_refused_where_there_is_none(tmp_path):
    with pytest.raises(ValueError, match="got tf32, which only NVIDIA GPUs"):
        train(run(precision="tf32"), tmp_path)


def test_decay_of_weights_alone_goes_by_shape_and_leaves_vectors_out():
    """So it does with what own units have, such as a scale by channel."""
    recipe = replace(find_recipe("digits"), decayed="weights")
    network = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU())
    decayed, kept = make_optimizer(network, recipe).param_groups
    assert [p.ndim for p in decayed["params"]] == [4]
    assert [p.ndim for p in kept["params"]] == [1]
    assert (decayed["weight_decay"], kept["weight_decay"]) == (1e-4, 0.0)
    (everything,) = make_optimizer(network, find_recipe("digits")).param_groups
    assert len(everything["params"]) == 2
