"""Which kind of operation each of PyTorch's is.

ATen's names are the vocabulary that every network is reduced to, however it
was written; names of the network's own classes and attributes play no part.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from preact.conformance.graph import Kind

SAME = {  # returns the values it was given
    "clone", "alias", "lift_fresh", "lift", "_to_copy", "contiguous",
    "to", "_reshape_alias", "resolve_conj", "resolve_neg", "dropout_eval",
}  # fmt: skip
VIEWS = {
    "view", "_unsafe_view", "reshape", "permute", "transpose", "t", "expand",
    "squeeze", "unsqueeze", "flatten", "unflatten", "movedim",
    "unfold", "as_strided", "pixel_unshuffle", "pixel_shuffle",
    "channel_shuffle", "view_as_real", "view_as_complex",
}  # fmt: skip
SLICES = {
    "slice", "select", "split", "split_with_sizes", "chunk", "unbind",
    "index", "narrow", "index_select", "gather", "unsafe_split",
}  # fmt: skip
ACTIVATIONS = {
    "gelu", "silu", "leaky_relu", "elu", "celu", "hardswish", "hardsigmoid",
    "sigmoid", "tanh", "softplus", "mish", "prelu", "_prelu_kernel",
    "log_sigmoid_forward", "selu", "hardtanh", "rrelu", "softsign",
    "glu", "erf", "exp", "hardshrink", "softshrink", "threshold",
}  # fmt: skip
REDUCTIONS = {
    "mean", "sum", "var", "std", "var_mean", "std_mean", "amax", "amin",
    "linalg_vector_norm", "norm", "max", "min", "logsumexp",
}  # fmt: skip
PRODUCTS = {"mm", "bmm", "addmm", "baddbmm", "matmul", "linear", "mv", "dot"}
ATTENTION = "_scaled_dot_product"
SPATIAL_DIMS = 2


def name_of(function: Any) -> str:
    """ATen's name of an operation, without overload and in-place mark."""
    name: str = function._schema.name.split("::")[-1]
    own = name.startswith("__")
    return name if own else name.removesuffix("_")


def kind_of(
    name: str, args: Sequence[Any], inputs: Sequence[Tensor], out: Tensor
) -> tuple[Kind, dict[str, Any]]:
    """Classify an operation that reads one signal, or mixes several.

    Parameters
    ----------
    name : str
        As `name_of` gives it.
    args : sequence
        What it was called with.
    inputs : sequence of Tensor
        Those of its arguments that depend on the images.
    out : Tensor
        Its (first) result.
    """
    x = inputs[0]
    if name in ("convolution", "_convolution"):
        return Kind.CONV, _convolution(args)
    if name in PRODUCTS or name.startswith(ATTENTION):
        return _product(name, args, inputs)
    if "batch_norm" in name:
        return Kind.NORM, _batch_norm(name, args, x)
    if name in ("native_layer_norm", "layer_norm", "_fused_rms_norm"):
        return Kind.NORM, {"over": "layer"}
    if name in ("native_group_norm", "group_norm"):
        groups = [one for one in args if type(one) is int][-1:]
        return Kind.NORM, {"over": "layer" if groups == [1] else "group"}
    if name == "relu" or _is_clamp_at_zero(name, args):
        return Kind.RELU, {}
    if name in ("hardtanh", "clamp") and _bounds(args)[:1] == [0]:
        return Kind.ACTIVATION, {"name": "relu6"}
    if name in ACTIVATIONS or name.startswith("clamp"):
        return Kind.ACTIVATION, {"name": name.strip("_")}
    if "max_pool" in name:
        return Kind.MAX_POOL, {}
    if "avg_pool" in name:
        is_global = all(side == 1 for side in out.shape[-SPATIAL_DIMS:])
        return (Kind.GLOBAL_POOL if is_global else Kind.POOL), {}
    if name in REDUCTIONS:
        return _reduction(name, args, x, out)
    if name in ("constant_pad_nd", "pad"):
        return Kind.PAD, {}
    if name in ("cat", "stack", "concat"):
        return (Kind.CONCATENATE if len(inputs) > 1 else Kind.PAD), {}
    if name in SLICES:
        return Kind.SLICE, {"channels": _cuts_channels(x, out)}
    if name in VIEWS:
        return Kind.VIEW, {}
    if name == "detach":
        return Kind.DETACH, {}
    if name == "_to_copy":  # those that round; others are no operation
        return Kind.CAST, {"name": str(out.dtype).removeprefix("torch.")}
    if "dropout" in name:
        return Kind.DROP, {}
    return Kind.OTHER, {"name": name}


