"""Eqs. (3) to (8), measured: signal and gradient by depth.

Every number comes from a real forward and backward pass of a planned network
at initialization, in training mode, on Gaussian inputs and random labels. So
these are statements about the *start* of training.

Chapters `02-signal`, `03-gradient`, `05-shortcuts`, `06-activations` and
`12-find-the-bug`.

References
----------
He et al., ECCV 2016, Secs. 2 and 3.
"""

from preact.propagation.measure import (
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
