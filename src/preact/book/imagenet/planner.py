"""What training costs: counted from the plan, bounded by a roofline.

A machine is three numbers: arithmetic, memory traffic, and what starting an
operation takes. Every operation takes the longer of its arithmetic
and its traffic. They are started ahead, while others run, so a step takes the
longer of both sums. No kernel falls short of its machine.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import NamedTuple

from preact.plan import (
    BatchNorm,
    Conv,
    Linear,
    NetworkPlan,
    ReLU,
    cifar_plan,
    imagenet_plan,
)
from preact.plan.layers import MaxPool
from preact.train import find_recipe

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
    """What a GPU can do at most.

    Multiplications and additions a second, bytes a second between memory and
    processor, and seconds that an operation and its gradients take, however
    small.
    """

    flops: float
    bandwidth: float
    launch_s: float


class Link(NamedTuple):
    """What joins machines: bytes a second in one direction, seconds a step."""

    bandwidth: float
    latency_s: float


# What data sheets promise: of an H100 SXM in half precision without sparsity;
# of links for each GPU. Nobody promises what a launch costs: we assume three
# kernels of 5 microseconds for an operation with its gradients. The latency
# of a step is assumed, too.
H100 = Machine(flops=989e12, bandwidth=3350e9, launch_s=15e-6)
NVLINK = Link(450e9, 5e-6)  # inside a machine
INFINIBAND = Link(50e9, 10e-6)  # 400 Gbit/s
ETHERNET = Link(1.25e9, 50e-6)  # 10 Gbit/s


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
    """Least time of a training step of `batch` images on a machine.

    `width` is the bytes of a number: 4, or 2 in half precision.
    """
    count = operations(plan)
    started = count.total() * machine.launch_s
    run = sum(
        n * max(bounds(work, machine, batch, width))
        for work, n in count.items()
    )
    return max(run, started)


def bounds(
    work: Work, machine: Machine, batch: int, width: int = 4
) -> tuple[float, float]:
    """Seconds of an operation by its arithmetic, and by its traffic.

    A multiply-add is two operations, and there are three of each: forward,
    and backward for the input and for the weights.
    """
    moved = work.moved * batch * width + 4 * WEIGHT_PASSES * work.weights
    arithmetic = 6 * work.multiply_adds * batch / machine.flops
    return arithmetic, moved / machine.bandwidth


def kept_bytes(plan: NetworkPlan, width: int = 4) -> int:
    """Bytes an image that a step keeps for its backward pass.

    The input of every BN and what every ReLU returns, which the next
    convolution reads; for max pooling a place (8 bytes) for each maximum.
    """
    kept = prod(plan.image) * width
    for placed in plan.placed_layers:
        match placed.layer:
            case BatchNorm():
                kept += prod(placed.shape_in) * width
            case ReLU():
                kept += prod(placed.shape_out) * width
            case MaxPool():
                kept += prod(placed.shape_out) * 8
    return kept


def all_reduce_seconds(n_bytes: float, count: int, link: Link) -> float:
    """Time in which `count` processes in a ring sum so many bytes.

    Twice count - 1 steps, each of which waits once and carries one piece of
    count to the neighbor: once around to sum, once around to share the sums.
    """
    steps = 2 * (count - 1)
    return steps * (link.latency_s + n_bytes / count / link.bandwidth)


class Job(NamedTuple):
    """A network and how many images its training shows it in all."""

    plan: NetworkPlan
    images: int


@cache
def jobs() -> dict[str, Job]:
    """Return what the paper trained, with full pre-activation units."""
    row = "full-preactivation"
    small, large = (
        recipe.iterations * recipe.batch
        for recipe in map(find_recipe, ("paper", "imagenet"))
    )
    return {
        f"ResNet-{depth}, CIFAR": Job(
            cifar_plan(row, depth=depth, convs=convs), small
        )
        for depth, convs in ((110, 2), (164, 3), (1001, 3))
    } | {
        f"ResNet-{depth}, ImageNet": Job(
            imagenet_plan(row, depth=depth), large
        )
        for depth in (50, 101, 152, 200)
    }


def training_hours(
    job: Job,
    each: Machine,
    count: int,
    images: int,
    width: int = 4,
    link: Link | None = None,
) -> float:
    """Hours on `count` machines of `images` each; no link, no messages."""
    seconds = step_seconds(job.plan, each, images, width)
    if link:
        size = 4 * job.plan.parameters
        seconds += all_reduce_seconds(size, count, link)
    return job.images / (count * images) * seconds / 3600
