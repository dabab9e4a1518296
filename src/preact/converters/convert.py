"""From a state dictionary to a plan and its network, and back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from itertools import count
from typing import Literal

import torch
from torch import Tensor

from preact.converters.names import LAYOUTS, Layout
from preact.nn import Network
from preact.plan import (
    BatchNorm,
    Conv,
    Conventions,
    Linear,
    NetworkPlan,
    PlacedLayer,
    cifar_plan,
    imagenet_plan,
)
from preact.plan.checks import check_choice
from preact.spec import BN, RELU, TABLE_2

Weights = Mapping[str, Tensor]
Strides = Literal["first", "3x3"]
_FIRST = {"stage": 1, "unit": 1, "stage0": 0, "unit0": 0}
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
    ValueError
        If a name or a shape is not that of such a network; the first odd
        one is in the message.
    """
    layout = _find_layout(package, weights)
    plan = _infer_plan(package, layout, weights, stride_on)
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
    for theirs, ours in names.items():
        if theirs not in weights:
            raise ValueError(f"{package}: {theirs} is missing")
        shape, wanted = weights[theirs].shape, own[ours].shape
        if shape != wanted:
            raise ValueError(
                f"{package}: {theirs} must have shape {tuple(wanted)} in "
                f"{_words(plan)}; got {tuple(shape)}"
            )
    network.to(weights[f"{layout.classifier}.weight"].dtype)
    network.load_state_dict({o: weights[t] for t, o in names.items()})
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
    ValueError
        If the package has no such network; says where it differs first.
    """
    plan, own = network.plan, network.state_dict()
    layout = _find_fitting(package, plan)
    try:
        names = dict(_tensor_names(layout, plan))
        weights = {theirs: own[ours] for theirs, ours in names.items()}
        wanted = _infer_plan(package, layout, weights, _stride_on(plan))
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


def _find_layout(package: str, weights: Weights) -> Layout:
    """The first of a package's layouts whose ends are there."""
    for layout in LAYOUTS[package]:
        ends = (
            layout.stem_conv,
            layout.stem_norm,
            layout.tail,
            layout.classifier,
        )
        if all(f"{end}.weight" in weights for end in ends if end):
            return layout
    first = next(iter(weights), "nothing")
    heads = {layout.classifier for layout in LAYOUTS[package]}
    if not any(f"{head}.weight" in weights for head in heads):
        raise ValueError(
            f"{package}: {' or '.join(heads)}.weight is missing; the first "
            f"name is {first}"
        )
    raise ValueError(
        f"{package}: no network of original or full pre-activation units; "
        f"the first name is {first}"
    )


def _infer_plan(
    package: str, layout: Layout, weights: Weights, stride_on: Strides
) -> NetworkPlan:
    """The plan of a network, from names and shapes of its weights."""
    check_choice("stride_on", stride_on, ("first", "3x3"))
    stem = weights[f"{layout.stem_conv}.weight"]
    kernel = stem.shape[-1] if stem.ndim == 4 else 0
    if kernel not in layout.stem_kernels:
        raise ValueError(
            f"{package}: {layout.stem_conv}.weight must be a convolution of "
            f"{' or '.join(map(str, layout.stem_kernels))} pixels; got shape "
            f"{tuple(stem.shape)}"
        )
    counts = _units_per_stage(layout, weights)
    unit = layout.unit.format(**_FIRST)
    convs = _first_missing(
        lambda k: f"{unit}{layout.conv.format(k=k)}.weight", weights
    )
    preact = layout.tail is not None
    if stride_on == "first" and not layout.first_strides:
        raise ValueError(f"{package} has this network with stride_on='3x3'")
    spec = TABLE_2["full-preactivation" if preact else "original"]
    conventions = Conventions(
        first_tap="after pre" if convs == 3 else "before pre",
        stem=(BN, RELU) if layout.stem_norm else (),
        stride_on=stride_on,
        projection="conv" if preact else "conv BN",
    )
    if not counts or not convs:
        raise ValueError(
            f"{package}: {layout.unit.format(**_FIRST)}"
            f"{layout.conv.format(k=1)}.weight is missing"
        )
    # Three stages are the paper's networks for CIFAR, four for ImageNet.
    is_large, (width, channels) = len(counts) != 3, stem.shape[:2]
    make = imagenet_plan if is_large else cifar_plan
    options = {"stem": "imagenet" if kernel == 7 else "cifar"}
    return make(
        spec,
        convs=convs,
        units_per_stage=counts,
        classes=len(weights[f"{layout.classifier}.weight"]),
        image=(channels, 224, 224) if kernel == 7 else (channels, 32, 32),
        width=width,
        conventions=conventions,
        **(options if is_large else {}),  # type: ignore[arg-type]
    )


def _units_per_stage(layout: Layout, weights: Weights) -> tuple[int, ...]:
    """Count the units of each stage by the names of their convolutions."""
    conv = layout.conv.format(k=1)
    counts: list[int] = []
    for stage in count(1):

        def name(unit: int, stage: int = stage) -> str:
            prefix = layout.unit.format(
                stage=stage, unit=unit, stage0=stage - 1, unit0=unit - 1
            )
            return f"{prefix}{conv}.weight"

        units = _first_missing(name, weights)
        if not units:
            break
        counts.append(units)
    return tuple(counts)


def _first_missing(name: Callable[[int], str], weights: Weights) -> int:
    """Count the names 1, 2, ... that are there."""
    return next(n for n in count() if name(n + 1) not in weights)


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
