"""Eqs. (3) to (8), measured: signal and gradient by depth.

Every number comes from a real forward and backward pass of a planned network
at initialization, in training mode, on Gaussian inputs and random labels. So
these are statements about the *start* of training.

Chapters `02-signal`, `03-gradient`, `05-shortcuts`, `06-activations`,
`07-depth` and `11-find-the-bug`.

References
----------
He et al., ECCV 2016, Secs. 2 and 3.

Parameters
----------
plan : NetworkPlan
    The network.
params : dict of str to float64 array
    By parameter name.
x : (N, C, H, W) float64
    Images; for `rms` any array.
batch, seed, probes : int
    How many images; of all that is drawn; random gradients averaged.
streams : list of L + 1 arrays
    x_0, ..., x_L.
caches : list of L UnitCache, as `run_units` returns them
dout : (N, C, H, W) float64
    dE/dx_L.
values : (L + 1,) float64, positive
"""

from preact.propagation.measure import (
    Engine,
    Profile,
    draw_batch,
    growth,
    open_share,
    profile,
    rms,
)
from preact.propagation.stream import (
    direct_coefficient,
    pullback,
    run_units,
    shortcut_products,
    stream_jacobian,
)

__all__ = [
    "Engine",
    "Profile",
    "direct_coefficient",
    "draw_batch",
    "growth",
    "open_share",
    "profile",
    "pullback",
    "rms",
    "run_units",
    "shortcut_products",
    "stream_jacobian",
]
