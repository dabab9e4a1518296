"""The questions, each a function from a case to a finding, or to none."""

from collections.abc import Callable, Iterator

from preact.conformance.case import Case
from preact.conformance.checks.boundaries import (
    first_unit,
    last_unit,
    width_change,
)
from preact.conformance.checks.interior import (
    clear_stream,
    gradient,
    identity_shortcuts,
    one_unit,
    own_weights,
    row,
    signed_branch,
)
from preact.conformance.checks.normalization import (
    all_parameters,
    batch_norm,
    bias_before_norm,
    evaluation,
    statistics,
)
from preact.conformance.checks.size import size, stages
from preact.conformance.report import Finding, Property, Verdict

__all__ = ["CHECKS"]
CHECKS: tuple[Callable[[Case], Finding | None], ...] = (
    row,
    identity_shortcuts,
    clear_stream,
    one_unit,
    signed_branch,
    first_unit,
    width_change,
    last_unit,
    stages,
    size,
    batch_norm,
    bias_before_norm,
    statistics,
    evaluation,
    own_weights,
    all_parameters,
    gradient,
)
"""The questions, in the order in which a report answers them."""

OF_MODES = {Property.STATISTICS, Property.EVALUATION, Property.UNUSED}
"""What is asked of all passes together; the others are of the structure."""
WORST_FIRST = [Verdict.NO, Verdict.UNKNOWN, Verdict.YES]


def answers(case: Case) -> Iterator[Finding]:
    """Ask every question, of both modes where they differ.

    Where passes of one mode differ, or weights are not numbers, a question
    cannot be answered with yes.
    """
    for check in CHECKS:
        asked = [finding for finding in [check(case)] if finding is not None]
        if not asked:
            continue
        if case.other is not None and asked[0].property not in OF_MODES:
            there = check(case.other)
            asked += [there] if there is not None else []
        found = min(asked, key=lambda one: WORST_FIRST.index(one.verdict))
        of_structure = found.property not in OF_MODES
        if of_structure and not case.steady:
            yield unknown(found.property, "passes-differ")
        elif found.verdict is not Verdict.YES:
            yield found
        elif not case.is_finite:
            yield unknown(found.property, "weights-not-finite")
        elif of_structure and len({len(m.units) for m in case.modes}) > 1:
            yield unknown(found.property, "modes-differ")
        else:
            yield found


def unknown(question: Property, reason: str) -> Finding:
    """Say why a question cannot be answered."""
    return Finding(property=question, verdict=Verdict.UNKNOWN, reason=reason)
