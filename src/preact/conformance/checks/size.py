"""Questions on widths and sizes, answered beside the plan of the same unit."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from preact.conformance.checks.answer import Answer, asks, no, unknown, yes
from preact.conformance.graph import BN, CONV, ROOT, Kind, Node, names_of
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Property
from preact.plan import (
    CONVENTIONS,
    IMAGENET_UNITS,
    PAPER,
    Conventions,
    NetworkPlan,
    cifar_plan,
    imagenet_plan,
)
from preact.plan.depth import IMAGENET_BASIC
from preact.spec import ROWS

CIFAR_STAGES = 3
CIFAR_WIDTH, IMAGENET_WIDTH = 16, 64
IMAGENET_STEM = 7
IMAGENET_COUNTS = {2: IMAGENET_BASIC.values(), 3: IMAGENET_UNITS.values()}
"""Units of each stage of published networks, by convolutions of a unit."""
KERNELS = [{(3,)}, {(3, 3)}, {(1, 3, 1)}]
"""Of units of one, two and three convolutions."""


@asks(Property.STAGES, "Sec. 5")
def stages(network: TracedNetwork) -> Answer | None:
    """Whether the width doubles exactly where the side is halved."""
    shapes = [shape for shape, _ in network.stages]
    if not network.row or any(len(shape) != 3 for shape in shapes):
        return None
    wrong = [pair for pair in pairwise(shapes) if not _doubles(*pair)]
    told = ", ".join("x".join(map(str, shape)) for shape in shapes)
    open_ = len(shapes) < 2 or not network.is_one_stream
    if open_ or (wrong and _is_grouped(network)):
        return unknown("stages-unknown", stages=told)
    if wrong:
        return no("stages-wrong", stages=told)
    return yes("stages-double", stages=told)


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
    told: dict[str, Any] = {
        "parameters": f"{network.parameters:,}",
        "multiply_adds": f"{network.multiply_adds / 1e6:,.2f}",
    }
    if is_uneven(network):
        stages = "+".join(map(str, network.counts))
        return no("size-uneven", **told, stages=stages, source="Sec. 4.2")
    plan = planned(network)
    if plan is None or is_wide(network, plan):
        return unknown("size-unknown", **told, source="Sec. 4.2")
    usual, parameters = _plan(network, PAPER), effective(network)
    presets = ", ".join(matched(network, plan))
    told |= {
        "depth": plan.depth,
        "parameters": f"{parameters:,}",
        "planned_parameters": f"{plan.parameters:,}",
        "planned_multiply_adds": f"{plan.multiply_adds / 1e6:,.2f}",
        "paper_parameters": f"{usual.parameters:,}",
        "paper_multiply_adds": f"{usual.multiply_adds / 1e6:,.2f}",
        "presets": presets or "-",
    }
    if (parameters, network.multiply_adds) != (
        plan.parameters,
        plan.multiply_adds,
    ):
        return no("size-differs", **told)
    if not is_published(network):
        return unknown("size-unpublished", **told)
    return yes("size-equal" if presets else "size-chosen", **told)


def is_published(network: TracedNetwork) -> bool:
    """Whether stages and width are those of a network of the papers."""
    counts, convs = network.counts, len(network.interior[0].convs)
    width = stem_convs(network)[0].facts.c_out
    if _has_large_stem(network):
        published = IMAGENET_COUNTS.get(convs, ())
        return width == IMAGENET_WIDTH and counts in published
    is_even = len(counts) == CIFAR_STAGES and len({*counts}) == 1
    return width == CIFAR_WIDTH and is_even


def stem_convs(network: TracedNetwork) -> list[Node]:
    """The convolutions before the first unit."""
    return [s.node for s in network.units[0].trunk if s.name == CONV]


def _has_large_stem(network: TracedNetwork) -> bool:
    kernels = [max(conv.facts.kernel) for conv in stem_convs(network)]
    return IMAGENET_STEM in kernels


def effective(network: TracedNetwork) -> int:
    """Parameters of the layers as they compute.

    A weight made of others, by `weight_norm` say, counts as it is used.
    """
    total = network.parameters
    layers = {
        node.params: node.facts
        for node in network.graph.nodes
        if node.kind in (Kind.CONV, Kind.LINEAR) and node.params
    }
    for params, facts in layers.items():
        kept = sum(network.values[name].numel() for name in params)
        total += facts.weights + facts.bias * facts.c_out - kept
    return total


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

    As in a Wide ResNet; a factor that changes on the way is a mistake.
    """
    inner = {
        unit.convs[0].facts.c_out / own.c_inner
        for unit, own in zip(network.units, plan.units, strict=True)
    }
    return len(inner) == 1 and inner != {1.0}


