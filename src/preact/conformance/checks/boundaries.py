"""Questions on first, widening and last units: Sec. 5, appendix."""

from preact.conformance.anatomy import Unit
from preact.conformance.case import Case
from preact.conformance.graph import ROOT
from preact.conformance.report import Finding, Property, Verdict
from preact.conformance.signature import signature
from preact.conformance.ways import BN, CONV, RELU, Step

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
ACTIVE = (BN, RELU)
POOLS = ("global pool", "pool", "max pool", "linear", "reduction")


def first_unit(case: Case) -> Finding | None:
    """Whether one BN and one ReLU follow the first convolution, not two."""
    if not case.is_plain:
        return None
    first = case.units[0]
    stem = names(first.trunk)
    if first.before != ROOT or CONV not in stem:
        return Finding(
            property=Property.FIRST, verdict=UNKNOWN, reason="stem-unknown"
        )
    after_conv = stem[len(stem) - stem[::-1].index(CONV) :]
    own = signature(first)
    pre = own.branch[: own.branch.index(CONV)] if CONV in own.branch else ()
    way = (*after_conv, *pre)
    steps = tuple(name for name in way if name in ACTIVE)
    if steps == ACTIVE:
        verdict, reason = YES, "stem-once"
    elif steps.count(BN) > 1 or steps.count(RELU) > 1:
        verdict, reason = NO, "stem-doubled"
    else:
        verdict, reason = NO, "stem-bare"
    if any(name not in (*ACTIVE, *POOLS) for name in way):
        verdict, reason = UNKNOWN, "stem-unknown"
    return Finding(
        property=Property.FIRST,
        verdict=verdict,
        reason=reason,
        evidence={"way": " ".join((CONV, *way, CONV))},
        source="Appendix",
    )


def width_change(case: Case) -> Finding | None:
    """Whether the projection reads what the branch reads."""
    sign = case.sign
    if sign is None or not sign.is_plain:
        return None
    if not case.is_one_stream:
        return Finding(
            property=Property.WIDTH, verdict=UNKNOWN, reason="width-streams"
        )
    missing = [
        u for u in case.units if u.before != ROOT and CONV in names(u.trunk)
    ]
    if missing:
        return _width(case, NO, "width-without-shortcut", missing)
    widening = [unit for unit in case.units if not unit.keeps_shape]
    if not widening:
        return Finding(
            property=Property.WIDTH, verdict=UNKNOWN, reason="width-constant"
        )
    active = [u for u in widening if RELU in _shortcut(u)]
    if active:
        own = [u for u in active if _shortcut(u)[: len(sign.pre)] == sign.pre]
        if sign.pre and own == active:
            return _width(case, NO, "width-own-activation", own)
        return _width(case, NO, "width-activated-after", active)
    raw = [
        u
        for u in widening
        if sign.pre
        and u.before != ROOT
        and signature(u).branch[: len(sign.pre)] == sign.pre
    ]
    if raw:
        return _width(case, NO, "width-raw", raw)
    return _width(case, YES, "width-shared", widening)


def _width(
    case: Case, verdict: Verdict, reason: str, units: list[Unit]
) -> Finding:
    """Answer for some of the widening units."""
    return Finding(
        property=Property.WIDTH,
        verdict=verdict,
        reason=reason,
        evidence={
            "units": len(units),
            "shortcut": " ".join(_shortcut(units[0])),
        },
        places=case.places(units) if verdict is NO else (),
        source="Sec. 5, appendix",
    )


def _shortcut(unit: Unit) -> tuple[str, ...]:
    """What stands on the shortcut of a unit."""
    return unit.shortcuts[0].names


def last_unit(case: Case) -> Finding | None:
    """Whether the stream is activated before pooling, as its unit asks."""
    sign = case.sign
    if sign is None or not sign.is_plain:
        return None
    tail = names(case.training.tail)
    pooled = next((i for i, name in enumerate(tail) if name in POOLS), None)
    if pooled is None:
        return Finding(
            property=Property.LAST, verdict=UNKNOWN, reason="last-unknown"
        )
    before = tail[:pooled]
    wanted = (*sign.after, *sign.pre)
    if before == wanted:
        verdict, reason = YES, "last-active"
    elif any(name not in ACTIVE for name in before):
        verdict, reason = UNKNOWN, "last-unknown"
    elif len(before) < len(wanted):
        verdict, reason = NO, "last-bare"
    else:
        verdict, reason = NO, "last-more"
    return Finding(
        property=Property.LAST,
        verdict=verdict,
        reason=reason,
        evidence={
            "tail": " ".join(("(+)", *tail)),
            "wanted": " ".join(("(+)", *wanted, tail[pooled])),
        },
        source="Appendix",
    )


def names(steps: tuple[Step, ...]) -> tuple[str, ...]:
    """The names of steps."""
    return tuple(step.name for step in steps)
