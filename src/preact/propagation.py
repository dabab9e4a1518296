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

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from preact import reference
from preact.plan import NetworkPlan, UnitPlan
from preact.plan.open_paths import OpenPaths, closing
from preact.reference.caches import Array
from preact.reference.layers import Params, backward, forward, sigmoid
from preact.reference.network import Labels, unit_params
from preact.reference.unit import UnitCache
from preact.spec import Gated, Scale

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


class Engine(Protocol):
    """What can watch a network: `preact.reference` or `preact.nn`."""

    def propagate(
        self, plan: NetworkPlan, params: Params, x: Array, labels: Labels, /
    ) -> tuple[list[Array], list[Array], list[Array], float]:
        """Streams, branches, gradients and loss of one pass."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Signal and gradient by depth; every array has L + 1 entries.

    Parameters
    ----------
    signal_rms : (L + 1,) float64
        Root mean square of x_0, ..., x_L over batch and features.
    gradient_norm : (L + 1,) float64
        Frobenius norm of dE/dx_l over the whole batch.
    open_share : (L + 1,) float64
        Share of coordinates whose shortcut path from x_0 to x_l is open: no
        ReLU after an addition has set them to zero. 1 where f has no ReLU.
    loss : float
        Mean cross-entropy in nats.
    """

    plan: NetworkPlan
    signal_rms: Array
    gradient_norm: Array
    open_share: Array
    loss: float

    @property
    def gradient_ratio(self) -> float:
        """|dE/dx_0| / |dE/dx_L|: what layer 0 hears of layer L."""
        return float(self.gradient_norm[0] / self.gradient_norm[-1])


def draw_batch(
    plan: NetworkPlan, batch: int, seed: int
) -> tuple[Array, Labels]:
    """Gaussian images (batch, C, H, W) float64 and uniform labels (batch,)."""
    rng = np.random.default_rng([seed, 1])
    x = rng.normal(size=(batch, *plan.image))
    return x, rng.integers(0, plan.classes, batch)


def profile(
    plan: NetworkPlan,
    *,
    batch: int = 256,
    seed: int = 0,
    engine: Engine = reference,
    dtype: type[np.floating[Any]] = np.float64,
) -> Profile:
    """Measure one freshly drawn network on one freshly drawn batch.

    Parameters
    ----------
    plan : NetworkPlan
        Any row, depth, width, tail and initialization.
    batch : int
        Images.
    seed : int
        Of weights and data.
    engine : module
        `preact.reference` (default) or `preact.nn`.
    dtype : type
        Precision of the PyTorch engine; the reference is always float64.

    Returns
    -------
    Profile

    References
    ----------
    Eqs. (4) and (5): x_L forward, dE/dx_l backward.

    Examples
    --------
    >>> from preact.plan import stack_plan
    >>> plan = stack_plan("full-preactivation", units=8, width=16)
    >>> measured = profile(plan, batch=32)
    >>> measured.signal_rms.shape, measured.gradient_ratio > 1
    ((9,), True)
    """
    params = reference.initialize(plan, seed)
    x, labels = draw_batch(plan, batch, seed)
    streams, _, gradients, loss = engine.propagate(
        plan, params, x.astype(dtype), labels
    )
    return Profile(
        plan=plan,
        signal_rms=np.array([rms(x) for x in streams]),
        gradient_norm=np.array([float(np.linalg.norm(g)) for g in gradients]),
        open_share=open_share(plan, streams),
        loss=loss,
    )


def rms(x: Array) -> float:
    """Root mean square of all numbers in x."""
    return float(np.sqrt(np.mean(np.square(x, dtype=np.float64))))


def open_share(plan: NetworkPlan, streams: list[Array]) -> Array:
    """Share of coordinates whose shortcut is open from x_0 to each x_l.

    The rule is `preact.plan.open_paths`': with f = ReLU a coordinate of
    x_{l+1} that is 0 has lost its shortcut.

    Returns
    -------
    (L + 1,) float64, NaN where the stream does not show it
    """
    paths = OpenPaths(streams[0].shape)
    shares = [1.0]
    for unit, x in zip(plan.units, streams[1:], strict=True):
        shares.append(float(paths.after_unit(x, closing(unit.spec))))
    return np.array(shares)


def shortcut_products(plan: NetworkPlan) -> Array:
    """Product of the shortcut factors from unit l to the end, l = 0 ... L.

    A constant is its lambda (Eq. (8)), a gate 1 - sigmoid(b), or sigmoid(b)
    where g(x) itself stands on the shortcut, at its initial bias and zero
    input; anything else is 1.

    Returns
    -------
    (L + 1,) float64, the last entry 1
    """
    factors = [_shortcut_factor(unit) for unit in plan.units]
    return np.array([math.prod(factors[i:]) for i in range(len(factors) + 1)])


