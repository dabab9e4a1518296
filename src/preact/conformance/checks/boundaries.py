"""Questions on first, widening and last units: Sec. 5, appendix."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from preact.conformance.anatomy import POOLS, Signature, Unit
from preact.conformance.checks.answer import Answer, asks, no, unknown, yes
from preact.conformance.checks.interior import ACTIVATIONS, CHANGES, is_number
from preact.conformance.graph import BN, CONV, RELU, ROOT, names_of
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Property

ACTIVE = (BN, RELU)
SPARED = {"pool", "slice", "pad", "concatenation"}  # where sides are halved


@asks(Property.FIRST, "Appendix")
def first_unit(network: TracedNetwork) -> Answer | None:
    """Whether one BN and one ReLU follow the first convolution, not two."""
    if not network.plain_sign:
        return None
    first = network.units[0]
    stem = names_of(first.trunk)
    if first.before != ROOT or CONV not in stem:
        return unknown("stem-unknown")
    after_conv = stem[len(stem) - stem[::-1].index(CONV) :]
    met = (*after_conv, *first.signature.pre)
    way = " ".join((CONV, *met, CONV))
    foreign = {*met} - {*ACTIVE, *POOLS}
    if foreign & {*ACTIVATIONS, *CHANGES} or any(map(is_number, foreign)):
        return no("stem-layers", way=way)
    if foreign:
        return unknown("stem-unknown", way=way)
    steps = tuple(name for name in met if name in ACTIVE)
    if steps == ACTIVE:
        return yes("stem-once", way=way)
    return no("stem-doubled" if len(steps) > 2 else "stem-bare", way=way)


@asks(Property.WIDTH, "Sec. 5, appendix")
def width_change(network: TracedNetwork) -> Answer | None:
    """Whether the projection reads what the branch reads."""
    sign = network.plain_sign
    if sign is None:
        return None
    if not network.is_one_stream:
        return unknown("width-streams")
    widening = [unit for unit in network.units if not unit.keeps_shape]
    for reason, units in _wrong_widths(network, sign, widening):
        if units:
            places = network.places(units)
            return no(reason, **_evidence(units, sign), places=places)
    if not widening:
        return unknown("width-constant")
    raw = [u for u in widening if u.before != ROOT and u.activates(sign.pre)]
    if raw:
        return unknown("width-padded", **_evidence(raw, sign))
    return yes("width-shared", **_evidence(widening, sign))


def _wrong_widths(
    network: TracedNetwork, sign: Signature, widening: list[Unit]
) -> Iterator[tuple[str, list[Unit]]]:
    """What can be wrong where the width changes, and in which units."""
    later = [unit for unit in network.units if unit.before != ROOT]
    bare = [unit for unit in later if CONV in names_of(unit.trunk)]
    yield "width-without-shortcut", bare
    yield "width-activated", [u for u in widening if RELU in _shortcut(u)]
    later = [unit for unit in widening if unit.before != ROOT]
    projected = [u for u in later if CONV in _shortcut(u)]
    yield "width-raw", [u for u in projected if u.activates(sign.pre)]
    usual = {*sign.on_shortcut}  # nothing else stands beside a projection
    scaled = [u for u in widening if {*u.shortcuts[0].factors} - usual]
    yield "width-scaled", scaled
    if BN in sign.pre:
        yield "width-normalized", [u for u in widening if BN in _shortcut(u)]
    if network.row:
        kept = Counter(map(_kept, later)).most_common(1)
        odd = [u for u in later if _kept(u) != kept[0][0]]
        yield "width-differs", odd
        odd = [u for u in widening if not {*_kept(u)} <= {CONV, BN}]
        yield "width-layers", odd


def _shortcut(unit: Unit) -> tuple[str, ...]:
    """What stands on the shortcut of a unit."""
    return unit.shortcuts[0].names


def _kept(unit: Unit) -> tuple[str, ...]:
    """The layers of a shortcut, whatever takes every second pixel."""
    names = _shortcut(unit)
    spared = SPARED if CONV in names else {*SPARED, "max pool"}
    return tuple(name for name in names if name not in spared)


def _evidence(units: list[Unit], sign: Signature) -> dict[str, Any]:
    factors = map(str, units[0].shortcuts[0].factors)
    shortcut = " ".join((*_shortcut(units[0]), *factors))
    pre = " ".join(sign.pre)
    return {"units": len(units), "shortcut": shortcut, "pre": pre}


@asks(Property.LAST, "Appendix")
def last_unit(network: TracedNetwork) -> Answer | None:
    """Whether the stream is activated, then averaged, as its unit asks."""
    sign = network.plain_sign
    if sign is None:
        return None
    tail, before = names_of(network.tail), network.head
    if len(before) == len(tail) or not {*POOLS[:-1]} & {*tail}:
        return unknown("last-unknown")
    pool = "global pool" if "global pool" in tail else tail[len(before)]
    while before[-1:] == ("dropout",):  # before the classifier, as usual
        before = before[:-1]
    wanted = (*sign.after, *dict.fromkeys(sign.pre))  # BN ReLU, once
    evidence = {
        "tail": " ".join(("(+)", *tail)),
        "wanted": " ".join(("(+)", *wanted, "global pool")),
    }
    if pool == "max pool":
        return no("last-pooled", **evidence)
    if before in (wanted, (*sign.after, *sign.pre)) and pool == "global pool":
        return yes("last-active", **evidence)
    if before in (wanted, (*sign.after, *sign.pre)) or CONV in before:
        return unknown("last-unknown", **evidence)
    return no(
        "last-bare" if len(before) < len(wanted) else "last-more", **evidence
    )
