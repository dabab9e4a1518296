"""Units of one's own in a planned network."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from preact.nn.network import Network
from preact.typed import raised

MakeUnit = Callable[[int, int, int], nn.Module]
"""Channels read, channels written and stride to a unit: a module that maps
(N, c_in, H, W) to (N, c_out, H / stride, W / stride)."""


def put_units(
    network: Network, make: MakeUnit, seed: int | None = None
) -> Network:
    """Put units of one's own in the place of a network's; return it.

    Parameters
    ----------
    network : Network
        Its plan says where channels and size change; stem, tail and
        classifier stay.
    make : callable
        See `MakeUnit`.
    seed : int, optional
        Of the new units' weights, by PyTorch's global generator, which is
        left as it was; None lets them draw from it.

    Raises
    ------
    ValueError
        If a unit cannot be made, is no module, writes another shape or what
        is not finite, lets no gradient through or has weights that are no
        parameters of it.

    Examples
    --------
    >>> from torch import nn
    >>> from preact.nn import Network, put_units
    >>> from preact.plan import cifar_plan
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
    >>> def plain_unit(c_in, c_out, stride):
    ...     return nn.Conv2d(c_in, c_out, 3, stride, padding=1)
    >>> network = put_units(Network(plan), plain_unit, seed=0)
    >>> [unit.stride for unit in network.units]
    [(1, 1), (2, 2), (2, 2)]
    """
    if not callable(make):
        raise ValueError(
            f"make must be the function or class itself; got {make!r}"
        )
    with torch.random.fork_rng([], enabled=seed is not None):
        if seed is not None:
            torch.manual_seed(seed)
        shapes = network.plan.stream_shapes
        units = [
            _made(make, shapes[i], shapes[i + 1], unit.stride)
            for i, unit in enumerate(network.plan.units)
        ]
    network.units = nn.ModuleList(units)
    network.make = _address(make)
    return network


def _address(make: MakeUnit) -> str:
    """Where what makes the units stands, as `--make` takes it."""
    named = make if hasattr(make, "__qualname__") else type(make)
    return f"{named.__module__}:{named.__qualname__}"


def _made(
    make: MakeUnit,
    reads: tuple[int, int, int],
    writes: tuple[int, int, int],
    stride: int,
) -> nn.Module:
    """Make one unit and try it on two images."""
    name = getattr(make, "__name__", type(make).__name__)
    called = f"{name}({reads[0]}, {writes[0]}, {stride})"
    legal = f"{called} must return an nn.Module"
    try:
        unit = make(reads[0], writes[0], stride)
        if isinstance(unit, nn.Module):
            legal = f"{called} must map {(2, *reads)} to {(2, *writes)}"
            draw = torch.Generator().manual_seed(0)  # leaves the units' alone
            x = torch.randn(2, *reads, generator=draw, requires_grad=True)
            got = unit.eval()(x.clone())
            if isinstance(got, Tensor) and got.requires_grad:
                torch.autograd.grad(got.sum(), x, allow_unused=True)
    except Exception as error:  # the reader's code may raise anything
        raise ValueError(
            f"{legal}; called with (channels in, channels out, stride), it "
            f"raised {raised(error)}"
        ) from error
    if not isinstance(unit, nn.Module):
        raise ValueError(f"{legal}; got a {type(unit).__name__}")
    if not isinstance(got, Tensor):
        raise ValueError(f"{legal}; got a {type(got).__name__}")
    if got.shape != (2, *writes) or got.dtype != torch.float32:
        kind = "" if got.dtype == torch.float32 else f" of {got.dtype}"
        raise ValueError(f"{legal}; got {tuple(got.shape)}{kind}")
    if not got.isfinite().all():
        odd = "NaN" if got.isnan().any() else "infinity"
        raise ValueError(
            f"{called} must write finite numbers; got {odd} for an input "
            "drawn from a normal distribution"
        )
    reached = _leaves(got)
    if id(x) not in reached:
        raise ValueError(
            f"{called} must let gradients through to its input; got an "
            "output that is detached from it"
        )
    if reached - {id(x), *map(id, unit.parameters())}:
        raise ValueError(
            f"{called} must have all its weights among its parameters; got "
            "others, as of layers in a list: use nn.ModuleList"
        )
    return unit.train()


def _leaves(output: Tensor) -> set[int]:
    """Identities of the tensors that a gradient of the output ends at."""
    to_do: list[Any] = [output.grad_fn]
    seen: set[Any] = set()
    while to_do:
        node = to_do.pop()
        if node is not None and node not in seen:
            seen.add(node)
            to_do += [before for before, _ in node.next_functions]
    return {
        id(node.variable)
        for node in seen
        if node.name().endswith("AccumulateGrad")
    }
