"""What training costs: counted from the plan, bounded by a roofline.

A machine is four numbers: arithmetic, memory traffic, what an operation costs
however small, and room. Every operation takes the longest of its arithmetic and its
traffic, and a launch; a step is their sum. Nothing overlaps and no kernel
falls short of its machine, so a real step takes longer.

Chapter `09-imagenet`.
"""

import json
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from math import prod
from typing import Any, NamedTuple

import torch

from preact.book.explorers import Html
from preact.book.page import words
from preact.figures import Table
from preact.nn import Network
from preact.plan import (
    BatchNorm,
    Conv,
    Linear,
    MaxPool,
    NetworkPlan,
    ReLU,
    Shape,
    cifar_plan,
    imagenet_plan,
)
from preact.train import find_recipe
from preact.train.step import TrainingStep, make_sgd

PASSES = {  # over what an operation reads or writes, forward and backward
    "conv": 3,  # read, twice again for two gradients; so for its output
    "BN": 8,  # forward: twice read, once written; backward: 4 and 1
    "ReLU": 5,
    "pool": 3,
    "+": 6,
}
WEIGHT_PASSES = 8  # two reads, a gradient, five of SGD with momentum


class Work(NamedTuple):
    """Of one operation: for an image multiply-adds and numbers moved."""

    multiply_adds: int
    moved: int
    weights: int


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What a device can do at most.

    Parameters
    ----------
    flops : float
        Multiplications and additions a second.
    bandwidth : float
        Bytes a second between memory and processor.
    launch_s : float
        Seconds that an operation and its gradients take, however small.
    bytes : float
        Memory; 0 is not known.
    """

    flops: float
    bandwidth: float
    launch_s: float
    bytes: float = 0.0


def operations(plan: NetworkPlan) -> Counter[Work]:
    """Count equal operations of a network, one image at a time."""
    count: Counter[Work] = Counter()
    for placed in plan.placed_layers:
        read, written = prod(placed.shape_in), prod(placed.shape_out)
        match placed.layer:
            case Conv() | Linear():
                moved = PASSES["conv"] * (read + written)
            case BatchNorm():
                moved = PASSES["BN"] * read
            case ReLU():
                moved = PASSES["ReLU"] * read
            case MaxPool():
                moved = PASSES["pool"] * (read + written)
            case _:
                moved = 2 * (read + written)
        weights = placed.layer.parameters
        count[Work(placed.multiply_adds, moved, weights)] += 1
    for shape in plan.stream_shapes[1:]:
        count[Work(0, PASSES["+"] * prod(shape), 0)] += 1
    return count


def step_seconds(
    plan: NetworkPlan, machine: Machine, batch: int, width: int = 4
) -> float:
    """Least time of a training step.

    Parameters
    ----------
    plan : NetworkPlan
    machine : Machine
    batch : int
        Images that this machine takes in a step.
    width : int
        Bytes of a number: 4, or 2 in half precision.
    """
    seconds = 0.0
    for work, count in operations(plan).items():
        arithmetic = 6 * work.multiply_adds * batch / machine.flops
        moved = work.moved * batch * width + 4 * WEIGHT_PASSES * work.weights
        longest = max(arithmetic, moved / machine.bandwidth)
        seconds += count * (longest + machine.launch_s)
    return seconds


def kept_bytes(plan: NetworkPlan, width: int = 4) -> int:
    """Bytes an image that a step keeps for its backward pass.

    The input of every BN and every convolution, one copy of each: a ReLU
    keeps what it returns, and what follows reads that very copy.
    """
    kept = prod(plan.image)
    for placed in plan.placed_layers:
        match placed.layer:
            case BatchNorm():
                kept += prod(placed.shape_in)
            case ReLU():
                kept += prod(placed.shape_out)
    return kept * width
