"""One unit with every choice resolved."""

from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from preact.plan.checks import check_choice, check_positive
from preact.plan.conventions import Projection, Tap
from preact.plan.layers import BatchNorm, Conv, Layer, Pad, op_layers
from preact.spec import BN, RELU, Conv1x1, Gated, UnitSpec


@dataclass(frozen=True, kw_only=True)
class UnitPlan:
    """One unit with every choice resolved; engines never see Conventions.

    Parameters
    ----------
    spec : UnitSpec
        The unit's description.
    c_in, c_inner, c_out : int
        Channels of x_l, between the convolutions, and of x_{l+1}.
    stride : int
        1, or 2 where the feature map shrinks.
    stride_on : int
        Index of the convolution that carries the stride.
    convs : int
        1 (Table 3's one-layer unit), 2 (basic) or 3 (bottleneck).
    kernel : int
        3; 1 in a fully connected stack.
    tap : {"before pre", "after pre"}
        Where the shortcut leaves the trunk.
    projection : {None, "pad", "conv", "conv BN"}
        None is the identity.

    Raises
    ------
    ValueError
        If a field has another value than these, or the shortcut cannot make
        c_out channels of c_in.

    Examples
    --------
    >>> from preact.plan import cifar_plan
    >>> plan = cifar_plan("full-preactivation", depth=164, convs=3)
    >>> widening = plan.units[18]  # first of the second stage
    >>> print(widening)
    BN ReLU conv 1x1/2 BN ReLU conv 3x3 BN ReLU conv 1x1 (+)
    >>> widening.tap, widening.projection, widening.c_in, widening.c_out
    ('after pre', 'conv', 64, 128)
    """

    spec: UnitSpec
    c_in: int
    c_inner: int
    c_out: int
    stride: int = 1
    stride_on: int = 0
    convs: int = 2
    kernel: int = 3
    tap: Tap = "before pre"
    projection: Projection | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.spec, UnitSpec):
            raise ValueError(f"spec must be a UnitSpec; got {self.spec!r}")
        for field in ("c_in", "c_inner", "c_out"):
            check_positive(field, getattr(self, field))
        check_choice("convs", self.convs, (1, 2, 3))
        for field, legal in {
            "stride": (1, 2),
            "stride_on": tuple(range(self.convs)),
            "kernel": (1, 3),
            "tap": get_args(Tap),
            "projection": (None, *get_args(Projection)),
        }.items():
            check_choice(field, getattr(self, field), legal)
        changes = self.stride != 1 or self.c_in != self.c_out
        if self.projection is None and changes:
            raise ValueError(
                "projection must be 'pad', 'conv' or 'conv BN' where stride "
                f"or width changes; got None for {self.c_in} to {self.c_out} "
                f"channels, stride {self.stride}"
            )
        if self.projection == "pad" and self.c_out < self.c_in:
            raise ValueError(
                "projection must not be 'pad' where channels get fewer; got "
                f"{self.c_in} to {self.c_out}"
            )
        if isinstance(self.spec.on_shortcut, Conv1x1) and (
            self.projection != "conv BN"
        ):
            raise ValueError(
                "projection must be 'conv BN' where Conv1x1 stands on the "
                f"shortcut; got {self.projection!r}"
            )

    @cached_property
    def pre(self) -> tuple[Layer, ...]:
        return op_layers(self.spec.pre, "pre", self.c_in)

    @cached_property
    def weights(self) -> tuple[Layer, ...]:
        """The convolutions, BN and ReLU between each two of them."""
        kernels = (
            (1, self.kernel, 1)
            if self.convs == 3
            else (self.kernel,) * self.convs
        )
        widths = [self.c_in, *[self.c_inner] * (self.convs - 1), self.c_out]
        layers: list[Layer] = []
        for i, kernel in enumerate(kernels):
            layers.append(
                Conv(
                    name=f"weights.{3 * i}",
                    c_in=widths[i],
                    c_out=widths[i + 1],
                    kernel=kernel,
                    stride=self.stride if i == self.stride_on else 1,
                )
            )
            if i + 1 < self.convs:
                layers += op_layers(
                    (BN, RELU), "weights", self.c_inner, start=3 * i + 1
                )
        return tuple(layers)

    @cached_property
    def post(self) -> tuple[Layer, ...]:
        return op_layers(self.spec.post, "post", self.c_out)

    @cached_property
    def after(self) -> tuple[Layer, ...]:
        return op_layers(self.spec.after, "after", self.c_out)

    @cached_property
    def shortcut(self) -> tuple[Layer, ...]:
        """Layers of h: none where h is the identity."""
        ends = {"c_in": self.c_in, "c_out": self.c_out, "stride": self.stride}
        if self.projection is None:
            return ()
        if self.projection == "pad":
            return (Pad(name="shortcut.0", **ends),)
        conv = Conv(name="shortcut.0", kernel=1, **ends)
        if self.projection == "conv":
            return (conv,)
        return (conv, BatchNorm(name="shortcut.1", channels=self.c_out))

    @cached_property
    def gate(self) -> tuple[Layer, ...]:
        """Layers of the gate before its sigmoid: none without a gate."""
        gate = self.spec.on_shortcut
        if not isinstance(gate, Gated):
            return ()
        c_in, c, stride = self.c_in, self.c_out, self.stride
        if gate.design == "conv1x1":
            return (
                Conv(
                    name="gate.0",
                    c_in=c_in,
                    c_out=c,
                    kernel=1,
                    stride=stride,
                    bias=gate.bias,
                ),
            )
        k = self.kernel
        return (
            Conv(name="gate.0", c_in=c_in, c_out=c, kernel=k, stride=stride),
            *op_layers((BN, RELU), "gate", c, start=1),
            Conv(name="gate.3", c_in=c, c_out=c, kernel=k),
            BatchNorm(name="gate.4", channels=c, shift=gate.bias),
        )

    @property
    def paths(self) -> tuple[tuple[Layer, ...], ...]:
        """Every sequence of layers in the unit, in the order of `forward`."""
        return (
            self.pre,
            self.weights,
            self.post,
            self.shortcut,
            self.gate,
            self.after,
        )

    def __str__(self) -> str:
        """Read the unit aloud, kernels and factors included."""
        branch = " ".join(map(str, (*self.pre, *self.weights, *self.post)))
        words = [branch, "(+)", *map(str, self.after)]
        factors = str(self.spec).split(",", 1)[1:]
        return ",".join([" ".join(words), *factors])

    @property
    def parameters(self) -> int:
        return sum(layer.parameters for path in self.paths for layer in path)
