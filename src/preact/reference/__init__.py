"""The paper's networks in NumPy, float64, every backward derived by hand.

The same files, names and order of lines as `preact.nn`, so that each can be
read beside the other; parameter names are identical strings, so a plain
dictionary of arrays passes between them. Functions only: `*_forward` returns
`(out, cache)`, `*_backward` takes the cache and returns gradients; no
argument is ever modified.

Chapter `04-units` derives `layers` and `unit`; chapters `02-signal` and
`03-gradient` measure with `network`.
"""

from preact.reference.network import (
    initialize,
    network_backward,
    network_forward,
    propagate,
)
from preact.reference.sgd import sgd_step
from preact.reference.unit import unit_backward, unit_forward

__all__ = [
    "initialize",
    "network_backward",
    "network_forward",
    "propagate",
    "sgd_step",
    "unit_backward",
    "unit_forward",
]
