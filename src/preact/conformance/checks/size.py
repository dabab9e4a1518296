"""Questions on widths and sizes, answered beside the plan of the same unit."""

from collections.abc import Iterator
from itertools import pairwise

from preact.conformance.anatomy import Unit
from preact.conformance.case import Case
from preact.conformance.graph import ROOT, Kind, Node
from preact.conformance.report import Finding, Property, Verdict
from preact.conformance.signature import signature
from preact.conformance.ways import BN, CONV
from preact.plan import (
    CONVENTIONS,
    PAPER,
    Conventions,
    NetworkPlan,
    cifar_plan,
    imagenet_plan,
)
from preact.spec import ROWS

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN


def stages(case: Case) -> Finding | None:
    """Whether the width doubles exactly where the side is halved."""
    if not case.row or any(len(shape) != 3 for shape, _ in case.stages):
        return None
    shapes = [shape for shape, _ in case.stages]
    grouped = any(
        conv.facts["groups"] > 1 for unit in case.units for conv in convs(unit)
    )
    wrong = [pair for pair in pairwise(shapes) if not _doubles(*pair)]
    verdict, reason = YES, "stages-double"
    if wrong:
        verdict, reason = NO, "stages-wrong"
    if len(shapes) < 2 or not case.is_one_stream or (wrong and grouped):
        verdict, reason = UNKNOWN, "stages-unknown"
    return Finding(
        property=Property.STAGES,
        verdict=verdict,
        reason=reason,
        evidence={"stages": ", ".join(_by(shape) for shape in shapes)},
        source="Sec. 5",
    )


