"""Questions on the units between the boundaries: Eqs. (1), (2) and Fig. 4."""

from preact.conformance.anatomy import Unit
from preact.conformance.case import Case
from preact.conformance.graph import Kind
from preact.conformance.report import Finding, Property, Verdict
from preact.conformance.ways import BN, CONV, PLAIN, RELU, is_norm
from preact.spec import find_row

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN


def row(case: Case) -> Finding:
    """Which row of the paper the unit is."""
    sign = case.sign
    if sign is None:
        return Finding(
            property=Property.ROW, verdict=UNKNOWN, reason="row-too-short"
        )
    unit = {"unit": case.unit}
    if case.row and case.meant and case.row != case.meant:
        return Finding(
            property=Property.ROW,
            verdict=NO,
            reason="row-other",
            evidence=unit | {"meant": str(find_row(case.meant))},
            source=figure(case.row),
            row=case.row,
        )
    if case.row:
        return Finding(
            property=Property.ROW,
            verdict=YES,
            reason="row-named",
            evidence=unit,
            source=figure(case.row),
            row=case.row,
        )
    return Finding(
        property=Property.ROW,
        verdict=NO if sign.is_plain else UNKNOWN,
        reason="row-none" if sign.is_plain else "row-foreign",
        evidence=unit,
        source="Fig. 2, Fig. 4",
    )


def figure(name: str) -> str:
    """The figure of the paper that draws a row."""
    drawn = {
        "original": "Fig. 4(a)",
        "bn-after-addition": "Fig. 4(b)",
        "relu-before-addition": "Fig. 4(c)",
        "relu-only-preactivation": "Fig. 4(d)",
        "full-preactivation": "Fig. 4(e)",
        "constant-scaling": "Fig. 2(b)",
        "exclusive-gating": "Fig. 2(c)",
        "shortcut-only-gating": "Fig. 2(d)",
        "conv1x1-shortcut": "Fig. 2(e)",
        "dropout-shortcut": "Fig. 2(f)",
    }
    for start, place in drawn.items():
        if name.startswith(start):
            return place
    return "Eq. (1)"


def identity_shortcuts(case: Case) -> Finding:
    """Whether h(x) = x where the shape stays."""
    equal = [unit for unit in case.units if unit.keeps_shape]
    if not equal:
        return Finding(
            property=Property.SHORTCUT, verdict=UNKNOWN, reason="no-equal-unit"
        )
    wrong = [unit for unit in equal if not is_identity(case, unit)]
    if not wrong:
        return Finding(
            property=Property.SHORTCUT,
            verdict=YES,
            reason="identity",
            evidence={"units": len(equal)},
            source="Eq. (3)",
        )
    first = wrong[0]
    measured = case.measured.factor.get(first.add)
    named = case.row if case.row.split("-b")[0] in TABLE_1_NAMES else ""
    return Finding(
        property=Property.SHORTCUT,
        verdict=NO,
        reason=_why(first),
        evidence={
            "wrong": len(wrong),
            "units": len(equal),
            "what": _what(first),
            "factor": "?" if measured is None else f"{measured:.3g}",
            "product": "?" if measured is None else _power(measured, wrong),
        },
        places=case.places(wrong),
        source="Eq. (5), Eq. (8)" if named else "Eq. (5)",
        row=named,
    )


TABLE_1_NAMES = (
    "constant-scaling-0-1",
    "constant-scaling-0.5-1",
    "constant-scaling-0.5-0.5",
    "exclusive-gating",
    "shortcut-only-gating",
    "conv1x1-shortcut",
    "dropout-shortcut",
)


def _power(measured: float, units: list[Unit]) -> str:
    """The product of Eq. (8), if all units had this factor."""
    return f"{measured ** len(units):.1e}"


def is_identity(case: Case, unit: Unit) -> bool:
    """Whether the shortcut is the tensor at the tap, or equals it."""
    if unit.is_identity:
        return True
    is_equal = case.measured.error.get(unit.add) == 0.0
    return is_equal and not any(term.learned for term in unit.shortcuts)


def _why(unit: Unit) -> str:
    """Name the way in which a shortcut is none."""
    if len(unit.shortcuts) > 1:
        return "shortcut-added-again"
    (term,) = unit.shortcuts
    if {"g", "1-g"} & set(term.factors):
        return "shortcut-gated"
    if {"dropout", "drop path"} & set(term.factors):
        return "shortcut-dropout"
    if term.steps:
        return "shortcut-layers"
    return "shortcut-scaled"