def planned(network: TracedNetwork) -> NetworkPlan | None:
    """Plan the paper's network of this unit, width and length, if it is one.

    Its open choices are those that the network was seen to take.
    """
    kernels = {
        tuple(max(conv.facts.kernel) for conv in unit.convs)
        for unit in network.interior
    }
    branches = [term for unit in network.units for term in unit.branches]
    if (
        network.row not in ROWS
        or len(stem_convs(network)) != 1
        or _is_grouped(network)
        or any("pool" in term.names for term in branches)
        or any(len(shape) != 3 for shape, _ in network.stages)
        or len(network.image) != 3
        or kernels not in KERNELS
        or not _classes(network)
        or network.longer
    ):
        return None
    try:
        return _plan(network, seen_conventions(network))
    except ValueError:
        return None


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


def _plan(network: TracedNetwork, conventions: Conventions) -> NetworkPlan:
    """Plan it with these choices."""
    c, h, w = network.image
    sizes: dict[str, Any] = {
        "convs": len(network.interior[0].convs),
        "units_per_stage": network.counts,
        "classes": _classes(network),
        "image": (c, h, w),
        "width": stem_convs(network)[0].facts.c_out,
        "conventions": conventions,
    }
    large = _has_large_stem(network)
    if large or len(network.counts) == 4:
        sizes["stem"] = "imagenet" if large else "cifar"
        return imagenet_plan(network.row, **sizes)
    return cifar_plan(network.row, **sizes)


def seen_conventions(network: TracedNetwork) -> Conventions:
    """The open choices, as the network was seen to take them."""
    assert network.sign is not None
    seen: dict[str, Any] = {}
    pre, first = network.sign.pre, network.units[0]
    stem = names_of(first.trunk)
    if stem[-1:] == ("max pool",) and BN in stem:
        seen["imagenet_stem"] = "BN ReLU"
    elif first.activates(pre):
        seen["first_tap"] = "before pre"
    widening = [u for u in network.units if not u.keeps_shape]
    if widening:
        names = widening[-1].shortcuts[0].names
        projection = names[names.index(CONV) :] if CONV in names else ()
        seen["projection"] = "conv" if projection else "pad"
        if BN in projection:
            seen["projection"] = "conv BN"
    later = [u for u in widening if u.before != ROOT]
    if later and later[-1].activates(pre):
        seen["width_tap"] = "before pre"
    strided = [u for u in widening if u.shape_in[2:] != u.shape_out[2:]]
    if strided and len(strided[0].convs) == 3:
        is_first = strided[0].convs[0].facts.stride == 2
        seen["stride_on"] = "first" if is_first else "3x3"
    return Conventions(**seen)


def matched(network: TracedNetwork, plan: NetworkPlan) -> Iterator[str]:
    """Name the presets whose plan has the same units and ends."""
    sizes = effective(network), network.multiply_adds
    for name, conventions in CONVENTIONS.items():
        try:
            other = _plan(network, conventions)
        except ValueError:
            continue
        same = (other.stem, other.units, other.tail) == (
            plan.stem,
            plan.units,
            plan.tail,
        )
        if same and (other.parameters, other.multiply_adds) == sizes:
            yield name
