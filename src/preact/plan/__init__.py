"""A network without tensors: depth, widths, strides and boundaries, resolved.

A plan is computed once, in plain Python, and then only *read*: by the NumPy
engine, by the PyTorch engine, by the figures and by the tests. Whatever the
paper leaves open is a field of `Conventions` with its source.

Chapter `04-units` reads the boundary rules; chapters `01-why`, `02-signal` and
`03-gradient` use `stack_plan`; `10-imagenet` counts `imagenet_plan`.

References
----------
He et al., ECCV 2016, Sec. 5 and appendix; the authors' release
`resnet-1k-layers`; `fb.resnet.torch` (`preresnet.lua`).
"""

from preact.plan.conventions import (
    Conventions,
)
from preact.plan.layers import (
    BatchNorm,
    Conv,
    Layer,
    Linear,
    ReLU,
)
from preact.plan.makers import cifar_plan, imagenet_plan, stack_plan
from preact.plan.network import (
    NetworkPlan,
)
from preact.plan.unit import UnitPlan

__all__ = [
    "BatchNorm",
    "Conv",
    "Conventions",
    "Layer",
    "Linear",
    "NetworkPlan",
    "ReLU",
    "UnitPlan",
    "cifar_plan",
    "imagenet_plan",
    "stack_plan",
]
