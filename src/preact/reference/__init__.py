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

Chapter `04-units` derives `layers` and `unit`; chapters `02-signal` and
`03-gradient` measure with `network`, chapter `06-activations` with all.

Parameters
----------
plan : NetworkPlan or UnitPlan
    Of the network, or of the unit.
params : dict of str to float64 array
    By parameter name, as `initialize` draws them; never modified.
seed : int
    Of the random numbers.
x : (N, C, H, W) float64
    Images, or what the unit reads.
labels : (N,) int
    Classes, from 0.
mode : {"train", "eval"}
    BN by the batch's statistics, or by the running ones and no dropout.
cache : NetworkCache or UnitCache
    What the forward pass returned beside its result.
dlogits : (N, classes) float64
    dE/d logits.
dout : (N, C, H, W) float64
    dE/dx_{l+1}.
grads, velocity : dict of str to float64 array
    Gradients, and what the step before returned, by parameter name.
lr, momentum, weight_decay : float
    Per step; decay is of w itself, the derivative of w^2 / 2.
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
