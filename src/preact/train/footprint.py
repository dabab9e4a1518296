"""How much memory a training step needs, measured."""

import gc
import os
from collections.abc import Callable

# PyTorch's profiler tells every start and stop of its own; not to our users.
os.environ.setdefault("KINETO_LOG_LEVEL", "6")

import torch
from torch.profiler import ProfilerActivity, profile

from preact.nn import Network
from preact.nn.memory import Memory
from preact.plan import NetworkPlan

IMAGES = 2  # a batch just large enough to normalize
SMALL = 32  # pixels of a side, to be measured as they are


def allocated(work: Callable[[], object]) -> tuple[int, int]:
    """Bytes that some work on the CPU leaves behind, and its peak.

    Counted from PyTorch's own allocator: exact, whatever the system does.
    """
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True
    ) as watched:
        result = work()
    now = peak = 0
    for event in watched.profiler.kineto_results.events():
        if event.name() == "[memory]":
            now += event.nbytes()
            peak = max(peak, now)
    del result
    return now, peak


def activation_bytes(plan: NetworkPlan, memory: Memory) -> tuple[int, int]:
    """Bytes for each image of a float32 step, gradients of weights apart.

    What lies between forward and backward pass, and the most at any time.
    """
    network = Network(plan, memory=memory)
    c, height, width = plan.image
    if min(height, width) < SMALL:
        return step_bytes(network, torch.randn(IMAGES, *plan.image))
    # Bytes are a line in the number of pixels: two small images tell them,
    # where there may be no room for a large one.
    small, large = (
        step_bytes(network, torch.randn(IMAGES, c, height // k, width // k))
        for k in (4, 2)
    )
    kept, peak = (b + (b - a) * 4 for a, b in zip(small, large, strict=True))
    return kept, peak


def step_bytes(
    network: torch.nn.Module, images: torch.Tensor
) -> tuple[int, int]:
    """As `activation_bytes`, for any network on the CPU."""
    network.train()
    for weight in network.parameters():
        if weight.requires_grad:  # the gradients' own memory comes first
            weight.grad = torch.zeros_like(weight)
    loss: list[torch.Tensor] = []
    gc.freeze()  # what others left is not collected now, as this work's
    try:
        kept, ahead = allocated(lambda: loss.append(network(images).sum()))
        _, back = allocated(lambda: loss[0].backward())
    finally:
        gc.unfreeze()
    return kept // len(images), max(ahead, kept + back) // len(images)