def _convolution(args: Sequence[Any]) -> dict[str, Any]:
    """What matters of a convolution."""
    weight, bias, stride, dilation = args[1], args[2], args[3], args[5]
    apart = f" dilation {max(dilation)}" if max(dilation) > 1 else ""
    apart += f" groups {args[8]}" if args[8] > 1 else ""
    return {
        "apart": apart,
        "c_out": weight.shape[1 if args[6] else 0]
        * (args[8] if args[6] else 1),
        "kernel": tuple(weight.shape[2:]),
        "stride": max(stride),
        "groups": args[8],
        "bias": bias is not None,
        "c_in": weight.shape[1] * args[8],
        "macs": weight.numel(),
    }


def _product(
    name: str, args: Sequence[Any], inputs: Sequence[Tensor]
) -> tuple[Kind, dict[str, Any]]:
    """A linear layer reads one signal; attention multiplies two."""
    if len(inputs) > 1 or name.startswith(ATTENTION):
        return Kind.MIX, {}
    weight = args[-1] if isinstance(args[-1], Tensor) else args[1]
    return Kind.LINEAR, {
        "bias": name == "addmm",
        "macs": weight.numel(),
        "c_out": weight.shape[-1],
        "kernel": (),
    }


def _batch_norm(name: str, args: Sequence[Any], x: Tensor) -> dict[str, Any]:
    """Whose statistics a BN takes, and whether it remembers them."""
    flags = [one for one in args if isinstance(one, bool)]
    own = flags[0] if flags else "no_training" not in name
    numbers = [one for one in args if type(one) is float]
    over = "batch"
    if x.shape[0] == 1 and x.ndim > 1:
        over = "instance"  # how instance norm calls it
    return {
        "over": over,
        "batch": own,
        "remembers": len(args) > 4 and isinstance(args[3], Tensor),
        "momentum": numbers[0] if numbers else None,
    }


def _is_clamp_at_zero(name: str, args: Sequence[Any]) -> bool:
    """Whether nothing but negative values is changed."""
    if name == "threshold":
        return tuple(args[1:3]) == (0, 0)
    low, high = _bounds(args)
    return name in ("clamp", "clamp_min") and low == 0 and high is None


def _bounds(args: Sequence[Any]) -> list[Any]:
    """The two bounds of a clamp, None where there is none."""
    bounds = [*args[1:], None, None][:2]
    return ["tensor" if isinstance(b, Tensor) else b for b in bounds]


def _reduction(
    name: str, args: Sequence[Any], x: Tensor, out: Tensor
) -> tuple[Kind, dict[str, Any]]:
    """Pooling, if it is the mean over the pixels, or over the tokens."""
    dims = args[1] if len(args) > 1 and isinstance(args[1], list) else []
    places = sorted(dim % x.ndim for dim in dims)
    if name == "mean" and x.ndim == 4 and places == [2, 3]:
        return Kind.GLOBAL_POOL, {}
    if name == "amax" and x.ndim == 4 and places == [2, 3]:
        return Kind.MAX_POOL, {}
    return Kind.REDUCE, {"name": name}


def _cuts_channels(x: Tensor, out: Tensor) -> bool:
    """Whether a slice leaves out channels, and not only pixels."""
    return x.ndim != out.ndim or x.shape[1] != out.shape[1]
