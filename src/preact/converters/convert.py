"""From a state dictionary to a plan and its network, and back."""

from collections.abc import Iterator, Mapping
from dataclasses import fields

import torch
from torch import Tensor

from preact.converters.infer import (
    Strides,
    Weights,
    find_layout,
    infer_plan,
    spec_of,
)
from preact.converters.names import LAYOUTS, Layout
from preact.nn import Network
from preact.nn.state import check_kinds, check_numbers
from preact.plan import BatchNorm, Conv, Linear, NetworkPlan, PlacedLayer

COUNTER = "num_batches_tracked"  # ours have none


def read_weights(
    package: str, weights: Weights, stride_on: Strides = "3x3"
) -> Network:
    """Build the network that a package's state dictionary belongs to.

    Parameters
    ----------
    package : str
        A key of `LAYOUTS`.
    weights : mapping of str to Tensor
        As its `state_dict()` gives them.
    stride_on : {"first", "3x3"}
        The convolution of a bottleneck that strides: weights do not tell.

    Returns
    -------
    Network
        In evaluation mode, in the dtype of the weights.

    Raises
    ------
    TypeError
        If they are no mapping of names to tensors.
    ValueError
        If a name or a shape is not that of such a network, or a number is
        not finite or of another kind than the others; the first odd one is
        in the message.
    """
    if not isinstance(weights, Mapping):
        raise TypeError(
            f"{package}: weights must be a state dictionary; got "
            f"{type(weights).__name__}: a module gives it by .state_dict(), "
            "a file by torch.load(path, weights_only=True)"
        )
    # A mapping of its own kind may say that it has every name.
    weights = dict(weights.items())
    for name, value in weights.items():
        if not isinstance(name, str):
            raise TypeError(f"{package}: names must be text; got {name!r}")
        if not isinstance(value, Tensor):
            raise TypeError(f"{package}: {name} must be a tensor")
    layout = find_layout(package, weights)
    plan = infer_plan(package, layout, weights, stride_on)
    network = Network(plan, seed=0)
    names = dict(_tensor_names(layout, plan))
    odd = [
        name
        for name in weights
        if name not in names and not name.endswith(COUNTER)
    ]
    if odd:
        raise ValueError(f"{package}: {odd[0]} has no place in {_words(plan)}")
    own = network.state_dict()
    found: dict[str, Tensor] = {}
    for theirs, ours in names.items():
        if theirs not in weights:
            raise ValueError(f"{package}: {theirs} is missing")
        found[theirs], wanted = weights[theirs], own[ours].shape
        shape = found[theirs].shape
        if layout.head_is_conv and shape == (*wanted, 1, 1):
            shape = wanted
        if shape != wanted:
            raise ValueError(
                f"{package}: {theirs} must have shape {tuple(wanted)} in "
                f"{_words(plan)}; got {tuple(shape)}"
            )
    try:
        check_kinds(found)
        check_numbers(found)
    except ValueError as error:
        raise ValueError(f"{package}: {error}") from error
    network.to(next(iter(found.values())).dtype)
    network.load_state_dict(
        {
            ours: found[theirs].reshape(own[ours].shape)
            for theirs, ours in names.items()
        }
    )
    return network.eval()


def write_weights(package: str, network: Network) -> dict[str, Tensor]:
    """Name a network's weights as a package does.

    Parameters
    ----------
    package : str
        A key of `LAYOUTS`.
    network : Network
        As the package has it too.

    Returns
    -------
    dict of str to Tensor
        For its `load_state_dict`, strictly; the tensors are the network's.

    Raises
    ------
    TypeError
        If it is no `Network`.
    ValueError
        If the package has no such network; says where it differs first.
    """
    if not isinstance(network, Network):
        raise TypeError(
            f"network must be a preact.Network; got {type(network).__name__}"
        )
    plan, own = network.plan, network.state_dict()
    layout = _find_fitting(package, plan)
    if plan.spec != spec_of(layout):
        raise ValueError(
            f"{package} has no such network: its units are "
            f"`{spec_of(layout)}`; got `{plan.spec}`"
        )
    try:
        names = dict(_tensor_names(layout, plan))
        weights = {theirs: own[ours] for theirs, ours in names.items()}
        wanted = infer_plan(package, layout, weights, _stride_on(plan))
    except KeyError as error:
        raise ValueError(f"{package} has no layer {error}") from error
    difference = _difference(wanted, plan)
    if difference:
        raise ValueError(f"{package} has no such network: {difference}")
    counters = {
        name.replace("running_mean", COUNTER): torch.tensor(0)
        for name in weights
        if name.endswith("running_mean")
    }
    if layout.head_is_conv:
        head = f"{layout.classifier}.weight"
        weights[head] = weights[head][:, :, None, None]
    return weights | counters


