"""Questions on the units between the boundaries: Eqs. (1), (2) and Fig. 4."""

from collections import Counter

from preact.conformance.anatomy import (
    DROPPED,
    LEARNED,
    Signature,
    Term,
    Unit,
    in_words,
)
from preact.conformance.checks.answer import Answer, asks, no, unknown, yes
from preact.conformance.graph import BN, RELU, Kind, is_norm, names_of
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Property, Verdict
from preact.spec import find_row

ACTIVATIONS = {
    *(RELU, "relu6", "leaky_relu", "prelu_kernel", "elu", "celu", "selu"),
    *("gelu", "gelu of tanh", "silu", "mish", "hardswish", "softplus"),
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
FIGURES = {
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
"""Where the paper draws a row, whatever the bias of its gate."""


def figure(row: str) -> str:
    """Name the figure of the paper that draws a row."""
    drawn = (place for name, place in FIGURES.items() if row.startswith(name))
    return next(drawn, "Eq. (1)")


@asks(Property.ROW, "Fig. 2, Fig. 4")
def row(network: TracedNetwork) -> Answer:
    """Which row of the paper the unit is."""
    sign, own, meant = network.sign, network.row, network.meant
    if sign is None:
        return unknown("row-too-short")
    evidence = {"unit": network.unit, "row": own}
    evidence |= {"source": figure(own)} if own else {}
    if own and meant not in ("", own):
        return no("row-other", **evidence, meant=str(find_row(meant)))
    if own:
        return yes("row-named", **evidence)
    if sign.is_plain and LEARNED not in sign.on_branch:
        return no("row-none", unit=network.unit)
    is_read = not {*sign.after, *sign.branch} & UNREAD
    say = no if meant and is_read else unknown
    return say("row-foreign", unit=network.unit)


@asks(Property.SHORTCUT, "Eq. (5)")
def identity_shortcuts(network: TracedNetwork) -> Answer:
    """Whether h(x) = x where the shape stays."""
    equal = [unit for unit in network.units if unit.keeps_shape]
    if not equal:
        return unknown("no-equal-unit")
    seen = [is_identity(network, unit) for unit in equal]
    if all(seen):
        return yes("identity", units=len(equal), source="Eq. (3)")
    if False not in seen:
        return unknown("values-silent")
    wrong = [u for u, same in zip(equal, seen, strict=True) if same is False]
    factor = network.measured.factor.get(wrong[0].add)
    reason, what = _on_shortcut(wrong[0])
    return no(
        reason,
        wrong=len(wrong),
        units=len(equal),
        what=what,
        factor="?" if factor is None else f"{factor:.3g}",
        # Eq. (8), if all units had this factor
        product="?" if factor is None else f"{factor ** len(wrong):.1e}",
        places=network.places(wrong),
    )


def is_identity(network: TracedNetwork, unit: Unit) -> bool | None:
    """Whether the shortcut is the tensor at the tap, or a copy of it.

    Other operations are no identity, also where these values pass them
    unchanged: a clamp, say. None where values say nothing.
    """
    if unit.is_identity:
        return True
    (first, *more) = unit.shortcuts
    kinds = {node.kind for node in first.inside}
    if names_of(unit.trunk)[-1:] == (RELU,):
        kinds -= {Kind.RELU}  # twice is once
    if more or first.factors or first.params or not kinds <= MOVED:
        return False
    error = network.measured.error.get(unit.add)
    return None if error is None else error == 0.0


def _on_shortcut(unit: Unit) -> tuple[str, str]:
    """Say what stands on a shortcut: the reason, and in words."""
    (term, *more) = unit.shortcuts
    if more:
        return "shortcut-added-again", f"x × {1 + len(more)}"
    what = in_words([*term.names, *term.factors])
    if {*DROPPED} & {*term.factors}:
        return "shortcut-dropout", what
    return "shortcut-layers" if term.steps else "shortcut-scaled", what


@asks(Property.STREAM, "Eq. (2)")
def clear_stream(network: TracedNetwork) -> Answer:
    """Whether f is the identity, or the original unit's ReLU, everywhere."""
    sign = network.sign
    if sign is None:
        return unknown("no-equal-unit")
    after, units = sign.after, network.interior
    verdict, reason = on_stream(sign, after)
    odd = [(u, names) for u, names, _ in network.streams if names]
    odd = [(u, names) for u, names in odd if names != sign.after]
    if verdict is not Verdict.NO and odd and sign.has_plain_branch:
        after = odd[0][1]
        units = [unit for unit, names in odd if names == after]
        verdict, reason = on_stream(sign, after)
        if verdict is Verdict.YES:
            verdict, reason = Verdict.NO, "stream-layers"
        if not network.is_one_stream:
            verdict = Verdict.UNKNOWN
    row = ""
    if after == sign.after and sign.is_plain and BN in after:
        row = "bn-after-addition"
    if reason == "stream-activation" and after == (RELU,):
        row = "original"
    moved = network.measured.moved
    seen = [moved[u.before] for u in units if u.before in moved]
    return Answer(
        verdict,
        reason,
        {
            "after": " ".join(after),
            "moved": f"{max(seen):.2g}" if seen else "?",
        },
        () if after == sign.after else network.places(units),
        figure(row) if row else "",
        row,
    )


def on_stream(sign: Signature, after: tuple[str, ...]) -> tuple[Verdict, str]:
    """Judge what follows an addition of units of this signature."""
    if not after:
        return Verdict.YES, "stream-clear"
    if any(map(is_norm, after)):
        return Verdict.NO, "stream-norm"
    certain = any(is_number(n) or n in CHANGES for n in after)
    if len(after) == 1 and after[0] in ACTIVATIONS:
        if not any(is_norm(n) or n in ACTIVATIONS for n in sign.branch[:1]):
            return Verdict.YES, "stream-activation"
        certain = True  # the branch has its own before it
    certain = certain or sign.has_plain_branch
    return Verdict.NO if certain else Verdict.UNKNOWN, "stream-layers"


def is_number(name: str) -> bool:
    """Whether a step multiplies with a number."""
    return name.lstrip("-")[:1].isdigit()


@asks(Property.SAME, "Fig. 4")
def one_unit(network: TracedNetwork) -> Answer | None:
    """Whether all units are the same, at widths and modes of their own."""
    evaluation = network.evaluation or network
    lost = len(network.units) - len(evaluation.units)
    if lost > 0:
        return no("units-modes", units=len(network.units), others=lost)
    sign = network.plain_sign
    if sign is None:
        return None
    streams = {unit.add: names for unit, names, _ in network.streams}
    usual = network.usual
    assert usual is not None
    whole = network.row and network.is_one_stream
    units = network.units if whole else network.interior
    others = [
        unit
        for unit in units
        if _body(unit, sign.pre) != _body(usual, sign.pre)
        or streams.get(unit.add, sign.after) != sign.after
        or (unit in network.interior and unit.signature != sign)
    ]
    reason = "units-differ"
    ((wanted, _),) = Counter(map(kernels, units)).most_common(1)
    if not others and network.row and "groups" not in wanted:
        others = [unit for unit in units if kernels(unit) != wanted]
        reason = "units-kernels"
    if not others:
        return yes("units-agree", units=len(units), unit=str(sign))
    return no(
        reason,
        units=len(network.units),
        others=len(others),
        unit=str(sign),
        other=str(others[0].signature),
        kernels=kernels(others[0]),
        places=network.places(others),
    )


def _body(unit: Unit, pre: tuple[str, ...]) -> tuple[object, ...]:
    """The branch behind its first activation, and the factors on it.

    That activation may stand before the tap, in first and widening units; a
    pool that halves the sides is no other branch.
    """
    sign = unit.signature
    names = sign.branch[len(pre) if unit.activates(pre) else 0 :]
    if not unit.keeps_shape:
        names = tuple(name for name in names if name != "pool")
    return names, sign.on_branch


def kernels(unit: Unit) -> str:
    """The kernels of the branch, as people write them."""
    texts = []
    for facts in (conv.facts for conv in unit.convs):
        text = "x".join(map(str, facts.kernel))
        for name, n in (
            ("dilation", facts.dilation),
            ("groups", facts.groups),
        ):
            text += f" {name} {n}" if n > 1 else ""
        texts.append(text)
    return ", ".join(texts)


@asks(Property.SIGN, "Sec. 4")
def signed_branch(network: TracedNetwork) -> Answer | None:
    """Whether F can be negative; if not, the stream never decreases."""
    sign = network.sign
    if sign is None:
        return None
    if sign.branch[-1:] != (RELU,):
        return yes("branch-signed")
    row = "relu-before-addition"
    unit = str(sign)
    return no("branch-nonnegative", unit=unit, source=figure(row), row=row)


@asks(Property.OWN, "Eq. (1)")
def own_weights(network: TracedNetwork) -> Answer:
    """Whether each unit has weights of its own."""
    kinds = (Kind.CONV, Kind.LINEAR, Kind.NORM)
    nodes = [node for node in network.graph.nodes if node.kind in kinds]
    readers = Counter(name for node in nodes for name in node.params)
    of_units = {name for unit in network.units for name in unit.params}
    shared = sorted(n for n, k in readers.items() if k > 1 and n in of_units)
    if not shared:
        return yes("weights-own", shared=0, times=1)
    times = max(readers[name] for name in shared)
    places = tuple(shared)
    return no("weights-shared", shared=len(shared), times=times, places=places)


@asks(Property.GRADIENT, "Eq. (5)")
def gradient(network: TracedNetwork) -> Answer:
    """Whether the gradient comes back along shortcut, branch and stream."""
    graph, units = network.graph, network.units
    paths = [(unit.before, unit.tap, unit) for unit in units]
    paths.append((units[-1].add, graph.output, units[-1]))
    cut = {
        "gradient-cut": [u for u in units if _is_cut(u.shortcuts)],
        "gradient-cut-branch": [u for u in units if _is_cut(u.branches)],
        "gradient-cut-stream": [u for a, b, u in paths if graph.is_cut(a, b)],
    }
    for reason, found in cut.items():
        if found:
            places = network.places(found)
            return no(reason, cut=len(found), units=len(units), places=places)
    return yes("gradient-open", units=len(units))


def _is_cut(terms: tuple[Term, ...]) -> bool:
    return any(term.is_cut for term in terms)
