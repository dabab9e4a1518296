"""How far gradients of fused units are from float64, beside PyTorch's own."""

import statistics
from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.fast import fast
from preact.nn.network import Network
from preact.plan import NetworkPlan, cifar_plan

FACTOR = 8  # by which errors of two correct ways differ, at most
DRAWS = 5  # a ReLU within rounding of zero spoils one, not the median
IMAGES = 4
FUSED = partial(fast, fused=True)


def checked_plan(plan: NetworkPlan) -> NetworkPlan:
    """Plan a shallow network of the same units on small images.

    Deeper ones are chaotic in any precision.
    """
    return cifar_plan(
        plan.spec,
        depth=29 if plan.convs == 3 else 20,
        convs=plan.convs,
        image=(plan.image[0], 16, 16),
    )


def check(
    plan: NetworkPlan, view: Callable[[Network], nn.Module] = FUSED
) -> float:
    """Return the error of the gradients of a view, as of float64.

    That of the worst tensor, relative to its largest number; the median of
    several draws. Refuse one that is larger than PyTorch's own explains.
    """
    errors: list[tuple[float, float]] = []
    for seed in range(DRAWS):
        exact = _gradients(Network(plan, seed).double(), plan)
        by_view = _gradients(view(Network(plan, seed)), plan)
        by_pytorch = _gradients(Network(plan, seed), plan)
        errors.append((_error(by_view, exact), _error(by_pytorch, exact)))
    ours, pytorch = map(statistics.median, zip(*errors, strict=True))
    if not ours <= FACTOR * max(pytorch, torch.finfo(torch.float32).eps):
        raise ArithmeticError(
            f"gradients of fused units must be within {FACTOR} times "
            f"PyTorch's own error of float64, {pytorch:.2g}; got {ours:.2g}: "
            "times of it would mean nothing"
        )
    return float(ours)


def _gradients(network: nn.Module, plan: NetworkPlan) -> list[Tensor]:
    """Of all weights, from one pass of the same images."""
    parameters = list(network.parameters())
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(IMAGES, *plan.image, generator=rng, dtype=torch.float64)
    y = torch.randint(0, plan.classes, (IMAGES,), generator=rng)
    x = x.to(parameters[0]).contiguous(memory_format=torch.channels_last)
    loss = nnf.cross_entropy(network(x), y)
    return list(torch.autograd.grad(loss, parameters))


def _error(ours: list[Tensor], exact: list[Tensor]) -> float:
    """Of the worst tensor, relative to its largest number; NaN stays NaN."""
    errors = [
        (a.double() - b).abs().max() / b.abs().max()
        for a, b in zip(ours, exact, strict=True)
    ]
    return float(torch.stack(errors).max())
