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

from preact.plan.conventions import CONVENTIONS, PAPER, Conventions
from preact.plan.depth import IMAGENET_UNITS, fitting_convs
from preact.plan.layers import (
    BN_EPS,
    BN_MOMENTUM,
    BatchNorm,
    Conv,
    Layer,
    Linear,
    MaxPool,
    Pad,
    ReLU,
    Shape,
)
from preact.plan.makers import cifar_plan, imagenet_plan, stack_plan
from preact.plan.network import NetworkPlan, PlacedLayer
from preact.plan.unit import UnitPlan

__all__ = [
    "BN_EPS",
    "BN_MOMENTUM",
    "CONVENTIONS",
    "IMAGENET_UNITS",
    "PAPER",
    "BatchNorm",
    "Conv",
    "Conventions",
    "Layer",
    "Linear",
    "MaxPool",
    "NetworkPlan",
    "Pad",
    "PlacedLayer",
    "ReLU",
    "Shape",
    "UnitPlan",
    "cifar_plan",
    "fitting_convs",
    "imagenet_plan",
    "stack_plan",
]
