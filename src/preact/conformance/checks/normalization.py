"""Questions on statistics, biases and modes."""

from preact.conformance.anatomy import Anatomy
from preact.conformance.case import Case
from preact.conformance.graph import SILENT, Graph, Kind
from preact.conformance.report import Finding, Property, Verdict
from preact.conformance.ways import BN, is_norm

BN_PAPER = "Ioffe & Szegedy 2015"
DROPOUT_PAPER = "Srivastava et al. 2014"
YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN


def batch_norm(case: Case) -> Finding | None:
    """Whether means are taken over the batch, not within one image."""
    norms = norms_of(case.training)
    others = sorted({name for name in norms if name != BN})
    evidence = {"norms": len(norms), "others": ", ".join(others)}
    if not norms or not case.skeleton_row:
        return None  # not the paper's unit: its BN is not asked for
    if {"unknown norm", "group norm"} & {*others}:
        verdict, reason = UNKNOWN, "norm-unknown"
    elif others:
        verdict, reason = NO, "norm-within-image"
    else:
        verdict, reason = YES, "norm-over-batch"
    return Finding(
        property=Property.NORM,
        verdict=verdict,
        reason=reason,
        evidence=evidence,
        source=f"{BN_PAPER}, Sec. 3",
    )


def bias_before_norm(case: Case) -> Finding:
    """Whether there is no bias that BN takes away again."""
    graph = case.training.graph
    readers = graph.consumers()
    useless = [
        node
        for node in graph.nodes
        if node.kind in (Kind.CONV, Kind.LINEAR)
        and node.facts["bias"]
        and _is_normalized(graph, readers, node.index)
    ]
    return Finding(
        property=Property.BIAS,
        verdict=NO if useless else YES,
        reason="bias-useless" if useless else "bias-none",
        evidence={
            "layers": len(useless),
            "parameters": sum(node.facts["c_out"] for node in useless),
        },
        places=tuple(dict.fromkeys(n.params[0] for n in useless))[:8],
        source=f"{BN_PAPER}, Sec. 3.2",
    )


def _is_normalized(graph: Graph, readers: list[list[int]], index: int) -> bool:
    """Whether BN, and nothing else, reads a node."""
    nodes = [graph.nodes[reader] for reader in readers[index]]
    return bool(nodes) and all(
        (node.kind is Kind.NORM and node.facts["over"] == "batch")
        or (
            node.kind in SILENT
            and readers[node.index]
            and _is_normalized(graph, readers, node.index)
        )
        for node in nodes
    )


def statistics(case: Case) -> Finding | None:
    """Whether BN takes the batch's statistics in training, and keeps them."""
    norms = [
        node
        for node in case.training.graph.nodes
        if node.kind is Kind.NORM and node.facts["over"] == "batch"
    ]
    if not norms:
        return None
    frozen = [n for n in norms if not n.facts["batch"]]
    silent = [
        n
        for n in norms
        if n.facts["batch"]
        and n.facts["remembers"]
        and n.facts["momentum"] is not None
        and not 0.0 < n.facts["momentum"] < 1.0
    ]
    bad = frozen or silent
    reason = "statistics-frozen" if frozen else "statistics-forgotten"
    if silent and silent[0].facts["momentum"] != 0.0:
        reason = "statistics-last"
    return Finding(
        property=Property.STATISTICS,
        verdict=NO if bad else YES,
        reason=reason if bad else "statistics-taken",
        evidence={"norms": len(norms), "bad": len(bad)},
        places=tuple(n.params[0] for n in bad if n.params)[:8],
        source=f"{BN_PAPER}, Sec. 3.1",
    )


def evaluation(case: Case) -> Finding:
    """Whether an image's result in evaluation depends on it alone."""
    nodes = case.evaluation.graph.nodes
    random = [
        n
        for n in nodes
        if n.kind is Kind.DROP
        or (n.kind is Kind.SHIFT and n.facts.get("random"))
    ]
    batch = [
        n
        for n in nodes
        if n.facts.get("is") == "BN"
        or (
            n.kind is Kind.NORM
            and n.facts["over"] == "batch"
            and n.facts["batch"]
        )
    ]
    verdict, reason, source = YES, "evaluation-alone", DROPOUT_PAPER
    if any(u == "unknown norm" for u in norms_of(case.evaluation)):
        verdict, reason = UNKNOWN, "evaluation-unknown"
    if case.drift:
        verdict, reason = NO, "evaluation-differs"
    if batch:
        verdict, reason = NO, "evaluation-batch"
        source = f"{BN_PAPER}, Sec. 3.1"
    if random:
        verdict, reason, source = NO, "evaluation-random", DROPOUT_PAPER
    return Finding(
        property=Property.EVALUATION,
        verdict=verdict,
        reason=reason,
        evidence={
            "random": len(random),
            "batch": len(batch),
            "drift": f"{case.drift:.2g}",
        },
        source=source,
    )


def norms_of(anatomy: Anatomy) -> list[str]:
    """The normalizations of all units, by name."""
    return [
        step.name
        for unit in anatomy.units
        for way in (unit.trunk, *(t.steps for t in unit.branches))
        for step in way
        if is_norm(step.name)
    ]


def all_parameters(case: Case) -> Finding:
    """Whether every parameter is read in some pass."""
    unused = [name for name in case.values if name not in case.used]
    if unused and not case.steady:
        return Finding(
            property=Property.UNUSED, verdict=UNKNOWN, reason="passes-differ"
        )
    return Finding(
        property=Property.UNUSED,
        verdict=NO if unused else YES,
        reason="parameters-unused" if unused else "parameters-used",
        evidence={
            "unused": len(unused),
            "numbers": sum(case.values[name].numel() for name in unused),
        },
        places=tuple(unused[:8]),
        source="Eq. (1)",
    )
