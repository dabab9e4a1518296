"""Signal, gradient and open paths by depth, of one pass."""

from dataclasses import dataclass

import numpy as np

from preact import reference
from preact.plan import NetworkPlan
from preact.plan.open_paths import OpenPaths, closing
from preact.reference.caches import Array
from preact.reference.network import Labels


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Signal and gradient by depth; every array has L + 1 entries.

    Parameters
    ----------
    plan : NetworkPlan
        The network.
    signal_rms : (L + 1,) float64
        Root mean square of x_0, ..., x_L over batch and features.
    gradient_norm : (L + 1,) float64
        Frobenius norm of dE/dx_l over the whole batch.
    open_share : (L + 1,) float64
        Share of coordinates whose shortcut path from x_0 to x_l is open: no
        ReLU after an addition has set them to zero. 1 where f has no ReLU.
    loss : float
        Mean cross-entropy in nats.

    Examples
    --------
    Nothing vanishes at the start, and only f = ReLU closes shortcuts:

    >>> from preact.plan import stack_plan
    >>> from preact.propagation import profile
    >>> for row in ("original", "full-preactivation"):
    ...     plan = stack_plan(row, units=16, width=16)
    ...     measured = profile(plan, batch=64)
    ...     share = measured.open_share[-1]
    ...     print(measured.gradient_ratio > 1, bool(share == 1))
    True False
    True True
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
    """Gaussian images (batch, C, H, W) float64 and uniform labels (batch,).

    Parameters
    ----------
    plan : NetworkPlan
        The network.
    batch : int
        How many images.
    seed : int
        Of all that is drawn.

    Examples
    --------
    >>> from preact.plan import cifar_plan
    >>> from preact.propagation import draw_batch
    >>> plan = cifar_plan("original", depth=20, convs=2)
    >>> x, labels = draw_batch(plan, batch=4, seed=0)
    >>> x.shape, x.dtype, labels.shape
    ((4, 3, 32, 32), dtype('float64'), (4,))
    """
    rng = np.random.default_rng([seed, 1])
    x = rng.normal(size=(batch, *plan.image))
    return x, rng.integers(0, plan.classes, batch)


def profile(plan: NetworkPlan, *, batch: int = 256, seed: int = 0) -> Profile:
    """Measure one freshly drawn network on one freshly drawn batch.

    Parameters
    ----------
    plan : NetworkPlan
        Any row, depth, width, tail and initialization.
    batch : int
        Images.
    seed : int
        Of weights and data.

    Returns
    -------
    Profile

    References
    ----------
    Eqs. (4) and (5): x_L forward, dE/dx_l backward.

    Examples
    --------
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import profile
    >>> plan = stack_plan("full-preactivation", units=8, width=16)
    >>> measured = profile(plan, batch=32)
    >>> measured.signal_rms.shape, measured.gradient_ratio > 1
    ((9,), True)
    """
    params = reference.initialize(plan, seed)
    x, labels = draw_batch(plan, batch, seed)
    streams, _, gradients, loss = reference.propagate(plan, params, x, labels)
    return Profile(
        plan=plan,
        signal_rms=np.array([rms(x) for x in streams]),
        gradient_norm=np.array([float(np.linalg.norm(g)) for g in gradients]),
        open_share=open_share(plan, streams),
        loss=loss,
    )


def rms(x: Array) -> float:
    """Root mean square of all numbers in x.

    Parameters
    ----------
    x : float64 array
        Of any shape.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.propagation import rms
    >>> rms(np.array([[1.0, 7.0], [5.0, 5.0]]))
    5.0
    """
    return float(np.sqrt(np.mean(np.square(x, dtype=np.float64))))


def open_share(plan: NetworkPlan, streams: list[Array]) -> Array:
    """Share of coordinates whose shortcut is open from x_0 to each x_l.

    The rule is that of `preact.plan.open_paths`: with f = ReLU a coordinate of
    x_{l+1} that is 0 has lost its shortcut.

    Parameters
    ----------
    plan : NetworkPlan
        The network.
    streams : list of L + 1 arrays
        x_0, ..., x_L.

    Returns
    -------
    (L + 1,) float64, NaN where the stream does not show it

    Examples
    --------
    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import draw_batch, open_share, run_units
    >>> from preact.reference import initialize
    >>> plan = stack_plan("original", units=20, width=16)
    >>> x, _ = draw_batch(plan, batch=32, seed=0)
    >>> streams, _ = run_units(plan, initialize(plan, seed=0), x)
    >>> share = open_share(plan, streams)
    >>> float(share[0]), bool((np.diff(share) <= 0).all())
    (1.0, True)
    """
    paths = OpenPaths(streams[0].shape)
    shares = [1.0]
    for unit, x in zip(plan.units, streams[1:], strict=True):
        shares.append(float(paths.after_unit(x, closing(unit.spec))))
    return np.array(shares)


def growth(plan: NetworkPlan, values: Array) -> tuple[float, float]:
    """Fit both growth laws to one value per depth.

    Parameters
    ----------
    plan : NetworkPlan
        The network.
    values : (L + 1,) float64
        Positive numbers, one for each of x_0 to x_L.

    Returns
    -------
    exponent : float
        p of value ~ (l + 1)^p, a straight line in log-log, second half.
    rate : float
        r of value ~ r^l, a straight line in lin-log, second half.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.propagation import growth
    >>> plan = stack_plan("full-preactivation", units=100, width=1)
    >>> l = np.arange(101.0)
    >>> exponent, _ = growth(plan, np.sqrt(l + 1))
    >>> _, rate = growth(plan, 0.9**l)
    >>> round(exponent, 6), round(rate, 6)
    (0.5, 0.9)
    """
    depth = np.arange(len(values))
    deep = depth >= len(plan.units) // 2
    logs = np.log(values[deep])
    exponent = np.polyfit(np.log(depth[deep] + 1.0), logs, 1)[0]
    rate = np.polyfit(depth[deep], logs, 1)[0]
    return float(exponent), float(np.exp(rate))
