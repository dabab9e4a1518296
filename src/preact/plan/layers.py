"""The layers a plan is made of: shapes, parameters, multiply-adds."""

import math
from dataclasses import dataclass
from typing import Literal

from preact.spec import BN, Op

Shape = tuple[int, int, int]  # channels, height, width
"""Channels, height and width of one image, without the batch."""
Init = Literal["fan-in", "fan-out"]
"""Of which side of a convolution the variance 2 / fan is."""

BN_EPS = 1e-5  # added to the variance [resnet-1k-layers, Torch default]
"""What every BN adds to the variance."""
BN_MOMENTUM = 0.1  # weight of the new batch in the running statistics
"""Weight of the new batch in the running statistics."""


@dataclass(frozen=True, kw_only=True)
class Named:
    """What layers share: by default no weights, no cost and equal shapes."""

    name: str

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Shapes of its tensors by their names in a state dictionary."""
        return {}

    @property
    def parameters(self) -> int:
        """Numbers that are trained: all but running statistics."""
        return sum(
            math.prod(shape)
            for name, shape in self.tensors.items()
            if not name.startswith("running_")
        )

    def out(self, shape: Shape) -> Shape:
        """Return the shape of what it writes, for that of what it reads."""
        return shape

    def multiply_adds(self, shape: Shape) -> int:
        """Count multiply-adds for one image of the shape that it reads."""
        return 0


@dataclass(frozen=True, kw_only=True)
class Conv(Named):
    """A convolution with zero padding `kernel // 2`; no bias unless given.

    Parameters
    ----------
    name : str
        Of the layer, such as "weights.0".
    c_in : int
        Channels read.
    c_out : int
        Channels written.
    kernel : int
        Side of the square kernel, in pixels.
    stride : int
        Step of its places, in pixels.
    bias : float or None
        A bias that starts at this number; None is none.

    Examples
    --------
    >>> from preact.plan import Conv
    >>> conv = Conv(name="stem.0", c_in=3, c_out=64, kernel=7, stride=2)
    >>> conv.out((3, 224, 224)), conv.parameters
    ((64, 112, 112), 9408)
    >>> fan_in = 7 * 7 * 3
    >>> round(conv.deviation("fan-in") ** 2 * fan_in, 9)
    2.0
    """

    c_in: int
    c_out: int
    kernel: int
    stride: int = 1
    bias: float | None = None  # initial value of the bias, None for no bias

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        bias = {} if self.bias is None else {"bias": (self.c_out,)}
        side = self.kernel
        return {"weight": (self.c_out, self.c_in, side, side), **bias}

    def deviation(self, init: Init) -> float:
        """Standard deviation of the initial weights (He et al. 2015).

        Parameters
        ----------
        init : Init
            How weights of convolutions are drawn.
        """
        c = self.c_in if init == "fan-in" else self.c_out
        return math.sqrt(2.0 / (self.kernel**2 * c))

    def out(self, shape: Shape) -> Shape:
        _, height, width = shape
        return self.c_out, -(-height // self.stride), -(-width // self.stride)

    def multiply_adds(self, shape: Shape) -> int:
        _, height, width = self.out(shape)
        return self.kernel**2 * self.c_in * self.c_out * height * width

    def __str__(self) -> str:
        stride = f"/{self.stride}" if self.stride > 1 else ""
        return f"conv {self.kernel}x{self.kernel}{stride}"


@dataclass(frozen=True, kw_only=True)
class BatchNorm(Named):
    """Batch normalization: scale 1, shift `shift` at the start.

    Parameters
    ----------
    name : str
        Of the layer, such as "weights.0".
    channels : int
        Channels read and written.
    shift : float
        What the bias of BN starts at.

    Examples
    --------
    The paper's 10.2M of ResNet-1001 are without these parameters:

    >>> from preact.plan import BatchNorm, cifar_plan
    >>> plan = cifar_plan("full-preactivation", depth=1001, convs=3)
    >>> layers = [placed.layer for placed in plan.placed_layers]
    >>> norms = [x.parameters for x in layers if isinstance(x, BatchNorm)]
    >>> len(norms), sum(norms), plan.parameters - sum(norms)
    (1000, 149216, 10178490)
    """

    channels: int
    shift: float = 0.0

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        names = ("weight", "bias", "running_mean", "running_var")
        return dict.fromkeys(names, (self.channels,))

    def __str__(self) -> str:
        return "BN"


@dataclass(frozen=True, kw_only=True)
class ReLU(Named):
    """max(x, 0).

    Parameters
    ----------
    name : str
        Of the layer, such as "weights.0".

    Examples
    --------
    Table 2 moves them and adds none:

    >>> from preact.plan import ReLU, cifar_plan
    >>> for row in ("original", "full-preactivation"):
    ...     layers = cifar_plan(row, depth=110, convs=2).placed_layers
    ...     print(sum(isinstance(placed.layer, ReLU) for placed in layers))
    109
    109
    """

    def __str__(self) -> str:
        return "ReLU"


@dataclass(frozen=True, kw_only=True)
class Pad(Named):
    """Subsample by the stride, append zero channels (v1's option A)."""

    c_in: int
    c_out: int
    stride: int

    def out(self, shape: Shape) -> Shape:
        _, height, width = shape
        return self.c_out, -(-height // self.stride), -(-width // self.stride)

    def __str__(self) -> str:
        return "pad"


@dataclass(frozen=True, kw_only=True)
class MaxPool(Named):
    """3x3 max pooling with stride 2 and padding 1: the ImageNet stem's."""

    def out(self, shape: Shape) -> Shape:
        channels, height, width = shape
        return channels, (height + 1) // 2, (width + 1) // 2

    def __str__(self) -> str:
        return "max pool 3x3/2"


@dataclass(frozen=True, kw_only=True)
class Linear(Named):
    """The classifier, with a bias that starts at zero.

    It reads the mean over the feature map, so its cost is that of one pixel.

    Parameters
    ----------
    name : str
        Of the layer, such as "weights.0".
    c_in : int
        Channels read.
    c_out : int
        Channels written.

    Examples
    --------
    >>> from preact.plan import Linear
    >>> head = Linear(name="classifier", c_in=256, c_out=10)
    >>> head.parameters, head.multiply_adds((256, 8, 8))
    (2570, 2560)
    """

    c_in: int
    c_out: int

    @property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        return {"weight": (self.c_out, self.c_in), "bias": (self.c_out,)}

    def out(self, shape: Shape) -> Shape:
        return self.c_out, 1, 1

    def multiply_adds(self, shape: Shape) -> int:
        return self.c_in * self.c_out

    def __str__(self) -> str:
        return "linear"


Layer = Conv | BatchNorm | ReLU | Pad | MaxPool | Linear
"""Any of the layers."""


def op_layers(
    ops: tuple[Op, ...], place: str, channels: int, start: int = 0
) -> tuple[Layer, ...]:
    """Turn the ops of one place into layers named `place.0`, `place.1`, ..."""
    return tuple(
        BatchNorm(name=f"{place}.{i}", channels=channels)
        if op is BN
        else ReLU(name=f"{place}.{i}")
        for i, op in enumerate(ops, start)
    )
