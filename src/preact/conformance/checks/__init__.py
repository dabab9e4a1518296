"""The questions, each a function from a traced network to an answer."""

from collections.abc import Iterator

from preact.conformance.checks import (  # noqa: F401  each adds its own
    boundaries,
    interior,
    layers,
    size,
)
from preact.conformance.checks.answer import ask
from preact.conformance.network import TracedNetwork
from preact.conformance.report import Finding, Property, Verdict

OF_MODES = {Property.STATISTICS, Property.EVALUATION, Property.UNUSED}
"""What is asked of all passes together; the others are of the structure."""
WORST_FIRST = [Verdict.NO, Verdict.UNKNOWN, Verdict.YES]


def answers(network: TracedNetwork) -> Iterator[Finding]:
    """Ask every question, of both modes where they differ.

    Where passes of one mode differ, a question cannot be answered with yes.
    """
    for question in Property:
        of_structure = question not in OF_MODES
        other = network.other if of_structure else None
        first = ask(question, network)
        if first is None:
            continue
        there = ask(question, other) if other else None
        found = min(
            [first, there] if there else [first],
            key=lambda one: WORST_FIRST.index(one.verdict),
        )
        reason, passes = "", (network, network.evaluation)
        if of_structure and not network.steady:
            reason = "passes-differ"
        elif of_structure and len({len(one.units) for one in passes}) > 1:
            reason = "modes-differ" * (found.verdict is Verdict.YES)
        yield _unknown(question, reason) if reason else found


def _unknown(question: Property, reason: str) -> Finding:
    """Say why a question cannot be answered."""
    return Finding(property=question, verdict=Verdict.UNKNOWN, reason=reason)
