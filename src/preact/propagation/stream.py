"""Gradients carried along the stream, and what they do on its shortcuts."""

import math

import numpy as np

from preact import reference
from preact.plan import NetworkPlan, UnitPlan
from preact.propagation.measure import draw_batch
from preact.reference.caches import Array
from preact.reference.layers import Params, backward, forward, sigmoid
from preact.reference.network import unit_params
from preact.reference.unit import UnitCache
from preact.spec import Gated, Scale


def run_units(
    plan: NetworkPlan, params: Params, x: Array
) -> tuple[list[Array], list[UnitCache]]:
    """Forward through stem and units: (x_0 ... x_L, the units' caches).

    Parameters
    ----------
    plan, params, x : NetworkPlan, dict of arrays, and (N, C, H, W) float64
        The network, its parameters by name, and images.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import draw_batch, run_units
    >>> from preact.reference import initialize
    >>> plan = stack_plan("full-preactivation", units=8, width=16)
    >>> x, _ = draw_batch(plan, batch=32, seed=0)
    >>> streams, caches = run_units(plan, initialize(plan, seed=0), x)
    >>> all(  # Eq. (3)
    ...     np.array_equal(streams[l + 1], streams[l] + caches[l].F)
    ...     for l in range(8)
    ... )
    True
    """
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
    """Carry a gradient at x_L back through `caches`: to x_0, ..., x_L.

    Parameters
    ----------
    plan, caches : NetworkPlan, and list of L UnitCache
        The network, and what `run_units` left.
    dout : (N, C, H, W) float64
        dE/dx_L.

    Examples
    --------
    Eq. (8) where the branches are silent, lambda = 1/2:

    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import draw_batch, pullback, run_units
    >>> from preact.reference import initialize
    >>> from preact.spec import BN, RELU, Scale, UnitSpec
    >>> spec = UnitSpec(pre=(BN, RELU), on_shortcut=Scale(0.5))
    >>> plan = stack_plan(spec, units=10, width=8)
    >>> params = initialize(plan, seed=0)
    >>> for i in range(10):
    ...     params[f"units.{i}.weights.3.weight"] *= 0.0
    >>> x, _ = draw_batch(plan, batch=16, seed=0)
    >>> _, caches = run_units(plan, params, x)
    >>> gradients = pullback(plan, caches, np.ones_like(x))
    >>> np.unique(gradients[0] * 2**10), len(gradients)
    (array([1.]), 11)
    """
    gradients = [dout]
    for unit, cache in zip(
        reversed(plan.units), reversed(caches), strict=True
    ):
        dout, _ = reference.unit_backward(unit, dout, cache)
        gradients.append(dout)
    return gradients[::-1]


def shortcut_products(plan: NetworkPlan) -> Array:
    """Product of the shortcut factors from unit l to the end, l = 0 ... L.

    A constant is its lambda (Eq. (8)), a gate 1 - sigmoid(b), or sigmoid(b)
    where g(x) itself stands on the shortcut, at its initial bias and zero
    input; anything else is 1.

    Parameters
    ----------
    plan : NetworkPlan
        The network.

    Returns
    -------
    (L + 1,) float64, the last entry 1

    Examples
    --------
    >>> from preact.plan import cifar_plan, stack_plan
    >>> from preact.propagation import shortcut_products
    >>> from preact.spec import BN, RELU, Scale, UnitSpec
    >>> spec = UnitSpec(pre=(BN, RELU), on_shortcut=Scale(0.9))
    >>> f"{shortcut_products(stack_plan(spec, units=100, width=1))[0]:.2e}"
    '2.66e-05'
    >>> plan = cifar_plan("shortcut-only-gating-b-6", depth=110, convs=2)
    >>> f"{shortcut_products(plan)[0]:.3f}"
    '0.875'
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


def direct_coefficient(
    plan: NetworkPlan, *, batch: int = 256, seed: int = 0, probes: int = 1
) -> Array:
    """Size of the direct term in dE/dx_l: <g_l, g_L> / |g_L|^2, l = 0 ... L.

    For a random g_L the part of g_l that comes through the weights is nearly
    orthogonal to g_L, so what is left is the factor on the shortcut path:
    the "1" of Eq. (5), the product of Eq. (8), or the open share where ReLUs
    stand after the additions. What comes through the weights averages out over
    `probes` random g_L, the slower the deeper the network.

    Parameters
    ----------
    plan, batch, seed, probes : NetworkPlan and ints
        The network; images; seed of all that is drawn; over how many
        random gradients the mean is taken.

    Returns
    -------
    (L + 1,) float64, the last entry 1

    Raises
    ------
    ValueError
        If the plan changes shape: the direct term lives inside a stage.

    Examples
    --------
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import direct_coefficient
    >>> for row in ("original", "full-preactivation"):
    ...     plan = stack_plan(row, units=10, width=64)
    ...     print(f"{direct_coefficient(plan)[0]:.1f}")
    0.2
    1.0
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

    Parameters
    ----------
    plan, params, x : NetworkPlan, dict of arrays, and (N, C, H, W) float64
        The network, its parameters by name, and images.

    Returns
    -------
    total : (M, M) float64
        d x_L / d x_0, M = N C H W of the stream; the left side.
    branches : (M, M) float64
        d (sum of F-hat_i) / d x_0, where F-hat_i is F_i times the shortcut
        factors after it (Eq. (7)); the sum in the right side's bracket.

    Notes
    -----
    One backward pass for each of the M coordinates. The second never uses a
    shortcut's own derivative of the last step: at each unit, what arrives
    from deeper branches goes through the whole unit, and its own joins in.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import draw_batch, stream_jacobian
    >>> from preact.reference import initialize
    >>> plan = stack_plan("full-preactivation", units=3, width=4)
    >>> x, _ = draw_batch(plan, batch=4, seed=0)
    >>> total, branches = stream_jacobian(plan, initialize(plan, seed=0), x)
    >>> np.allclose(total, np.eye(16) + branches)  # Eq. (5)
    True
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
