"""How far a view of a network is from float64, beside PyTorch's own error.

Chapter `08-training`.
"""

import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.nn.network import Network
from preact.plan import NetworkPlan

FACTOR = 8  # by which errors of two correct ways differ, at most
DRAWS = 5  # a ReLU within rounding of zero spoils one, not the median
Parts = dict[str, Sequence[Tensor]]


class Compared(NamedTuple):
    """Errors relative to float64's largest number, medians over draws.

    Attributes
    ----------
    part : {"logits", "gradients", "statistics"}
    ours, pytorch : float
    """

    part: str
    ours: float
    pytorch: float

    @property
    def agrees(self) -> bool:
        """Whether ours errs no more; NaN never agrees."""
        eps = torch.finfo(torch.float32).eps
        return self.ours <= FACTOR * max(self.pytorch, eps)


def compare(
    view: Callable[[Network], nn.Module],
    plan: NetworkPlan,
    device: torch.device,
    images: int = 4,
) -> list[Compared]:
    """Compare a view of a network with PyTorch and float64, in float32.

    Parameters
    ----------
    view : function
        From a network to what computes the same in another way.
    plan : NetworkPlan
        Of at most 29 layers: deeper networks are chaotic in any precision.
    images : int
        In the batch.

    Returns
    -------
    list of Compared
        One for logits, gradients and statistics each.
    """
    errors: dict[str, list[tuple[float, float]]] = {}
    for seed in range(DRAWS):
        with torch.random.fork_rng(devices=[]):
            exact, plain, ours = (Network(plan, seed) for _ in range(3))
        wanted = _learn(exact.double(), plan, images)
        by_ours = _learn(view(ours.to(device)), plan, images)
        by_pytorch = _learn(plain.to(device), plan, images)
        for part, exactly in wanted.items():
            errors.setdefault(part, []).append(
                (
                    _error(by_ours[part], exactly),
                    _error(by_pytorch[part], exactly),
                )
            )
    return [
        Compared(part, *map(statistics.median, zip(*both, strict=True)))
        for part, both in errors.items()
    ]


def _learn(network: nn.Module, plan: NetworkPlan, images: int) -> Parts:
    """One forward and backward pass of the same images, without TF32."""
    parameters = list(network.parameters())
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(images, *plan.image, generator=rng, dtype=torch.float64)
    y = torch.randint(0, plan.classes, (images,), generator=rng)
    x = x.to(parameters[0]).contiguous(memory_format=torch.channels_last)
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
        logits = network(x)
        loss = nnf.cross_entropy(logits, y.to(x.device))
        gradients = torch.autograd.grad(loss, parameters)
    return {
        "logits": [logits.detach()],
        "gradients": gradients,
        "statistics": list(network.buffers()),
    }


def _error(ours: Sequence[Tensor], exact: Sequence[Tensor]) -> float:
    """Of the worst tensor, relative to its largest number."""
    errors = [
        (a.cpu().double() - b).abs().max() / b.abs().max()
        for a, b in zip(ours, exact, strict=True)
        if b.is_floating_point()
    ]
    return float(torch.stack(errors).max())  # NaN, if there is one
