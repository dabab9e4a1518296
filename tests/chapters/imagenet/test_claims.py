"""Sentences of the chapter: two processes, counts, Table 5.

What is learned is read from the records, as the chapter reads it.
"""

import numpy as np
import pytest
import torch

import preact
from preact import paper
from preact.book.imagenet import (
    SIZES,
    changes,
    distance,
    fifty,
    gradients_by_size,
    planner,
    run_two_processes,
    sampling_error,
    two_processes,
)
from preact.book.stacks import single_thread
from preact.records.compare import load_records
from preact.train.footprint import activation_bytes
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
ROW = "full-preactivation"
STEPS = {change.key: change for change in changes()}
FAST, SLOW = planner.INFINIBAND, planner.ETHERNET
RESNET_200 = planner.jobs()["ResNet-200, ImageNet"]


@pytest.fixture(autouse=True)
def one_thread():
    with single_thread():
        yield


# --------------------------------------------------------------------- counts
@claim("imagenet-depth-is-not-cost")
def test_resnet_200_costs_more_than_resnet_1001():
    deep = planner.jobs()["ResNet-1001, CIFAR"].plan
    assert RESNET_200.plan.multiply_adds > 9 * deep.multiply_adds


@claim("imagenet-depth-is-not-cost")
def test_the_imagenet_training_shows_fourteen_times_as_many_images():
    deep = planner.jobs()["ResNet-1001, CIFAR"]
    assert round(RESNET_200.images / deep.images) == 14


@pytest.mark.parametrize("row", ["original", ROW])
@pytest.mark.parametrize(("depth", "convs"), [*sampled([(20, 2), (56, 3)], 2)])
def test_kept_bytes_are_those_that_pytorch_allocates(row, depth, convs):
    plan = preact.cifar_plan(row, depth=depth, convs=convs)
    kept, _ = activation_bytes(plan, "keep")
    assert planner.kept_bytes(plan) == pytest.approx(kept, rel=0.015)


def step(link, count, images):
    """Seconds of a step of ResNet-200: work, and the sum of gradients."""
    size = 4 * RESNET_200.plan.parameters
    return (
        planner.step_seconds(RESNET_200.plan, planner.H100, images, 2),
        planner.all_reduce_seconds(size, count, link),
    )


@claim("imagenet-fixed-batch-loses")
def test_a_fixed_batch_loses_most_of_a_hundred_gpus():
    eight, most = (sum(step(FAST, n, 256 // n)) for n in (8, 128))
    assert eight / most < 1.5
    work, talk = step(SLOW, 128, 32)
    assert talk > work


def faster(link, count, images):
    """Images a second, relative to eight GPUs joined by InfiniBand."""
    ours = count * images / sum(step(link, count, images))
    return ours / (8 * 32 / sum(step(FAST, 8, 32)))


@claim("imagenet-fixed-batch-loses")
@pytest.mark.parametrize("count", [16, 32, 64, 128, 256])
def test_32_images_each_scale_on_a_fast_link_and_nothing_on_a_slow_one(count):
    ideal = count / 8
    assert faster(FAST, count, 32) > 0.75 * ideal
    assert faster(FAST, count, 256 / count) < 1.5
    for images in (32, 256 / count):
        assert faster(SLOW, count, images) < 0.1 * ideal


# -------------------------------------------------------------------- Table 5
def test_a_counted_error_scatters_as_a_binomial_share():
    rng = np.random.default_rng(0)
    counted = 100 * (rng.random((4000, 500)) < 0.2).mean(axis=1)
    wanted = sampling_error(20, images=500)
    assert counted.std() == pytest.approx(wanted, rel=0.05)


@claim("imagenet-crop-moves-most")
def test_the_crop_moves_the_error_most():
    assert len(STEPS) == 6
    largest = max(STEPS.values(), key=lambda change: abs(change.points))
    assert largest.key == "crop"


def errors_apart(key):
    """A change in standard errors of two independent samples."""
    change = STEPS[key]
    return abs(change.points) / (2**0.5 * sampling_error(change.before))


@claim("imagenet-no-evidence-at-152")
def test_two_tenths_of_a_point_are_within_the_sampling_error():
    assert errors_apart("unit_152") < 1
    top5 = {
        row["top5_pct"]
        for row in paper.read("table_5")["row"]
        if row["method"].startswith("ResNet-152") and row["test_crop"] == 320
    }
    assert len(top5) == 1


@claim("imagenet-unit-at-200")
def test_the_unit_matters_at_200_layers():
    assert STEPS["unit_200"].points < 0
    assert errors_apart("unit_200") > 4


# -------------------------------------------------------------- two processes
@pytest.fixture(scope="module", params=draw_seeds(2))
def seed(request):
    return request.param


@pytest.fixture(scope="module")
def two(seed):
    return run_two_processes(seed)


def alone(seed, half=slice(None), ghost_batch=None):
    """Gradients of one process."""
    x, y = two_processes.the_batch()
    return two_processes.alone(x[half], y[half], seed, ghost_batch)


@slow
@claim("imagenet-ddp-is-the-mean")
def test_ddp_is_the_mean_of_what_each_half_gives_bit_for_bit(two, seed):
    halves = slice(32), slice(32, 64)
    first, second = (alone(seed, half) for half in halves)
    for name, gradient in two["ddp"].items():
        assert torch.equal(gradient, (first[name] + second[name]) / 2)


@slow
@claim("imagenet-ddp-is-the-mean")
def test_ddp_is_one_process_with_ghost_batches(two, seed):
    assert distance(two["ddp"], alone(seed, ghost_batch=32)) < 1e-5


@claim("imagenet-ghosts-are-another-gradient")
@pytest.mark.parametrize("drawn", [*sampled(draw_seeds(5), 5)])
def test_the_fewer_images_a_bn_sees_the_further_off_the_gradient(drawn):
    ghosts, (other,) = gradients_by_size([drawn])
    far = ghosts[:, 0]
    assert len(far) == len(SIZES) == 5
    assert (np.diff(far) < 0).all()
    assert 0.4 < far[-1] < 2 / 3 * other


# ------------------------------------------------------------------ ResNet-50
@claim("imagenet-narrow-fifty")
def test_the_narrow_resnet_50_learns_faster_with_preactivation():
    original, full = fifty()["original"], fifty()[ROW]
    assert original.shape == full.shape == (2, 3)
    assert full.max() < 10
    assert original[0].min() > 50
    assert original[1].min() > full.max()


@claim("imagenet-narrow-fifty")
def test_the_original_has_the_larger_training_loss_too():
    losses = {"original": {}, ROW: {}}
    for run in load_records("digits_resnet_50"):
        if "BN" in run.tail:
            losses[run.row][run.seed] = run.train_loss
    assert len(losses["original"]) == 3
    for seed, loss in losses["original"].items():
        assert loss > losses[ROW][seed]
