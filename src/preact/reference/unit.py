"""One residual unit in NumPy: Eqs. (1) and (2), forward and backward.

The twin of `preact.nn.unit`.
"""

from dataclasses import dataclass
from typing import NamedTuple, get_args

import numpy as np

from preact.plan import UnitPlan
from preact.plan.checks import check_choice
from preact.reference.caches import Array, LayerCaches
from preact.reference.layers import Mode, Params, backward, forward, sigmoid
from preact.spec import Dropout, Gated, Scale


class GateCache(NamedTuple):
    """What `factors_forward` leaves: g, shape of F, and its layers' caches."""

    g: Array
    layers: LayerCaches


@dataclass(frozen=True)
class UnitCache:
    """What `unit_forward` leaves for `unit_backward`."""

    pre: LayerCaches
    branch: LayerCaches
    short: LayerCaches
    gate: GateCache | None
    after: LayerCaches
    s: Array | float
    b: Array | float
    h: Array
    F: Array


def unit_forward(
    plan: UnitPlan,
    params: Params,
    x: Array,
    *,
    mode: Mode = "train",
    mask: Array | None = None,
) -> tuple[Array, UnitCache]:
    """Compute x_{l+1} = f(s h(x_l) + b F(x_l)).

    Parameters
    ----------
    plan : UnitPlan
        The unit.
    params : dict of arrays
        By layer name (`weights.0.weight`, `pre.0.bias`, ...).
    x : (N, c_in, H, W) float64
        The unit's input x_l.
    mode : {"train", "eval"}
        Batch or running statistics.
    mask : (N, c_out, H', W') float64, optional
        Dropout's factor on the shortcut, from `dropout_mask`; needed in
        training by a unit with dropout and by no other.

    Returns
    -------
    out : (N, c_out, H', W') float64
        x_{l+1}.
    cache : UnitCache
        For `unit_backward`; its `h` and `F` are the terms of Eq. (1).

    Raises
    ------
    ValueError
        If a unit with dropout is given no mask in training, a batch
        normalization one value per channel; if there is no such mode.

    References
    ----------
    Eqs. (1), (2), (6); Table 1's factors s on the shortcut and b on F.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.reference import initialize, unit_forward
    >>> plan = stack_plan("original", units=1, width=8)
    >>> params = initialize(plan, seed=0)
    >>> own = {key.removeprefix("units.0."): w for key, w in params.items()}
    >>> x = np.random.default_rng(0).normal(size=(16, *plan.image))
    >>> out, cache = unit_forward(plan.units[0], own, x)
    >>> y = x + cache.F  # Eq. (1), h the identity
    >>> np.array_equal(out, np.maximum(y, 0))  # Eq. (2), f = ReLU
    True
    """
    check_choice("mode", mode, get_args(Mode))
    a, pre = forward(plan.pre, params, x, mode)
    F, branch = forward(plan.weights + plan.post, params, a, mode)
    tap = a if plan.tap == "after pre" else x
    h, short = forward(plan.shortcut, params, tap, mode)
    s, b, gate = factors_forward(plan, params, x, mode, mask)
    out, after = forward(plan.after, params, s * h + b * F, mode)
    return out, UnitCache(pre, branch, short, gate, after, s, b, h, F)


def unit_backward(
    plan: UnitPlan, dout: Array, cache: UnitCache
) -> tuple[Array, Params]:
    """Gradient of `unit_forward`: (dx, gradients by parameter name).

    dy returns along both paths, as dh and dF; each factor that depends on x
    adds a third.

    Parameters
    ----------
    plan : UnitPlan
        Of the unit.
    dout : (N, C, H, W) float64
        dE/dx_{l+1}.
    cache : UnitCache
        What `unit_forward` returned beside its result.

    Returns
    -------
    dx : (N, c_in, H, W) float64
        dE/dx_l.
    grads : dict of str to float64 array
        By layer name, as in `params` of `unit_forward`.

    Examples
    --------
    The 1 of Eq. (5): with F = 0 the gradient passes as it is. Of the branch's
    convolutions the last one learns first.

    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.reference import initialize, unit_backward, unit_forward
    >>> plan = stack_plan("full-preactivation", units=1, width=8)
    >>> params = initialize(plan, seed=0)
    >>> own = {key.removeprefix("units.0."): w for key, w in params.items()}
    >>> own["weights.3.weight"] = np.zeros((8, 8, 1, 1))
    >>> x, dout = np.random.default_rng(0).normal(size=(2, 16, *plan.image))
    >>> out, cache = unit_forward(plan.units[0], own, x)
    >>> dx, grads = unit_backward(plan.units[0], dout, cache)
    >>> np.array_equal(out, x), np.array_equal(dx, dout)
    (True, True)
    >>> [bool(grads[f"weights.{i}.weight"].any()) for i in (0, 3)]
    [False, True]
    """
    dy, after = backward(dout, cache.after)
    dh, dF = cache.s * dy, cache.b * dy
    ds, db = cache.h * dy, cache.F * dy
    dtap, short = backward(dh, cache.short)
    da, branch = backward(dF, cache.branch)
    dx, gate = factors_backward(plan, ds, db, cache.gate)
    if plan.tap == "after pre":
        da = da + dtap
    else:
        dx = dx + dtap
    through_pre, pre = backward(da, cache.pre)
    return dx + through_pre, {**pre, **branch, **short, **gate, **after}


def factors_forward(
    plan: UnitPlan, params: Params, x: Array, mode: Mode, mask: Array | None
) -> tuple[Array | float, Array | float, GateCache | None]:
    """Return s, b and a cache: what multiplies h and what multiplies F.

    Refuse a unit with dropout without a mask in training.
    """
    on_shortcut, on_branch = plan.spec.on_shortcut, plan.spec.on_branch
    if isinstance(on_shortcut, Gated):
        z, layers = forward(plan.gate, params, x, mode)
        g = sigmoid(z)
        s = 1.0 - g if on_shortcut.complement else g
        b = g if isinstance(on_branch, Gated) else _constant(on_branch)
        return s, b, GateCache(g, layers)
    if isinstance(on_shortcut, Dropout) and mode == "train":
        if mask is None:
            raise ValueError(
                "a unit with dropout on its shortcut needs a mask in "
                "training; got None, draw one with dropout_mask(rng, ...)"
            )
        return mask, _constant(on_branch), None
    return _constant(on_shortcut), _constant(on_branch), None


def factors_backward(
    plan: UnitPlan, ds: Array, db: Array, cache: GateCache | None
) -> tuple[Array | float, Params]:
    """Gradient of `factors_forward` through the gate: (dx, gradients).

    With s = g, or s = 1 - g, and, if F is gated too, b = g, dg is the sum of
    what returns through both; then dz = dg g (1 - g).
    """
    on_shortcut, on_branch = plan.spec.on_shortcut, plan.spec.on_branch
    if cache is None or not isinstance(on_shortcut, Gated):
        return 0.0, {}
    dg = -ds if on_shortcut.complement else ds
    if isinstance(on_branch, Gated):
        dg = dg + db
    return backward(dg * cache.g * (1.0 - cache.g), cache.layers)


def dropout_mask(
    rng: np.random.Generator, shape: tuple[int, ...], rate: float
) -> Array:
    """Factor 1 / (1 - rate) with probability 1 - rate, else 0."""
    kept: Array = (rng.random(shape) >= rate).astype(np.float64)
    return kept / (1.0 - rate)


def _constant(factor: object) -> float:
    """Return a Scale's value; 1 for what acts elsewhere (a 1x1 is an h)."""
    return factor.value if isinstance(factor, Scale) else 1.0