def _what(unit: Unit) -> str:
    """Say what stands on a shortcut."""
    if len(unit.shortcuts) > 1:
        return f"x × {len(unit.shortcuts)}"
    (term,) = unit.shortcuts
    parts = [*term.names, *term.factors]
    return " ".join(f"{p:g}" if isinstance(p, float) else p for p in parts)


def clear_stream(case: Case) -> Finding:
    """Whether f is the identity, or the original unit's ReLU."""
    sign = case.sign
    if sign is None:
        return Finding(
            property=Property.STREAM, verdict=UNKNOWN, reason="no-equal-unit"
        )
    moved = [
        case.measured.moved[u.add]
        for u in case.interior
        if u.add in case.measured.moved
    ]
    evidence = {
        "after": " ".join(sign.after),
        "moved": f"{max(moved):.2g}" if moved else "?",
    }

    def found(verdict: Verdict, reason: str, row: str = "") -> Finding:
        return Finding(
            property=Property.STREAM,
            verdict=verdict,
            reason=reason,
            evidence=evidence,
            source=figure(row) if row else "Eq. (6)",
            row=row,
        )

    if not sign.after:
        return found(YES, "stream-clear")
    if any(isinstance(factor(name), float) for name in sign.after):
        return found(NO, "stream-scaled")
    if any(is_norm(name) for name in sign.after):
        is_b = sign.after in ((BN, RELU), (BN,)) and sign.is_plain
        return found(NO, "stream-norm", "bn-after-addition" if is_b else "")
    if len(sign.after) == 1 and not set(sign.after) & {CONV, "linear"}:
        if not sign.is_plain:
            return found(YES, "stream-activation", "original")
        if not sign.pre:
            return found(YES, "stream-activation", "original")
        return found(NO, "stream-twice")
    verdict = NO if {*sign.after} <= PLAIN else UNKNOWN
    return found(verdict, "stream-layers")


def factor(name: str) -> float | None:
    """The number that a step multiplies with; None of another step."""
    try:
        return float(name)
    except ValueError:
        return None


def one_unit(case: Case) -> Finding | None:
    """Whether all interior units are the same."""
    sign = case.sign
    if sign is None or not sign.is_plain:
        return None
    others = [
        unit
        for unit, own in zip(case.interior, case.signatures, strict=True)
        if own != sign
    ]
    other = next((s for s in case.signatures if s != sign), None)
    return Finding(
        property=Property.SAME,
        verdict=NO if others else YES,
        reason="units-differ" if others else "units-agree",
        evidence={
            "units": len(case.interior),
            "others": len(others),
            "unit": str(sign),
            "other": str(other or ""),
        },
        places=case.places(others),
        source="Fig. 4",
    )


def signed_branch(case: Case) -> Finding | None:
    """Whether F can be negative; if not, the stream can only grow."""
    sign = case.sign
    if sign is None:
        return None
    ends = sign.branch[-1:] == (RELU,)
    return Finding(
        property=Property.SIGN,
        verdict=NO if ends else YES,
        reason="branch-nonnegative" if ends else "branch-signed",
        evidence={"unit": str(sign)},
        source="Fig. 4(c)" if ends else "Sec. 4",
        row="relu-before-addition" if ends else "",
    )


def own_weights(case: Case) -> Finding:
    """Whether each unit has weights of its own."""
    readers: dict[str, int] = {}
    for node in case.training.graph.nodes:
        if node.kind in (Kind.CONV, Kind.LINEAR, Kind.NORM):
            for name in node.params:
                readers[name] = readers.get(name, 0) + 1
    of_units = {name for unit in case.units for name in unit.params}
    shared = sorted(n for n, k in readers.items() if k > 1 and n in of_units)
    return Finding(
        property=Property.OWN,
        verdict=NO if shared else YES,
        reason="weights-shared" if shared else "weights-own",
        evidence={
            "shared": len(shared),
            "times": max((readers[name] for name in shared), default=1),
        },
        places=tuple(shared[:8]),
        source="Eq. (1)",
    )


def gradient(case: Case) -> Finding:
    """Whether the gradient comes back along each shortcut."""
    cut = [
        unit
        for unit in case.units
        if any(not t.hears for t in unit.shortcuts)
        and unit.tap in case.training.graph.heard
    ]
    return Finding(
        property=Property.GRADIENT,
        verdict=NO if cut else YES,
        reason="gradient-cut" if cut else "gradient-open",
        evidence={"cut": len(cut), "units": len(case.units)},
        places=case.places(cut),
        source="Eq. (5)",
    )
