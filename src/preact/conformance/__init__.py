"""Which residual unit a network is, and whether it is right.

`probe` takes any PyTorch module apart by what it computes: operations are
written down below PyTorch's dispatcher, additions with a shortcut and a
branch are its units, and what the graph cannot say is measured with values.
No name of a class or an attribute is read to decide anything.

Chapter `12-find-the-bug`.

Examples
--------
>>> from preact import Network, cifar_plan
>>> from preact.conformance import probe
>>> plan = cifar_plan("bn-after-addition", depth=20, convs=2)
>>> report = probe(Network(plan, seed=0), image=(3, 8, 8))
>>> report.row, [str(finding.property) for finding in report.faults]
('bn-after-addition', ['clear-stream'])
"""

from preact.conformance.probing import assert_identity_shortcuts, probe
from preact.conformance.report import Finding, Property, Report, Verdict

__all__ = [
    "Finding",
    "Property",
    "Report",
    "Verdict",
    "assert_identity_shortcuts",
    "probe",
]
