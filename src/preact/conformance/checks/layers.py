"""Questions on statistics, biases, parameters and modes."""

from preact.conformance.anatomy import PLAIN, Anatomy
from preact.conformance.checks.answer import Answer, asks, no, unknown, yes
from preact.conformance.graph import (
    BN,
    CONV,
    SILENT,
    Graph,
    Kind,
    Node,
    is_norm,
)
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Property

BN_PAPER = "Ioffe & Szegedy 2015"


@asks(Property.NORM, f"{BN_PAPER}, Sec. 3")
def batch_norm(network: TracedNetwork) -> Answer | None:
    """Whether means are taken over the batch, not within one image."""
    norms, sign = norms_of(network), network.sign
    if not norms or sign is None:
        return None
    names = {name for name in (*sign.branch, *sign.after) if not is_norm(name)}
    if CONV not in names or not names <= PLAIN:
        return None  # not the paper's unit: its BN is not asked for
    others = sorted({name for name in norms if name != BN})
    evidence = {"norms": len(norms), "others": ", ".join(others)}
    if {"unknown norm", "group norm"} & {*others}:
        return unknown("norm-unknown", **evidence)
    if others:
        return no("norm-within-image", **evidence)
    return yes("norm-over-batch", **evidence)


def norms_of(anatomy: Anatomy) -> list[str]:
    """The normalizations of all units, by name."""
    return [
        step.name
        for unit in anatomy.units
        for path in (unit.trunk, *(term.steps for term in unit.branches))
        for step in path
        if is_norm(step.name)
    ]


@asks(Property.BIAS, f"{BN_PAPER}, Sec. 3.2")
def bias_before_norm(network: TracedNetwork) -> Answer:
    """Whether there is no bias that BN takes away again."""
    graph = network.graph
    readers = graph.readers()
    useless = [
        node
        for node in graph.nodes
        if node.facts.bias and _is_normalized(graph, readers, node.index)
    ]
    if not useless:
        return yes("bias-none", layers=0, parameters=0)
    return no(
        "bias-useless",
        layers=len(useless),
        parameters=sum(node.facts.c_out for node in useless),
        places=_names(useless),
    )


def _names(nodes: list[Node]) -> tuple[str, ...]:
    """The first parameter of each layer."""
    return tuple(dict.fromkeys(n.params[0] for n in nodes if n.params))


def _is_normalized(graph: Graph, readers: list[list[int]], index: int) -> bool:
    """Whether BN, and nothing else, reads a node."""
    nodes = [graph.nodes[reader] for reader in readers[index]]
    return bool(nodes) and all(
        node.is_batch_norm
        or (node.kind in SILENT and _is_normalized(graph, readers, node.index))
        for node in nodes
    )


@asks(Property.STATISTICS, f"{BN_PAPER}, Sec. 3.1")
def statistics(network: TracedNetwork) -> Answer | None:
    """Whether BN takes the batch's statistics in training, and keeps them."""
    norms = [n for n in network.graph.nodes if n.is_batch_norm]
    if not norms:
        return None
    frozen = [n for n in norms if not n.facts.of_batch]
    extreme = [n for n in norms if n.facts.momentum in (0.0, 1.0)]
    bad = frozen or [n for n in extreme if n.facts.remembers]
    if not bad:
        return yes("statistics-taken", norms=len(norms))
    reason = "statistics-frozen" if frozen else "statistics-momentum"
    return no(reason, norms=len(norms), bad=len(bad), places=_names(bad))


@asks(Property.EVALUATION, "Srivastava et al. 2014")
def evaluation(network: TracedNetwork) -> Answer:
    """Whether an image's result in evaluation depends on it alone."""
    network = network.evaluation or network
    nodes = network.graph.nodes
    random = [n for n in nodes if n.kind is Kind.DROP or n.facts.random]
    norms = [n for n in nodes if n.is_batch_norm and n.facts.of_batch]
    batch = norms + [n for n in nodes if n.facts.judged == BN]
    drift = f"{network.drift:.2g}"
    evidence = {"random": len(random), "batch": len(batch), "drift": drift}
    if random:
        return no("evaluation-random", **evidence)
    if batch:
        source = f"{BN_PAPER}, Sec. 3.1"
        return no("evaluation-batch", **evidence, source=source)
    if network.drift:
        return no("evaluation-differs", **evidence)
    if "unknown norm" in norms_of(network):
        return unknown("evaluation-unknown")
    return yes("evaluation-alone")


@asks(Property.UNUSED, "Eq. (1)")
def all_parameters(network: TracedNetwork) -> Answer:
    """Whether every parameter is read in some pass."""
    values, evaluation = network.values, network.evaluation or network
    used = network.used | evaluation.used
    unused = [name for name in values if name not in used]
    if not unused:
        return yes("parameters-used", unused=0, numbers=0)
    if not (network.steady and evaluation.steady):
        return unknown("passes-differ")
    return no(
        "parameters-unused",
        unused=len(unused),
        numbers=sum(values[name].numel() for name in unused),
        places=tuple(unused),
    )
