"""The questions, each a function from a case to a finding, or to none."""

from collections.abc import Callable

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
from preact.conformance.report import Finding

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
