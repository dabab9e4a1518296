"""Questions on first, widening and last units: Sec. 5, appendix."""

from collections import Counter
from collections.abc import Iterator

from preact.conformance.anatomy import Unit
from preact.conformance.case import POOLS, Case, head_of
from preact.conformance.checks.interior import ACTIVATIONS, CHANGES, factor
from preact.conformance.graph import ROOT
from preact.conformance.report import Finding, Property, Verdict
from preact.conformance.signature import Signature, signature
from preact.conformance.ways import BN, CONV, RELU, names_of

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
ACTIVE = (BN, RELU)
SPARED = ("pool", "slice", "pad", "concatenation")  # where sides are halved


def first_unit(case: Case) -> Finding | None:
    """Whether one BN and one ReLU follow the first convolution, not two."""
    if not case.is_plain:
        return None
    first = case.units[0]
    stem = names_of(first.trunk)
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
    foreign = {*way} - {*ACTIVE, *POOLS}
    if foreign:
        verdict, reason = UNKNOWN, "stem-unknown"
    if foreign & {*ACTIVATIONS, *CHANGES} or any(map(factor, foreign)):
        verdict, reason = NO, "stem-layers"
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
        u for u in case.units if u.before != ROOT and CONV in names_of(u.trunk)
    ]
    if missing:
        return _width(case, NO, "width-without-shortcut", missing)
    widening = [unit for unit in case.units if not unit.keeps_shape]
    if not widening:
        return Finding(
            property=Property.WIDTH, verdict=UNKNOWN, reason="width-constant"
        )
    for reason, units in _wrong_widths(case, sign, widening):
        if units:
            return _width(case, NO, reason, units)
    raw = [u for u in widening if u.before != ROOT and _is_raw(sign, u)]
    if raw:
        return _width(case, UNKNOWN, "width-padded", raw)
    return _width(case, YES, "width-shared", widening)


def _wrong_widths(
    case: Case, sign: Signature, widening: list[Unit]
) -> Iterator[tuple[str, list[Unit]]]:
    """What can be wrong where the width changes, and in which units."""
    active = [u for u in widening if RELU in _shortcut(u)]
    pre = sign.pre
    own = [u for u in active if pre and _shortcut(u)[: len(pre)] == pre]
    if own == active:
        yield "width-own-activation", own
    yield "width-activated-after", active
    later = [u for u in widening if u.before != ROOT]
    yield (
        "width-raw",
        [u for u in later if CONV in _shortcut(u) and _is_raw(sign, u)],
    )
    yield "width-scaled", [u for u in widening if _factors(u, sign)]
    if BN in pre:
        yield "width-normalized", [u for u in widening if BN in _shortcut(u)]
    if not case.row:
        return
    usual = Counter(_kept(u) for u in later).most_common(1)
    yield (
        "width-differs",
        [u for u in later if usual and _kept(u) != usual[0][0]],
    )
    yield (
        "width-layers",
        [u for u in widening if not {*_kept(u)} <= {CONV, BN}],
    )


def _is_raw(sign: Signature, unit: Unit) -> bool:
    """Whether the branch is activated behind the place where ways part."""
    pre = sign.pre
    return bool(pre) and signature(unit).branch[: len(pre)] == pre


def _factors(unit: Unit, sign: Signature) -> bool:
    """Whether numbers or chance stand beside the projection alone."""
    return not {*unit.shortcuts[0].factors} <= {*sign.on_shortcut}


def _kept(unit: Unit) -> tuple[str, ...]:
    """The layers of a shortcut, whatever takes every second pixel."""
    names = _shortcut(unit)
    spared = SPARED if CONV in names else (*SPARED, "max pool")
    return tuple(name for name in names if name not in spared)


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
            "shortcut": " ".join(
                (
                    *_shortcut(units[0]),
                    *map(str, units[0].shortcuts[0].factors),
                )
            ),
        },
        places=case.places(units) if verdict is NO else (),
        source="Sec. 5, appendix",
    )


def _shortcut(unit: Unit) -> tuple[str, ...]:
    """What stands on the shortcut of a unit."""
    return unit.shortcuts[0].names


def last_unit(case: Case) -> Finding | None:
    """Whether the stream is activated, then averaged, as its unit asks."""
    sign = case.sign
    if sign is None or not sign.is_plain:
        return None
    tail = names_of(case.training.tail)
    before = head_of(case.training)
    if len(before) == len(tail) or not {*POOLS[:-1]} & {*tail}:
        return Finding(
            property=Property.LAST, verdict=UNKNOWN, reason="last-unknown"
        )
    pool = "global pool" if "global pool" in tail else tail[len(before)]
    while before[-1:] == ("dropout",):  # before the classifier, as usual
        before = before[:-1]
    wanted = (*sign.after, *dict.fromkeys(sign.pre))  # BN ReLU, once
    if pool == "max pool":
        verdict, reason = NO, "last-pooled"
    elif before in (wanted, (*sign.after, *sign.pre)):
        verdict, reason = YES, "last-active"
    elif CONV in before:
        verdict, reason = UNKNOWN, "last-unknown"
    elif len(before) < len(wanted):
        verdict, reason = NO, "last-bare"
    else:
        verdict, reason = NO, "last-more"
    if verdict is YES and pool != "global pool":
        verdict, reason = UNKNOWN, "last-unknown"
    return Finding(
        property=Property.LAST,
        verdict=verdict,
        reason=reason,
        evidence={
            "tail": " ".join(("(+)", *tail)),
            "wanted": " ".join(("(+)", *wanted, "global pool")),
        },
        source="Appendix",
    )
