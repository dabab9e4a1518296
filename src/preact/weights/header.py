"""What a file of weights is: its header, its tensors, its checksum."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import torch
from pydantic import Field
from torch import Tensor

from preact.data import Preprocessing
from preact.plan import BatchNorm, Conv, Linear, NetworkPlan
from preact.typed import shortened, typed

FORMAT, VERSION = "preact weights", "1"
LATER = ("preprocess", "make")  # texts that older files lack
# Tensors beside the network's: how its images were normalized.
BESIDE = ("preprocess.mean", "preprocess.deviation")
Shapes = Mapping[str, tuple[int, ...]]


@typed
class Header:
    """What the file says of its tensors, each value a text."""

    format: str
    version: str
    plan: str
    config: str = "null"
    preprocess: str = "null"
    make: str = "null"
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


def planned_shapes(
    plan: NetworkPlan,
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of `Network(plan).state_dict()`, without a network.

    One on PyTorch's meta device would do, and load a thousand modules.
    """
    for placed in plan.placed_layers:
        name = placed.name
        match placed.layer:
            case Conv() as conv:
                side = conv.kernel
                yield f"{name}.weight", (conv.c_out, conv.c_in, side, side)
                if conv.bias is not None:
                    yield f"{name}.bias", (conv.c_out,)
            case BatchNorm(channels=channels):
                for key in ("weight", "bias", "running_mean", "running_var"):
                    yield f"{name}.{key}", (channels,)
            case Linear() as linear:
                yield f"{name}.weight", (linear.c_out, linear.c_in)
                yield f"{name}.bias", (linear.c_out,)


def check_shapes(
    shapes: Shapes, plan: NetworkPlan, *, own_units: bool = False
) -> None:
    """Refuse tensors that are not those of the plan.

    Of units that own code makes the plan knows nothing.
    """
    wanted = dict(planned_shapes(plan))
    if own_units:
        wanted = {n: s for n, s in wanted.items() if not _in_unit(n)}
        shapes = {n: s for n, s in shapes.items() if not _in_unit(n)}
    network = f"ResNet-{plan.depth} of `{plan.spec}`"
    for name in wanted:
        if name not in shapes:
            raise ValueError(f"{name} of a {network} is missing")
    for name, shape in shapes.items():
        if name not in wanted:
            raise ValueError(f"{shortened(name)} has no place in a {network}")
        if shape != wanted[name]:
            raise ValueError(
                f"{name} of a {network} must have shape {wanted[name]}; "
                f"got {shape}"
            )


def _in_unit(name: str) -> bool:
    return name.startswith("units.")


@typed
class Described:
    """What the header says of the preprocessing, beside its two tensors."""

    names: tuple[str, ...] = ()
    middle: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    white: Annotated[int, Field(ge=1, le=255)] = 255


def described(preprocess: Preprocessing) -> dict[str, Any]:
    """What of the preprocessing stands in the header, as JSON has it."""
    return {
        "names": list(preprocess.names),
        "middle": preprocess.middle,
        "white": preprocess.white,
    }


def checksum(texts: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of what the file says and holds."""
    digest = hashlib.sha256()
    for name in ("plan", "config", *LATER):
        if name not in LATER or texts[name] != "null":  # not there before
            digest.update(texts[name].encode())
    for name in sorted(tensors):
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
