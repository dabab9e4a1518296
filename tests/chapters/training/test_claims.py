"""Sentences of chapter 09: memory and kernels counted, records read."""

from math import log
from typing import get_args

import numpy as np
import pytest
import torch
import torch.nn.functional as nnf

from preact.book.runs.full_size import ARMS, arm
from preact.book.training import by_hand, count_kernels, recorded_steps
from preact.data import load
from preact.nn import Network
from preact.nn.layers import set_ghost_batch
from preact.nn.memory import Memory
from preact.plan import cifar_plan
from preact.records import read_curve
from preact.records.files import PUBLISHED
from preact.train.footprint import activation_bytes
from sampled import sampled
from seeds import draw_seeds

claim = pytest.mark.claim
slow = pytest.mark.slow
SEEDS = draw_seeds(3)
FULL = "full-preactivation"


def bottlenecks(depth, image=(3, 32, 32)):
    return cifar_plan(FULL, depth=depth, convs=3, image=image)


@claim("training-six-times")
def test_resnet_1001_costs_about_six_times_its_neighbors_in_the_tables():
    most = bottlenecks(1001).multiply_adds
    for plan in (cifar_plan(FULL, depth=110, convs=2), bottlenecks(164)):
        assert 5.8 < most / plan.multiply_adds < 6.2
    assert most / bottlenecks(101).multiply_adds > 9


# ----------------------------------------------------------------- one step
def gradient(network, images, labels):
    """All parameters' gradients as one vector."""
    network.zero_grad()
    nnf.cross_entropy(network(images), labels).backward()
    return torch.cat([p.grad.flatten() for p in network.parameters()])


@claim("training-ghost-batches")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_the_gradient_of_two_ghost_batches_is_the_mean_of_the_halves(seed):
    plan = cifar_plan(FULL, depth=20, convs=2, image=(1, 8, 8))
    network = Network(plan, seed=seed).double().train()
    data = load("digits")
    images = data.train_images[:64].double() / 16
    labels = data.train_labels[:64]
    halves = [
        gradient(network, images[part], labels[part])
        for part in (slice(0, 32), slice(32, 64))
    ]
    whole = gradient(network, images, labels)
    set_ghost_batch(network, 32)
    ghosts = gradient(network, images, labels)
    mean = (halves[0] + halves[1]) / 2
    assert (ghosts - mean).norm() < 1e-10 * mean.norm()
    assert (ghosts - whole).norm() > 1e-2 * mean.norm()


@claim("training-1001-recorded")
def test_in_the_records_of_1001_layers_the_original_stays_behind():
    def losses(row):
        paths = (PUBLISHED / "digits_depth").rglob(
            f"resnet-1001-3/{row}/*.json"
        )
        curves = [read_curve(path) for path in paths]
        return np.array([curve["loss"] for curve in curves])

    original, full = losses("original"), losses(FULL)
    assert original.shape == full.shape == (3, 15)
    assert (original.min(axis=0) > full.max(axis=0)).all()
    assert (np.abs(original[:, -1] - log(10)) < 0.1).all()
    assert (full[:, -1] < 0.5).all()


# ------------------------------------------------------------------- memory
@claim("training-first-thousand")
def test_in_a_thousand_iterations_the_original_stays_behind_with_either_head():
    without, with_bn, full = (arm(name)[1]["loss"] for name in ARMS)
    assert len(full) == 50
    for largest, middle, smallest in zip(without, with_bn, full, strict=True):
        assert smallest < middle < largest


@claim("training-memory-by-hand")
@pytest.mark.parametrize("way", [*sampled(get_args(Memory), 4)])
@pytest.mark.parametrize(
    "depth", [164, pytest.param(1001, marks=slow)], ids=str
)
def test_memory_counted_by_hand_is_close_to_what_is_measured(depth, way):
    measured = activation_bytes(bottlenecks(depth), way)[1] / 1e6
    assert by_hand((depth - 2) // 9, way)[1] == pytest.approx(
        measured, rel=0.1
    )


@claim("training-memory-changes-no-bit")
@pytest.mark.parametrize("seed", [*sampled(SEEDS, 9)])
def test_what_is_kept_changes_no_bit_of_a_gradient(seed):
    plan = bottlenecks(29, image=(3, 8, 8))
    rng = torch.Generator().manual_seed(seed)
    images = torch.randn(8, 3, 8, 8, generator=rng)
    labels = torch.randint(0, 10, (8,), generator=rng)

    def by(way):
        network = Network(plan, seed=seed, memory=way)
        return gradient(network.train(), images, labels)

    kept = by("keep")
    assert all(torch.equal(by(way), kept) for way in get_args(Memory))


# ------------------------------------------------------------------ kernels
@claim("training-launches")
def test_kernels_grow_by_the_same_number_with_every_unit():
    few, more, most = (count_kernels(depth) for depth in (20, 29, 56))
    assert more - few == 69
    assert most - more == 3 * 69
    assert 7500 < few + 69 * (111 - 2) < 8000


# ------------------------------------------------------------------ records
@claim("training-layout")
def test_channels_last_make_a_step_faster_on_both_processors():
    gains = [usual / last for usual, last, _ in recorded_steps().values()]
    assert len(gains) == 4
    assert all(1.2 <= gain <= 1.4 for gain in gains)
