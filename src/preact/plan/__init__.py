"""A network without tensors: depth, widths, strides and boundaries, resolved.

A plan is computed once, in plain Python, and then only *read*: by the NumPy
engine, by the PyTorch engine, by the figures and by the tests. Whatever the
paper leaves open is a field of `Conventions` with its source.

Chapter `04-units` reads the boundary rules; chapters `01-why`, `02-signal` and
`03-gradient` use `stack_plan`; `09-imagenet` counts `imagenet_plan`.

References
----------
He et al., ECCV 2016, Sec. 5 and appendix; the authors' release
`resnet-1k-layers`; `fb.resnet.torch` (`preresnet.lua`).

Parameters
----------
name : str
    Of the layer, such as "weights.0"; a placed one in a unit has the unit's
    in front, "units.3.weights.0".
c_in, c_out, channels : int
    Channels read, written, or both.
kernel, stride : int
    Side of the square kernel; step of its places, in pixels. A stack's
    kernels are 1 or 3, but for the outer two of a bottleneck.
bias : float or None
    A bias that starts at this number; None is none.
shift : float
    What the bias of BN starts at.
shape : Shape
    What the layer reads.
shape_in, shape_out : Shape
    What it reads and writes.
layer : Layer
    Without its place.
spec : UnitSpec or str
    The unit, or the name of its row; the first unit lacks `pre` where the
    stem of ImageNet stands for it ("fair").
depth : int
    Counted layers: convolutions of units, the classifier and, but for a
    stack, the stem's convolution.
convs : {1, 2, 3}
    Convolutions per unit.
image : Shape
    What the network reads.
classes : int
    Outputs of the classifier.
stem, tail : tuple of Layer
    What stands before the first unit, and between the last and pooling.
units : int or tuple of UnitPlan
    How many, or each of them with every choice resolved.
stages : tuple of range
    Indices of the units of each stage, from 0.
init : Init
    How weights of convolutions are drawn.
width, side : int
    Channels, and height and width, of the whole stack.
conventions : Conventions or str
    What the paper leaves open, or the name of a set.
parameters : int
    0: it has no weights.
"""

from preact.plan.conventions import (
    CONVENTIONS,
    FAIR,
    PAPER,
    TORCH_RELEASE,
    Conventions,
    find_conventions,
)
from preact.plan.depth import (
    IMAGENET_BASIC,
    IMAGENET_UNITS,
    fitting_convs,
)
from preact.plan.layers import (
    BN_EPS,
    BN_MOMENTUM,
    BatchNorm,
    Conv,
    Init,
    Layer,
    Linear,
    MaxPool,
    Pad,
    ReLU,
    Shape,
)
from preact.plan.makers import (
    cifar_plan,
    imagenet_plan,
    stack_plan,
)
from preact.plan.network import NetworkPlan, PlacedLayer
from preact.plan.unit import UnitPlan

__all__ = [
    "BN_EPS",
    "BN_MOMENTUM",
    "CONVENTIONS",
    "FAIR",
    "IMAGENET_BASIC",
    "IMAGENET_UNITS",
    "PAPER",
    "TORCH_RELEASE",
    "BatchNorm",
    "Conv",
    "Conventions",
    "Init",
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
    "find_conventions",
    "fitting_convs",
    "imagenet_plan",
    "stack_plan",
]