def _find_fitting(package: str, plan: NetworkPlan) -> Layout:
    """The layout whose ends are those of a plan."""
    stem = plan.stem[0]
    kernel = stem.kernel if isinstance(stem, Conv) else None
    has_norm = any(isinstance(layer, BatchNorm) for layer in plan.stem)
    for layout in LAYOUTS[package]:
        if (
            kernel in layout.stem_kernels
            and has_norm == (layout.stem_norm is not None)
            and bool(plan.tail) == (layout.tail is not None)
        ):
            return layout
    raise ValueError(
        f"{package} has no such network: none with a stem of "
        f"`{' '.join(map(str, plan.stem))}` and a tail of "
        f"`{' '.join(map(str, plan.tail))}`"
    )


def _tensor_names(
    layout: Layout, plan: NetworkPlan
) -> Iterator[tuple[str, str]]:
    """Their name and ours of every tensor of a network."""
    places = {
        i: (stage, unit)
        for stage, units in enumerate(plan.stages)
        for unit, i in enumerate(units)
    }
    for placed in plan.placed_layers:
        match placed.layer:
            case Conv():
                suffixes = ["weight"]
            case Linear():
                suffixes = ["weight", "bias"]
            case BatchNorm():
                suffixes = ["weight", "bias", "running_mean", "running_var"]
            case _:
                continue
        theirs = _layer_name(layout, plan, placed, places)
        for suffix in suffixes:
            yield f"{theirs}.{suffix}", f"{placed.name}.{suffix}"


def _layer_name(
    layout: Layout,
    plan: NetworkPlan,
    placed: PlacedLayer,
    places: Mapping[int, tuple[int, int]],
) -> str:
    """What the package calls one of our layers.

    Raises
    ------
    KeyError
        If it has no such layer.
    """
    part, *rest = placed.name.split(".")
    is_conv = isinstance(placed.layer, Conv)
    if part != "units":
        name = {
            "stem": layout.stem_conv if is_conv else layout.stem_norm,
            "tail": layout.tail,
            "classifier": layout.classifier,
        }[part]
        if name is None:
            raise KeyError(placed.name)
        return name
    stage, unit = places[int(rest[0])]
    prefix = layout.unit.format(
        stage=stage + 1, unit=unit + 1, stage0=stage, unit0=unit
    )
    path, index = rest[1], int(rest[2])
    # In `weights` each convolution stands at a multiple of three, its BN
    # behind it.
    after = index // 3 + 1
    k = {
        "pre": 1,
        "weights": after + (not is_conv and layout.tail is not None),
        "post": plan.convs,
    }.get(path)
    if k is not None:
        return prefix + (layout.conv if is_conv else layout.norm).format(k=k)
    name = layout.projection if is_conv else layout.projection_norm
    if path != "shortcut" or name is None:
        raise KeyError(placed.name)
    return prefix + name


def _stride_on(plan: NetworkPlan) -> Strides:
    """The convolution that strides in a plan of bottlenecks."""
    first = plan.convs == 3 and plan.units[0].stride_on == 0
    return "first" if first else "3x3"


def _difference(wanted: NetworkPlan, plan: NetworkPlan) -> str | None:
    """Where a plan first differs from the wanted one, if it does."""
    for part in ("stem", "tail", "units"):
        theirs, ours = getattr(wanted, part), getattr(plan, part)
        for i, (a, b) in enumerate(zip(theirs, ours, strict=False)):
            if a == b:
                continue
            for field in fields(a):
                x, y = getattr(a, field.name), getattr(b, field.name, None)
                if x != y:
                    return (
                        f"{field.name} of {part}.{i} must be {x!s}; got {y!s}"
                    )
        if len(theirs) != len(ours):
            return f"{part} must have {len(theirs)} parts; got {len(ours)}"
    return None


def _words(plan: NetworkPlan) -> str:
    """Name a network in a message."""
    return f"a ResNet-{plan.depth} of `{plan.spec}`"