def _doubles(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether the width doubles and the side is halved, rounded up."""
    (c, *sides), (wide, *halved) = before, after
    return wide == 2 * c and halved == [(side + 1) // 2 for side in sides]


def _by(shape: tuple[int, ...]) -> str:
    """A shape as people write it."""
    return "x".join(map(str, shape))


def convs(unit: Unit) -> list[Node]:
    """The convolutions of the branch."""
    return [n for n in unit.branches[0].weights if n.kind is Kind.CONV]


def size(case: Case) -> Finding | None:
    """Whether it has the parameters and multiply-adds of the paper's."""
    if not case.row:
        return None
    if is_uneven(case):
        return _unplanned(case, NO, "size-uneven")
    plan = planned(case)
    if plan is None:
        return _unplanned(case)
    if is_wide(case, plan):
        return _unplanned(case)
    usual = _plan(case, PAPER)
    presets = ", ".join(matched(case, plan))
    parameters = effective(case)
    is_equal = (parameters, case.multiply_adds) == (
        plan.parameters,
        plan.multiply_adds,
    )
    if not is_equal:
        verdict, reason = NO, "size-differs"
    elif not published(case):
        verdict, reason = UNKNOWN, "size-unpublished"
    else:
        verdict, reason = YES, "size-equal" if presets else "size-chosen"
    return Finding(
        property=Property.SIZE,
        verdict=verdict,
        reason=reason,
        evidence={
            "depth": plan.depth,
            "parameters": f"{parameters:,}",
            "multiply_adds": f"{case.multiply_adds / 1e6:,.2f}",
            "planned_parameters": f"{plan.parameters:,}",
            "planned_multiply_adds": f"{plan.multiply_adds / 1e6:,.2f}",
            "paper_parameters": f"{usual.parameters:,}",
            "paper_multiply_adds": f"{usual.multiply_adds / 1e6:,.2f}",
            "presets": presets or "-",
        },
        source="Sec. 5",
    )


CIFAR_STAGES = 3
CIFAR_WIDTH, IMAGENET_WIDTH = 16, 64
IMAGENET_STEM = 7
IMAGENET_COUNTS = {
    (2, (2, 2, 2, 2)),
    (2, (3, 4, 6, 3)),
    (3, (3, 4, 6, 3)),
    (3, (3, 4, 23, 3)),
    (3, (3, 8, 36, 3)),
    (3, (3, 24, 36, 3)),
}
"""Convolutions of a unit and units of each stage: ResNet-18 to -200."""


def published(case: Case) -> bool:
    """Whether stages and width are those of a network of the papers."""
    counts = tuple(count for _, count in case.stages)
    (stem,) = stem_convs(case)
    width = stem.facts["c_out"]
    convs_of_unit = len(convs(case.interior[0]))
    if max(stem.facts["kernel"]) == IMAGENET_STEM:
        return (
            width == IMAGENET_WIDTH
            and (convs_of_unit, counts) in IMAGENET_COUNTS
        )
    return (
        width == CIFAR_WIDTH
        and len(counts) == CIFAR_STAGES
        and len({*counts}) == 1
    )


def effective(case: Case) -> int:
    """Parameters of the layers as they compute.

    A weight that is made of others, by `weight_norm` say, counts as it is
    used.
    """
    total = case.parameters
    layers = {
        node.params: node
        for node in case.training.graph.nodes
        if node.kind in (Kind.CONV, Kind.LINEAR) and node.params
    }
    for params, node in layers.items():
        kept = sum(case.values[name].numel() for name in params)
        used = node.facts["macs"] + node.facts["bias"] * node.facts["c_out"]
        total += used - kept
    return total


def is_uneven(case: Case) -> bool:
    """Whether stages of a CIFAR network differ in their units."""
    kernels = [max(stem.facts["kernel"]) for stem in stem_convs(case)]
    return (
        len(case.stages) == CIFAR_STAGES
        and len({count for _, count in case.stages}) > 1
        and all(len(shape) == 3 for shape, _ in case.stages)
        and case.is_one_stream
        and IMAGENET_STEM not in kernels
    )


def _unplanned(
    case: Case, verdict: Verdict = UNKNOWN, reason: str = "size-unknown"
) -> Finding:
    """Answer where there is no such network of the paper."""
    return Finding(
        property=Property.SIZE,
        verdict=verdict,
        reason=reason,
        source="Sec. 4.2",
        evidence={
            "stages": "+".join(str(count) for _, count in case.stages),
            "parameters": f"{case.parameters:,}",
            "multiply_adds": f"{case.multiply_adds / 1e6:,.2f}",
        },
    )


def is_wide(case: Case, plan: NetworkPlan) -> bool:
    """Whether all units are wider, or narrower, by one and the same factor.

    That is a network of another kind, such as a Wide ResNet; a factor that
    changes on the way is a mistake.
    """
    inner = {
        convs(unit)[0].facts["c_out"] / planned.c_inner
        for unit, planned in zip(case.units, plan.units, strict=True)
    }
    return len(inner) == 1 and inner != {1.0}


def planned(case: Case) -> NetworkPlan | None:
    """Plan the paper's network of this unit, width and length, if it is one.

    Its open choices are those that the network was seen to take.
    """
    if case.row not in ROWS or not _is_planned_kind(case):
        return None
    try:
        return _plan(case, seen_conventions(case))
    except ValueError:
        return None


def _is_planned_kind(case: Case) -> bool:
    """Whether kernels, groups and stem are of a kind that plans know."""
    sizes = {1: {(3,)}, 2: {(3, 3)}, 3: {(1, 3, 1)}}
    kernels = {
        tuple(max(conv.facts["kernel"]) for conv in convs(unit))
        for unit in case.interior
    }
    stem = stem_convs(case)
    grouped = any(c.facts["groups"] > 1 for u in case.units for c in convs(u))
    shapes_fit = all(len(shape) == 3 for shape, _ in case.stages)
    return (
        len(stem) == 1
        and not grouped
        and not any("pool" in t.names for u in case.units for t in u.branches)
        and shapes_fit
        and len(case.image) == 3
        and any(kernels == wanted for wanted in sizes.values())
        and _classes(case) > 0
        and not case.training.longer
    )


def stem_convs(case: Case) -> list[Node]:
    """The convolutions before the first unit."""
    return [s.node for s in case.units[0].trunk if s.name == CONV]


def _classes(case: Case) -> int:
    """Numbers that the one layer after the last unit returns, or 0."""
    names = [step.name for step in case.training.tail]
    pooled = names.index("global pool") if "global pool" in names else 0
    layers = [
        step.node.shape[1]
        for step in case.training.tail[pooled:]
        if step.name in ("linear", CONV, "parallel layers")
        and len(step.node.shape) > 1
    ]
    return layers[0] if len(layers) == 1 else 0


def _plan(case: Case, conventions: Conventions) -> NetworkPlan:
    """Plan it with these choices."""
    (stem,) = stem_convs(case)
    large = max(stem.facts["kernel"]) == IMAGENET_STEM
    counts = tuple(count for _, count in case.stages)
    c, h, w = case.image
    if large or len(counts) == 4:
        return imagenet_plan(
            case.row,
            convs=len(convs(case.interior[0])),
            units_per_stage=counts,
            classes=_classes(case),
            image=(c, h, w),
            stem="imagenet" if large else "cifar",
            width=stem.facts["c_out"],
            conventions=conventions,
        )
    return cifar_plan(
        case.row,
        convs=len(convs(case.interior[0])),
        units_per_stage=counts,
        classes=_classes(case),
        image=(c, h, w),
        width=stem.facts["c_out"],
        conventions=conventions,
    )


def seen_conventions(case: Case) -> Conventions:
    """The open choices, as the network was seen to take them."""
    first = case.units[0]
    widening = [u for u in case.units if not u.keeps_shape]
    strided = [u for u in widening if u.shape_in[2:] != u.shape_out[2:]]
    sign = case.sign
    pre = sign.pre if sign else ()
    chosen: dict[str, str] = {}
    own = signature(first).branch
    if pre and own[: len(pre)] == pre:
        chosen["first_tap"] = "before pre"
        if first.trunk and first.trunk[-1].name != CONV:
            chosen["imagenet_stem"] = "derived"
    stem = tuple(s.name for s in first.trunk)
    if "max pool" in stem and stem[-1:] == ("max pool",) and BN in stem:
        chosen["imagenet_stem"] = "BN ReLU"
        chosen.pop("first_tap", None)
    if widening:
        names = widening[-1].shortcuts[0].names
        behind = names[names.index(CONV) :] if CONV in names else ()
        plain = "conv BN" if BN in behind else "conv"
        chosen["projection"] = plain if behind else "pad"
        raw = [u for u in widening if u.before != ROOT]
        if pre and raw and signature(raw[-1]).branch[: len(pre)] == pre:
            chosen["width_tap"] = "before pre"
    if strided and len(convs(strided[0])) == 3:
        strides = [conv.facts["stride"] for conv in convs(strided[0])]
        chosen["stride_on"] = "first" if strides[0] == 2 else "3x3"
    return Conventions(**chosen)  # type: ignore[arg-type]


def matched(case: Case, plan: NetworkPlan) -> Iterator[str]:
    """Name the presets whose plan has the same units and ends."""
    for name, conventions in CONVENTIONS.items():
        try:
            other = _plan(case, conventions)
        except ValueError:
            continue
        if (other.stem, other.units, other.tail) == (
            plan.stem,
            plan.units,
            plan.tail,
        ) and (plan.parameters, plan.multiply_adds) == (
            effective(case),
            case.multiply_adds,
        ):
            yield name
