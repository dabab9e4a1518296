"""The paper's networks in NumPy, float64, every backward derived by hand.

Layer by layer the same names and formulas as `preact.nn`, so that each can be
read beside the other; parameter names are identical strings, so a plain
dictionary of arrays passes between them. Functions only: `*_forward` returns
`(out, cache)`, `*_backward` takes the cache and returns gradients; no
argument is ever modified.

Examples
--------
>>> import numpy as np
>>> from preact.plan import cifar_plan
>>> from preact.reference import initialize, network_forward
>>> plan = cifar_plan("full-preactivation", depth=8, convs=2)
>>> params = initialize(plan, seed=0)
>>> logits, cache = network_forward(plan, params, np.zeros((2, 3, 32, 32)))
>>> logits.shape, logits.dtype
((2, 10), dtype('float64'))

Chapter `04-units` derives `layers` and `unit`, `05-shortcuts` the gate;
`02-signal` and `03-gradient` measure with `network`, `06-activations` with
all.
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
