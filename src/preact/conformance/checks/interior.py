"""Questions on the units between the boundaries: Eqs. (1), (2) and Fig. 4."""

from preact.conformance.anatomy import Unit
from preact.conformance.case import Case
from preact.conformance.graph import Kind
from preact.conformance.report import Finding, Property, Verdict
from preact.conformance.signature import Signature, differ, signature
from preact.conformance.ways import BN, RELU, is_norm, names_of
from preact.spec import find_row

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
ACTIVATIONS = {
    *(RELU, "relu6", "leaky_relu", "prelu", "prelu_kernel", "elu", "celu"),
    *("selu", "gelu", "gelu of tanh", "silu", "mish", "hardswish"),
    "softplus",
}
"""Functions that leave large values alone, as ReLU does, and bend at 0."""
CHANGES = {"dropout", "clamp", "tanh", "sigmoid", "hardtanh", "max pool"}
"""What no network has between two units for a good reason."""
UNREAD = {
    *("parallel layers", "several branches"),
    *("unknown function", "unknown norm"),
}
"""Operations side by side that may well be a part of the paper's unit."""
MOVED = {
    *(Kind.VIEW, Kind.DETACH, Kind.SLICE, Kind.CONCATENATE, Kind.PAD),
    *(Kind.SHIFT, Kind.OTHER),
}
"""What may stand on an identity, if its values prove to be x."""


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
    plain = sign.is_plain and "learned" not in sign.on_branch
    unread = {*sign.after, *sign.branch} & UNREAD
    return Finding(
        property=Property.ROW,
        verdict=NO if plain or (case.meant and not unread) else UNKNOWN,
        reason="row-none" if plain else "row-foreign",
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
    seen = {unit.add: is_identity(case, unit) for unit in equal}
    wrong = [unit for unit in equal if seen[unit.add] is False]
    if not wrong and None in seen.values():
        return Finding(
            property=Property.SHORTCUT, verdict=UNKNOWN, reason="values-silent"
        )
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


def is_identity(case: Case, unit: Unit) -> bool | None:
    """Whether the shortcut is the tensor at the tap, or a copy of it.

    Other operations are no identity, also where these values pass them
    unchanged: a clamp, say. None where values say nothing.
    """
    if unit.is_identity:
        return True
    (first, *more) = unit.shortcuts
    kinds = first.kinds
    if names_of(unit.trunk)[-1:] == (RELU,):
        kinds -= {Kind.RELU}  # twice is once
    if more or first.factors or first.learned or not kinds <= MOVED:
        return False
    error = case.measured.error.get(unit.add)
    return None if error is None else error == 0.0


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
    """Whether f is the identity, or the original unit's ReLU, everywhere."""
    sign = case.sign
    if sign is None:
        return Finding(
            property=Property.STREAM, verdict=UNKNOWN, reason="no-equal-unit"
        )
    verdict, reason = on_stream(sign, sign.after)
    odd = [
        (unit, names)
        for unit, names, _ in case.streams
        if names not in (sign.after, ())
    ]
    after, units = sign.after, case.interior
    if verdict is not NO and odd and sign.has_plain_branch:
        after = odd[0][1]
        units = [unit for unit, names in odd if names == after]
        verdict, reason = on_stream(sign, after)
        if verdict is YES:
            verdict, reason = NO, "stream-layers"
        if not case.is_one_stream:
            verdict = UNKNOWN
    moved = case.measured.moved
    most = [moved[u.before] for u in units if u.before in moved]
    row = ""
    if reason == "stream-norm" and sign.is_plain and after == sign.after:
        row = "bn-after-addition" if after in ((BN, RELU), (BN,)) else ""
    if reason == "stream-activation" and after == (RELU,):
        row = "original"
    return Finding(
        property=Property.STREAM,
        verdict=verdict,
        reason=reason,
        evidence={
            "after": " ".join(after),
            "moved": f"{max(most):.2g}" if most else "?",
        },
        places=() if after == sign.after else case.places(units),
        source=figure(row) if row else "Eq. (2)",
        row=row,
    )


def on_stream(sign: Signature, after: tuple[str, ...]) -> tuple[Verdict, str]:
    """Judge what follows an addition of units of this signature."""
    if not after:
        return YES, "stream-clear"
    if any(isinstance(factor(name), float) for name in after):
        return NO, "stream-scaled"
    if any(is_norm(name) for name in after):
        return NO, "stream-norm"
    if len(after) == 1 and after[0] in ACTIVATIONS:
        if any(is_norm(n) or n in ACTIVATIONS for n in sign.branch[:1]):
            return NO, "stream-twice"
        return YES, "stream-activation"
    certain = sign.has_plain_branch or {*after} & CHANGES
    return NO if certain else UNKNOWN, "stream-layers"


def factor(name: str) -> float | None:
    """The number that a step multiplies with; None of another step."""
    try:
        return float(name)
    except ValueError:
        return None


def one_unit(case: Case) -> Finding | None:
    """Whether all units are the same, at widths and modes of their own."""
    sign = case.sign
    if case.other is not None:
        pairs = zip(case.units, case.other.units, strict=False)
        others = [unit for unit, there in pairs if differ(unit, there)]
        lost = len(case.units) - len(case.other.units)
        if (others and not lost) or lost > 0:
            return _odd(case, "units-modes", others, max(len(others), lost))
    if sign is None or not sign.is_plain:
        return None
    streams = {unit.add: names for unit, names, _ in case.streams}
    usual_unit = case.interior[case.signatures.index(sign)]
    usual = kernels(usual_unit)
    pre = sign.pre
    whole = case.row and case.is_one_stream
    units = case.units if whole else case.interior
    others = [
        unit
        for unit in units
        if _body(unit, pre) != _body(usual_unit, pre)
        or streams.get(unit.add, sign.after) != sign.after
        or (unit in case.interior and signature(unit) != sign)
    ]
    if others:
        return _odd(case, "units-differ", others, len(others))
    others = [unit for unit in units if kernels(unit) != usual]
    if others and case.row and "groups" not in usual:
        return _odd(case, "units-kernels", others, len(others))
    return _odd(case, "units-agree", [], 0, len(units))


def _odd(
    case: Case, reason: str, others: list[Unit], count: int, units: int = 0
) -> Finding:
    """Answer with the units that are not like the others."""
    return Finding(
        property=Property.SAME,
        verdict=YES if reason == "units-agree" else NO,
        reason=reason,
        evidence={
            "units": units or len(case.units),
            "others": count,
            "unit": str(case.sign or ""),
            "other": str(signature(others[0])) if others else "",
            "kernels": kernels(others[0]) if others else "",
        },
        places=case.places(others),
        source="Fig. 4",
    )


def _body(unit: Unit, pre: tuple[str, ...]) -> tuple[object, ...]:
    """The branch behind its first activation, and the factors on it.

    That activation may stand before the tap, in first and widening units; a
    pool that halves the sides is no other branch.
    """
    sign = signature(unit)
    own = sign.branch[: len(pre)] == pre
    names = sign.branch[len(pre) if own else 0 :]
    if not unit.keeps_shape:
        names = tuple(name for name in names if name != "pool")
    return names, sign.on_branch


def kernels(unit: Unit) -> str:
    """The kernels of the branch, as people write them."""
    return ", ".join(
        "x".join(map(str, node.facts["kernel"])) + node.facts["apart"]
        for term in unit.branches
        for node in term.weights
        if node.kind is Kind.CONV
    )


def signed_branch(case: Case) -> Finding | None:
    """Whether F can be negative; if not, the stream never decreases."""
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
    """Whether the gradient comes back along shortcut, branch and stream."""
    graph = case.training.graph
    shortcuts = [u for u in case.units if any(t.is_cut for t in u.shortcuts)]
    branches = [u for u in case.units if any(t.is_cut for t in u.branches)]
    ways = [(u.before, u.tap, u) for u in case.units]
    ways.append((case.units[-1].add, graph.output, case.units[-1]))
    streams = [u for start, end, u in ways if graph.is_cut(start, end)]
    cut, reason = shortcuts, "gradient-cut"
    if branches and not cut:
        cut, reason = branches, "gradient-cut-branch"
    if streams and not cut:
        cut, reason = streams, "gradient-cut-stream"
    return Finding(
        property=Property.GRADIENT,
        verdict=NO if cut else YES,
        reason=reason if cut else "gradient-open",
        evidence={"cut": len(cut), "units": len(case.units)},
        places=case.places(cut),
        source="Eq. (5)",
    )
