"""Which network a state dictionary belongs to, from names and shapes."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Literal

from torch import Tensor

from preact.converters.names import LAYOUTS, Layout
from preact.plan import Conventions, NetworkPlan, cifar_plan, imagenet_plan
from preact.plan.checks import check_choice
from preact.spec import BN, RELU, TABLE_2

Weights = Mapping[str, Tensor]
Strides = Literal["first", "3x3"]
_FIRST = {"stage": 1, "unit": 1, "stage0": 0, "unit0": 0}


def find_layout(package: str, weights: Weights) -> Layout:
    """Return the first of a package's layouts whose ends are there.

    Raises
    ------
    ValueError
        If there is none.
    """
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


def infer_plan(
    package: str, layout: Layout, weights: Weights, stride_on: Strides
) -> NetworkPlan:
    """Return the plan of a network, from names and shapes of its weights.

    Raises
    ------
    ValueError
        If they are of no network that the package has.
    """
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
