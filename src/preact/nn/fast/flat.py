"""Parameters side by side in memory: thousands of updates become one.

Chapter `08-training`.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

ALIGNED = 16  # numbers: each tensor starts on a cache line


class FlatSGD(torch.optim.SGD):
    """PyTorch's SGD on groups of parameters, each laid out as one tensor.

    ResNet-1001 has three thousand parameters, most of them tiny; updating
    them one by one takes longer than reading them.

    Parameters
    ----------
    groups : sequence of dict
        As for `torch.optim.SGD`; the parameters keep their identity, their
        memory and that of their gradients moves.
    settings
        As for `torch.optim.SGD`.

    Notes
    -----
    Gradients are set to zero, never to None: autograd adds to where they
    are.
    """

    def __init__(
        self, groups: Sequence[dict[str, Any]], **settings: Any
    ) -> None:
        flat = [
            group | {"params": [flatten(group["params"])]} for group in groups
        ]
        super().__init__(flat, **settings)

    def zero_grad(self, set_to_none: bool = False) -> None:
        """Set all gradients to zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad.zero_()


@torch.no_grad()
def flatten(parameters: Sequence[nn.Parameter]) -> nn.Parameter:
    """Move parameters and their gradients side by side.

    Their layout stays; the whole is returned as one parameter that shares
    their memory.
    """
    starts, total = [], 0
    for parameter in parameters:
        starts.append(total)
        total += -(-parameter.numel() // ALIGNED) * ALIGNED
    first = parameters[0]
    whole = nn.Parameter(torch.zeros(total).to(first))
    whole.grad = torch.zeros_like(whole)
    for parameter, start in zip(parameters, starts, strict=True):
        shape, strides = parameter.shape, parameter.stride()
        view = whole.data.as_strided(shape, strides, start)
        view.copy_(parameter)
        parameter.data = view
        parameter.grad = whole.grad.as_strided(shape, strides, start)
    return whole
