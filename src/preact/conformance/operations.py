"""Which kind of operation each of PyTorch's is.

ATen's names are the vocabulary that every network is reduced to, however it
was written; names of the network's own classes and attributes play no part.
What stands in no table here is an operation of kind `OTHER`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from preact.conformance.graph import Facts, Kind

SAME = {  # returns the values that it was given, if their shape is the same
    "clone", "alias", "lift_fresh", "_to_copy", "copy", "slice",
    "view", "_unsafe_view", "expand", "reshape", "_reshape_alias",
}  # fmt: skip
FRESH = ("new_", "rand", "zeros", "ones", "empty", "full")
RANDOM = ("bernoulli", "rand", "uniform", "normal", "native_dropout")
SUMS = {"add", "sub", "rsub"}
RELUS = [("clamp", 0, None), ("clamp_min", 0, None), ("threshold", 0, 0)]


@dataclass(frozen=True, slots=True)
class Constant:
    """A tensor that does not depend on the images."""

    params: tuple[str, ...] = ()
    random: bool = False


Origin = int | Constant  # of a tensor: a node of the graph, or a constant


class Call:
    """One operation as it was called.

    Of its tensors, `signals` depend on the images, each with its node; of a
    copy, the source alone.
    """

    def __init__(
        self,
        function: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tensors: list[Tensor],
        origins: list[Origin],
    ) -> None:
        name: str = function._schema.name.split("::")[-1]
        self.name = name if name.startswith("__") else name.removesuffix("_")
        self.in_place: bool = function._schema.is_mutable
        self.args, self.kwargs = args, kwargs
        self.tensors = tensors
        pairs = [*zip(tensors, origins, strict=True)]
        self.constants = [o for o in origins if isinstance(o, Constant)]
        self.signals = [(x, m) for x, m in pairs if isinstance(m, int)]
        self.params = tuple(
            dict.fromkeys(n for one in self.constants for n in one.params)
        )
        if self.name.startswith(FRESH):
            self.signals = []
        if self.name == "copy" and len(tensors) > 1:
            self.signals = [s for s in self.signals if s[0] is tensors[1]]

    @property
    def has_chance(self) -> bool:
        """Whether a constant is drawn at random."""
        return any(one.random for one in self.constants)

    @property
    def first(self) -> Tensor:
        """The first signal."""
        return self.signals[0][0]

    def is_same(self, out: Tensor) -> bool:
        """Whether it hands its one signal on, perhaps in another precision."""
        x = self.signals[0][0]
        return (
            len(self.signals) == 1
            and self.name in SAME
            and out.shape == x.shape
            and out.is_floating_point() == x.is_floating_point()
        )


Read = tuple[Kind, Facts]


def classify(call: Call, out: Tensor) -> Read:
    """Say what an operation does, and what is known of it."""
    if call.name in BY_NAME:
        return BY_NAME[call.name](call, out)
    for part, read in BY_PART.items():
        if part in call.name:
            return read(call, out)
    return Kind.OTHER, Facts(name=call.name)


def _just(kind: Kind) -> Callable[[Call, Tensor], Read]:
    """A kind of which nothing else is asked."""
    return lambda call, out: (kind, Facts(name=call.name.strip("_")))


def _sum(call: Call, out: Tensor) -> Read:
    """Two signals are added, or a constant to one: a shift."""
    if len(call.signals) < 2:
        return Kind.SHIFT, Facts(
            random=call.has_chance,
            learned=bool(call.params),
            negated=call.name == "rsub"
            or (call.name == "sub" and call.args[0] is not call.first),
        )
    alpha = float(call.kwargs.get("alpha", 1.0))
    factors = {"add": (1.0, alpha), "sub": (1.0, -alpha)}
    taken = torch.is_grad_enabled()  # not inside of a checkpoint
    receives = tuple(x.requires_grad or not taken for x, _ in call.signals)
    return Kind.ADD, Facts(
        factors=factors.get(call.name, (-alpha, 1.0)),
        receives_gradient=receives,
    )


def _product(call: Call, out: Tensor) -> Read:
    """A signal times another one, chance, a parameter or a number."""
    if len(call.signals) > 1:
        return Kind.PRODUCT, Facts()
    others = [x for x in call.args if x is not call.first]
    if call.has_chance:
        masks = [x for x in others if isinstance(x, Tensor)]
        whole = all(side == 1 for mask in masks for side in mask.shape[1:])
        return Kind.DROP, Facts(whole=whole)
    other = others[0]
    if isinstance(other, Tensor):
        other = other.item() if other.numel() == 1 else None
    factor = float(other) if isinstance(other, int | float) else None
    if call.name == "div" and factor:
        factor = 1.0 / factor
    return Kind.SCALE, Facts(factor=factor, learned=bool(call.params))


def _convolution(call: Call, out: Tensor) -> Read:
    weight, bias = call.args[1:3]
    return Kind.CONV, Facts(
        c_out=out.shape[1],
        kernel=tuple(weight.shape[2:]),
        dilation=max(call.args[5]),
        groups=call.args[8],
        bias=bias is not None,
        weights=weight.numel(),
    )


def _matrix_product(call: Call, out: Tensor) -> Read:
    """A linear layer reads one signal; attention multiplies two."""
    if len(call.signals) > 1:
        return Kind.MIX, Facts()
    args = call.args
    weight = args[-1] if isinstance(args[-1], Tensor) else args[1]
    return Kind.LINEAR, Facts(
        bias=call.name == "addmm",
        weights=weight.numel(),
        c_out=weight.shape[-1],
    )


def _norm(call: Call, out: Tensor) -> Read:
    """Over what it takes the mean; of a BN, whether it remembers that."""
    args, shape = call.args, call.first.shape
    if "batch_norm" not in call.name:
        numbers = [one for one in args if type(one) is int]
        grouped = "group" in call.name and numbers[-1:] != [1]
        return Kind.NORM, Facts(over="group" if grouped else "layer")
    flags = [one for one in args if isinstance(one, bool)]
    is_instance = shape[0] == 1 and len(shape) > 1  # how PyTorch calls it
    return Kind.NORM, Facts(
        over="instance" if is_instance else "batch",
        of_batch=flags[0] if flags else "no_training" not in call.name,
        remembers=len(args) > 4 and isinstance(args[3], Tensor),
        momentum=next((one for one in args if type(one) is float), None),
    )


def _clamp(call: Call, out: Tensor) -> Read:
    """ReLU, ReLU6 or another bound, however it is written."""
    bounds = [*call.args[1:], None, None][:2]
    low, high = ["?" if isinstance(b, Tensor) else b for b in bounds]
    if (call.name, low, high) in RELUS:
        return Kind.RELU, Facts()
    is_relu6 = low == 0 and call.name in ("clamp", "hardtanh")
    return Kind.ACTIVATION, Facts(name="relu6" if is_relu6 else call.name)


def _slice(call: Call, out: Tensor) -> Read:
    x = call.first
    cuts = x.ndim != out.ndim or x.shape[1] != out.shape[1]
    return Kind.SLICE, Facts(cuts_channels=cuts)


READERS: dict[str, Callable[[Call, Tensor], Read]] = {
    "add sub rsub": _sum,
    "mul div": _product,
    "convolution _convolution": _convolution,
    "mm bmm addmm baddbmm": _matrix_product,
    "relu": _just(Kind.RELU),
    "clamp clamp_min clamp_max hardtanh threshold": _clamp,
    "gelu silu leaky_relu elu celu selu hardswish hardsigmoid sigmoid tanh "
    "softplus mish _prelu_kernel glu erf exp": _just(Kind.ACTIVATION),
    "mean sum var std var_mean amax amin max min linalg_vector_norm": _just(
        Kind.REDUCE
    ),
    "constant_pad_nd": _just(Kind.PAD),
    "cat stack": lambda call, out: (
        Kind.CONCATENATE if len(call.signals) > 1 else Kind.PAD,
        Facts(),
    ),
    "slice select split split_with_sizes unbind index index_select": _slice,
    "view _unsafe_view permute transpose t expand squeeze unsqueeze unfold "
    "as_strided _reshape_alias": _just(Kind.VIEW),
    "detach": _just(Kind.DETACH),
}
BY_NAME = {n: read for names, read in READERS.items() for n in names.split()}
BY_PART = {
    **dict.fromkeys(
        ("batch_norm", "group_norm", "layer_norm", "rms_norm"), _norm
    ),
    "scaled_dot_product": _just(Kind.MIX),
    "max_pool": _just(Kind.MAX_POOL),
    "avg_pool": _just(Kind.POOL),
    "dropout": _just(Kind.DROP),
}
