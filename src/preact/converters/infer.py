"""Which network a state dictionary belongs to, from names and shapes."""

from collections.abc import Callable, Mapping
from itertools import count, takewhile
from typing import Literal

from torch import Tensor

from preact.converters.names import LAYOUTS, Layout
from preact.plan import Conventions, NetworkPlan, cifar_plan, imagenet_plan
from preact.plan.checks import check_choice
from preact.spec import BN, RELU, TABLE_2, UnitSpec

Weights = Mapping[str, Tensor]
Strides = Literal["first", "3x3"]
_FIRST = {"stage": 1, "unit": 1, "stage0": 0, "unit0": 0}


def find_layout(package: str, weights: Weights) -> Layout:
    """Return the first of a package's layouts whose ends are there.

    ValueError if there is none.
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


def spec_of(layout: Layout) -> UnitSpec:
    """Return the unit of a layout's networks."""
    return TABLE_2["full-preactivation" if layout.tail else "original"]


def infer_plan(
    package: str, layout: Layout, weights: Weights, stride_on: Strides
) -> NetworkPlan:
    """Return the plan of a network, by names and shapes of its weights.

    ValueError if the package has no such network.
    """
    check_choice("stride_on", stride_on, ("first", "3x3"))
    stem = weights[f"{layout.stem_conv}.weight"]
    kernel = stem.shape[-1] if stem.ndim == 4 and stem.numel() else 0
    if kernel not in layout.stem_kernels:
        raise ValueError(
            f"{package}: {layout.stem_conv}.weight must be a convolution of "
            f"{' or '.join(map(str, layout.stem_kernels))} pixels; got shape "
            f"{tuple(stem.shape)}"
        )
    head = weights[f"{layout.classifier}.weight"]
    if head.ndim not in (2, 4) or not head.numel():
        raise ValueError(
            f"{package}: {layout.classifier}.weight must have shape (classes, "
            f"channels); got {tuple(head.shape)}"
        )
    # Parts are counted by their prefixes, so that one that lacks a tensor is
    # a part nevertheless, and the tensor the one that is missing.
    prefixes = {n[:i] for n in weights for i, c in enumerate(n) if c == "."}
    counts = _units_per_stage(layout, prefixes)
    unit = layout.unit.format(**_FIRST)
    convs = _count_first(
        lambda k: (
            not prefixes.isdisjoint(
                f"{unit}{name.format(k=k)}"
                for name in (layout.conv, layout.norm)
            )
        )
    )
    preact = layout.tail is not None
    if stride_on == "first" and not layout.first_strides:
        raise ValueError(f"{package} has this network with stride_on='3x3'")
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
        spec_of(layout),
        convs=convs,
        units_per_stage=counts,
        classes=len(head),
        image=(channels, 224, 224) if kernel == 7 else (channels, 32, 32),
        width=width,
        conventions=conventions,
        **(options if is_large else {}),  # type: ignore[arg-type]
    )


def _units_per_stage(layout: Layout, prefixes: set[str]) -> tuple[int, ...]:
    """Count the units of each stage by the prefixes of their tensors."""

    def units(stage: int) -> int:
        return _count_first(
            lambda unit: (
                layout.unit.format(
                    stage=stage, unit=unit, stage0=stage - 1, unit0=unit - 1
                ).removesuffix(".")
                in prefixes
            )
        )

    return tuple(takewhile(bool, map(units, count(1))))


def _count_first(is_there: Callable[[int], bool]) -> int:
    """Count the numbers 1, 2, ... of which something is there."""
    return next(n for n in count() if not is_there(n + 1))
