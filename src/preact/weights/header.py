"""What a file of weights is: its header, its tensors, its checksum."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Annotated

import torch
from pydantic import Field
from torch import Tensor

from preact.plan import BatchNorm, Conv, Linear, NetworkPlan
from preact.typed import shortened, typed

FORMAT, VERSION = "preact weights", "1"
Shapes = Mapping[str, tuple[int, ...]]


@typed
class Header:
    """What the file says of its tensors, each value a text."""

    format: str
    version: str
    plan: str
    config: str = "null"
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


def check_shapes(shapes: Shapes, plan: NetworkPlan) -> None:
    """Refuse tensors that are not those of the plan."""
    wanted = dict(planned_shapes(plan))
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


def checksum(texts: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of what the file says and holds."""
    digest = hashlib.sha256()
    for name in ("plan", "config"):
        digest.update(texts[name].encode())
    for name in sorted(tensors):
        digest.update(tensors[name].reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
