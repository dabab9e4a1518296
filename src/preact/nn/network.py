"""A whole network in PyTorch.

Chapter `04-units`; the twin of `preact.reference.network`.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from preact.nn.layers import sequential
from preact.nn.unit import Unit
from preact.plan import Conv, Linear, NetworkPlan
from preact.plan.checks import check_batch, check_finite

Arrays = Mapping[str, np.ndarray[Any, Any]]
Through = Callable[[Iterable[nn.Module], Tensor], Tensor]


def chain(units: Iterable[nn.Module], x: Tensor) -> Tensor:
    """Hand x_0 from unit to unit; `preact.fast.memory` has frugal ways."""
    for unit in units:
        x = unit(x)
    return x


class Network(nn.Module):
    """The planned network: images (N, C, H, W) to logits (N, classes).

    Parameters
    ----------
    plan : NetworkPlan
        What to build.
    seed : int, optional
        Seed of the initial weights; None draws from PyTorch's global
        generator.

    Notes
    -----
    `load_arrays` takes the reference's dictionary, `arrays` gives one back.

    References
    ----------
    Sec. 5 and appendix: BN and ReLU before the classifier.
    """

    def __init__(self, plan: NetworkPlan, seed: int | None = None) -> None:
        super().__init__()
        self.plan = plan
        self.stem = sequential(plan.stem)
        self.units = nn.ModuleList(Unit(unit) for unit in plan.units)
        self.tail = sequential(plan.tail)
        head = plan.classifier
        self.classifier = nn.Linear(head.c_in, head.c_out)
        self.chain: Through = chain  # how units in a row run
        self.through: Through = chain  # and what of it is kept
        self._initialize(seed)

    def forward(self, x: Tensor) -> Tensor:
        """Compute the logits.

        Raises
        ------
        ValueError
            If the images have other channels than the plan, leave one value
            per channel to a batch normalization in training, or (looked at
            on the CPU only, where looking is free) are not finite.
        """
        check_batch(tuple(x.shape), self.plan.image[0])
        if x.device.type == "cpu" and not torch.compiler.is_compiling():
            check_finite(int((~torch.isfinite(x)).sum()), x.numel())
        x = self.stem(x)
        x = self.through(self.units, x)
        x = self.tail(x)
        return self.classifier(x.mean((2, 3)))  # type: ignore[no-any-return]

    def load_arrays(self, params: Arrays) -> None:
        """Copy in a plain dictionary of arrays with the reference's names."""
        self.load_state_dict(
            {name: torch.as_tensor(value) for name, value in params.items()}
        )

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return a plain dictionary of arrays with the reference's names."""
        return {
            name: value.detach().cpu().numpy().copy()
            for name, value in self.state_dict().items()
        }

    @torch.no_grad()
    def _initialize(self, seed: int | None) -> None:
        """Draw the weights as the plan says (see `reference.initialize`)."""
        rng = None
        if seed is not None:
            rng = torch.Generator().manual_seed(seed)
        params = dict(self.named_parameters())
        for placed in self.plan.placed_layers:
            match placed.layer:
                case Conv() as conv:
                    deviation = conv.deviation(self.plan.init)
                    weight = params[f"{placed.name}.weight"]
                    weight.normal_(0.0, deviation, generator=rng)
                    if conv.bias is not None:
                        params[f"{placed.name}.bias"].fill_(conv.bias)
                case Linear() as linear:
                    bound = 1.0 / math.sqrt(linear.c_in)
                    weight = params[f"{placed.name}.weight"]
                    weight.uniform_(-bound, bound, generator=rng)
                    params[f"{placed.name}.bias"].zero_()