def _shortcut_factor(unit: UnitPlan) -> float:
    """Return what one unit multiplies its shortcut by at the start."""
    match unit.spec.on_shortcut:
        case Scale(value):
            return value
        case Gated(bias=bias, complement=complement):
            g = float(sigmoid(np.array(bias)))
            return 1.0 - g if complement else g
        case _:
            return 1.0


# ------------------------------------------------- gradients of the stream
def run_units(
    plan: NetworkPlan, params: Params, x: Array
) -> tuple[list[Array], list[UnitCache]]:
    """Forward through stem and units: (x_0 ... x_L, the units' caches)."""
    x, _ = forward(plan.stem, params, x)
    streams, caches = [x], []
    for unit, own in zip(plan.units, unit_params(plan, params), strict=True):
        x, cache = reference.unit_forward(unit, own, x)
        streams.append(x)
        caches.append(cache)
    return streams, caches


def pullback(
    plan: NetworkPlan, caches: list[UnitCache], dout: Array
) -> list[Array]:
    """Carry a gradient at x_L back through `caches`: to x_0, ..., x_L."""
    gradients = [dout]
    for unit, cache in zip(
        reversed(plan.units), reversed(caches), strict=True
    ):
        dout, _ = reference.unit_backward(unit, dout, cache)
        gradients.append(dout)
    return gradients[::-1]


def direct_coefficient(
    plan: NetworkPlan, *, batch: int = 256, seed: int = 0, probes: int = 1
) -> Array:
    """Size of the direct term in dE/dx_l: <g_l, g_L> / |g_L|^2, l = 0 ... L.

    For a random g_L the part of g_l that comes through the weights is nearly
    orthogonal to g_L, so what is left is the factor on the shortcut path:
    the "1" of Eq. (5), the product of Eq. (8), or the open share where ReLUs
    stand after the additions. What comes through the weights averages out over
    `probes` random g_L, the slower the deeper the network.

    Returns
    -------
    (L + 1,) float64, the last entry 1

    Raises
    ------
    ValueError
        If the plan changes shape: the direct term lives inside a stage.
    """
    if len(set(plan.stream_shapes)) > 1:
        shapes = sorted(set(plan.stream_shapes))
        raise ValueError(
            "the direct term needs a plan without change of shape, such as "
            f"stack_plan makes; got stream shapes {shapes}"
        )
    params = reference.initialize(plan, seed)
    x, _ = draw_batch(plan, batch, seed)
    streams, caches = run_units(plan, params, x)
    rng = np.random.default_rng([seed, 2])
    total = np.zeros(len(streams))
    for _ in range(probes):
        last = np.asarray(rng.normal(size=streams[-1].shape))
        gradients = pullback(plan, caches, last)
        norm = float((last * last).sum())
        total += [float((g * last).sum()) / norm for g in gradients]
    return total / probes


def stream_jacobian(
    plan: NetworkPlan, params: Params, x: Array
) -> tuple[Array, Array]:
    """Full Jacobian of Eqs. (5) and (8), both sides, at small width.

    Returns
    -------
    total : (M, M) float64
        d x_L / d x_0, M = N C H W of the stream; the left side.
    branches : (M, M) float64
        d (sum of F-hat_i) / d x_0, where F-hat_i is F_i times the shortcut
        factors after it (Eq. (7)); the sum in the right side's bracket.

    Notes
    -----
    One backward pass for each of the M coordinates. The second is accumulated
    without ever using a shortcut's own derivative of the last step: at each
    unit, what arrives from deeper branches goes through the whole unit, and
    its own branch joins in.
    """
    streams, caches = run_units(plan, params, x)
    keeps = shortcut_products(plan)
    shape, M = streams[0].shape, streams[0].size
    total, through = np.empty((M, M)), np.empty((M, M))
    for m, row in enumerate(np.eye(M)):
        dout = row.reshape(shape)
        total[m] = pullback(plan, caches, dout)[0].ravel()
        g = np.zeros(shape)
        for i in reversed(range(len(plan.units))):
            unit, cache = plan.units[i], caches[i]
            deeper, _ = reference.unit_backward(unit, g, cache)
            own, _ = backward(cache.b * keeps[i + 1] * dout, cache.branch)
            g = deeper + backward(own, cache.pre)[0]
        through[m] = g.ravel()
    return total, through


def growth(plan: NetworkPlan, values: Array) -> tuple[float, float]:
    """Fit both growth laws to one value per depth.

    Returns
    -------
    exponent : float
        p of value ~ (l + 1)^p, a straight line in log-log, second half.
    rate : float
        r of value ~ r^l, a straight line in lin-log, second half.
    """
    depth = np.arange(len(values))
    deep = depth >= len(plan.units) // 2
    logs = np.log(values[deep])
    exponent = np.polyfit(np.log(depth[deep] + 1.0), logs, 1)[0]
    rate = np.polyfit(depth[deep], logs, 1)[0]
    return float(exponent), float(np.exp(rate))
