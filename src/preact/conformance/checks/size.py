"""Questions on widths and sizes, answered beside the plan of the same unit."""

from itertools import pairwise, product
from typing import Any

from preact.conformance.checks.answer import Answer, asks, no, unknown, yes
from preact.conformance.graph import CONV, Kind, Node, names_of
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Property
from preact.plan import (
    Conventions,
    NetworkPlan,
    cifar_plan,
    imagenet_plan,
)
from preact.spec import ROWS

CIFAR_STAGES = 3
WIDTHS = {False: 16, True: 64}  # of the stem, the large one of ImageNet
IMAGENET_STEM = 7
KERNELS = [{(3,)}, {(3, 3)}, {(1, 3, 1)}]
"""Of units of one, two and three convolutions."""
CHOICES: dict[str, tuple[Any, ...]] = {
    "projection": ("derived", "pad", "conv", "conv BN"),
    "stride_on": ("first", "3x3"),
    "imagenet_stem": ("derived", "BN ReLU"),
}
"""What the paper leaves open and a size depends on; its own choice first."""
WAYS = [
    Conventions(**dict(zip(CHOICES, way, strict=True)))
    for way in product(*CHOICES.values())
]


@asks(Property.STAGES, "Sec. 5")
def stages(network: TracedNetwork) -> Answer | None:
    """Whether the width doubles exactly where the side is halved."""
    shapes = [shape for shape, _ in network.stages]
    if not network.row or any(len(shape) != 3 for shape in shapes):
        return None
    wrong = [pair for pair in pairwise(shapes) if not _doubles(*pair)]
    sizes = ", ".join("x".join(map(str, shape)) for shape in shapes)
    open_ = len(shapes) < 2 or not network.is_one_stream
    if open_ or (wrong and _is_grouped(network)):
        return unknown("stages-unknown", stages=sizes)
    if wrong:
        return no("stages-wrong", stages=sizes)
    return yes("stages-double", stages=sizes)


def _doubles(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether the width doubles and the side is halved, rounded up."""
    (c, *sides), (wide, *halved) = before, after
    return wide == 2 * c and halved == [(side + 1) // 2 for side in sides]


def _is_grouped(network: TracedNetwork) -> bool:
    return any(
        c.facts.groups > 1 for unit in network.units for c in unit.convs
    )


@asks(Property.SIZE, "Sec. 5")
def size(network: TracedNetwork) -> Answer | None:
    """Whether it has the parameters and multiply-adds of the paper's."""
    if not network.row:
        return None
    sizes = effective(network), network.multiply_adds
    evidence = _sizes("", *sizes)
    if is_uneven(network):
        stages = "+".join(map(str, network.counts))
        return no("size-uneven", **evidence, stages=stages, source="Sec. 4.2")
    plans = planned(network)
    if not plans or is_wide(network, plans[0]):
        return unknown("size-unknown", **evidence, source="Sec. 4.2")
    apart = [
        (abs(plan.parameters - sizes[0]), abs(plan.multiply_adds - sizes[1]))
        for plan in plans
    ]
    nearest = min(apart)
    plan = plans[apart.index(nearest)]
    evidence |= _sizes("planned_", plan.parameters, plan.multiply_adds)
    evidence |= {"depth": plan.depth}
    if nearest != (0, 0):
        return no("size-differs", **evidence)
    paper = _sizes("paper_", plans[0].parameters, plans[0].multiply_adds)
    reason = "size-equal" if plan is plans[0] else "size-chosen"
    return yes(reason, **evidence, **paper)


def _sizes(whose: str, parameters: int, multiply_adds: int) -> dict[str, Any]:
    return {
        f"{whose}parameters": f"{parameters:,}",
        f"{whose}multiply_adds": f"{multiply_adds / 1e6:,.2f}",
    }


def stem_convs(network: TracedNetwork) -> list[Node]:
    """The convolutions before the first unit."""
    return [s.node for s in network.units[0].trunk if s.name == CONV]


def _has_large_stem(network: TracedNetwork) -> bool:
    kernels = [max(conv.facts.kernel) for conv in stem_convs(network)]
    return IMAGENET_STEM in kernels


def effective(network: TracedNetwork) -> int:
    """Parameters of the layers as they compute.

    A weight that is made of others, by `weight_norm` say, counts as it is
    used.
    """
    layers = {
        node.params: node.facts
        for node in network.graph.nodes
        if node.kind in (Kind.CONV, Kind.LINEAR) and node.params
    }
    of_layers = {name for params in layers for name in params}
    others = [v for n, v in network.values.items() if n not in of_layers]
    return sum(value.numel() for value in others) + sum(
        facts.weights + facts.bias * facts.c_out for facts in layers.values()
    )


def is_uneven(network: TracedNetwork) -> bool:
    """Whether stages of a CIFAR network differ in their units."""
    return (
        len(network.counts) == CIFAR_STAGES
        and len({*network.counts}) > 1
        and all(len(shape) == 3 for shape, _ in network.stages)
        and network.is_one_stream
        and not _has_large_stem(network)
    )


def is_wide(network: TracedNetwork, plan: NetworkPlan) -> bool:
    """Whether all units are wider, or narrower, by one and the same factor.

    That is a network of another kind, such as a Wide ResNet; a factor that
    changes on the way is a mistake.
    """
    inner = {
        unit.convs[0].facts.c_out / own.c_inner
        for unit, own in zip(network.units, plan.units, strict=True)
    }
    return len(inner) == 1 and inner != {1.0}


def planned(network: TracedNetwork) -> list[NetworkPlan]:
    """Plan the paper's network of this unit, width and length, if it is one.

    Once for each way to choose what it leaves open; its own is the first.
    """
    kernels = {
        tuple(max(conv.facts.kernel) for conv in unit.convs)
        for unit in network.interior
    }
    branches = [term for unit in network.units for term in unit.branches]
    large, stem = _has_large_stem(network), stem_convs(network)
    if (
        network.row not in ROWS
        or [conv.facts.c_out for conv in stem] != [WIDTHS[large]]
        or _is_grouped(network)
        or any("pool" in term.names for term in branches)
        or any(len(shape) != 3 for shape, _ in network.stages)
        or len(network.image) != 3
        or kernels not in KERNELS
        or not _classes(network)
        or network.longer
    ):
        return []
    c, h, w = network.image
    sizes: dict[str, Any] = {
        "convs": len(network.interior[0].convs),
        "units_per_stage": network.counts,
        "classes": _classes(network),
        "image": (c, h, w),
        "width": WIDTHS[large],
    }
    plan = cifar_plan
    if large or len(network.counts) == 4:
        sizes["stem"] = "imagenet" if large else "cifar"
        plan = imagenet_plan
    try:
        return [plan(network.row, **sizes, conventions=way) for way in WAYS]
    except ValueError:
        return []


def _classes(network: TracedNetwork) -> int:
    """Numbers that the one layer after the last unit returns, or 0."""
    tail = network.tail
    names = names_of(tail)
    pooled = names.index("global pool") if "global pool" in names else 0
    layers = [
        step.node.shape[1]
        for step in tail[pooled:]
        if step.name in ("linear", CONV, "parallel layers")
        and len(step.node.shape) > 1
    ]
    return layers[0] if len(layers) == 1 else 0
