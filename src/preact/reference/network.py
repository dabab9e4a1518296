"""A whole network in NumPy, and the probe that watches its residual stream.

The twin of `preact.nn.network`.
"""

import math
from typing import Any, NamedTuple, get_args

import numpy as np

from preact.plan import BatchNorm, Conv, Linear, NetworkPlan
from preact.plan.checks import (
    check_batch,
    check_choice,
    check_finite,
    check_labels,
)
from preact.plan.layers import BN_MOMENTUM
from preact.reference.caches import Array, BNCache, LayerCaches, LinearCache
from preact.reference.layers import (
    Mode,
    Params,
    backward,
    cross_entropy,
    forward,
    linear_backward,
    linear_forward,
)
from preact.reference.unit import (
    UnitCache,
    dropout_mask,
    unit_backward,
    unit_forward,
)
from preact.spec import Dropout

Labels = np.ndarray[Any, np.dtype[np.int64]]


class NetworkCache(NamedTuple):
    """What `network_forward` leaves for `network_backward`."""

    stem: LayerCaches
    units: list[UnitCache]
    tail: LayerCaches
    pooled: tuple[int, ...]
    classifier: LinearCache
    streams: list[Array]


def initialize(plan: NetworkPlan, seed: int) -> Params:
    """Draw all parameters; BN starts at scale 1, running mean 0, variance 1.

    Convolutions: normal, standard deviation sqrt(2 / fan) with the plan's
    `init`. Classifier: uniform in +-1/sqrt(c_in), bias 0. Gates: their
    initial bias.

    Parameters
    ----------
    plan : NetworkPlan
        Of the network.
    seed : int
        Of the random numbers.

    Returns
    -------
    dict of float64 arrays
        By full parameter name, in order of forward: weights of convolutions
        (D, C, K, K) and of the classifier (classes, C), all others (C,).

    Raises
    ------
    ValueError
        If the seed is negative.

    References
    ----------
    Appendix: the initialization of He et al. 2015.

    Examples
    --------
    >>> from preact.plan import cifar_plan
    >>> from preact.reference import initialize
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2)
    >>> params = initialize(plan, seed=0)
    >>> params["units.1.weights.0.weight"].shape
    (32, 16, 3, 3)
    >>> learned = [w for name, w in params.items() if "running" not in name]
    >>> sum(w.size for w in learned) == plan.parameters
    True
    """
    rng = np.random.default_rng(seed)
    params: Params = {}
    for placed in plan.placed_layers:
        match placed.layer:
            case Conv() as conv:
                shape = (conv.c_out, conv.c_in, conv.kernel, conv.kernel)
                deviation = conv.deviation(plan.init)
                params[f"{placed.name}.weight"] = rng.normal(
                    0, deviation, shape
                )
                if conv.bias is not None:
                    bias = np.full(conv.c_out, conv.bias)
                    params[f"{placed.name}.bias"] = bias
            case BatchNorm() as bn:
                c = bn.channels
                params[f"{placed.name}.weight"] = np.ones(c)
                params[f"{placed.name}.bias"] = np.full(c, bn.shift)
                params[f"{placed.name}.running_mean"] = np.zeros(c)
                params[f"{placed.name}.running_var"] = np.ones(c)
            case Linear() as linear:
                bound = 1.0 / math.sqrt(linear.c_in)
                shape2 = (linear.c_out, linear.c_in)
                weight = rng.uniform(-bound, bound, shape2)
                params[f"{placed.name}.weight"] = weight
                params[f"{placed.name}.bias"] = np.zeros(linear.c_out)
    return params


def network_forward(
    plan: NetworkPlan,
    params: Params,
    x: Array,
    *,
    mode: Mode = "train",
    rng: np.random.Generator | None = None,
) -> tuple[Array, NetworkCache]:
    """Images (N, C, H, W) to logits (N, classes).

    Parameters
    ----------
    plan : NetworkPlan
        Of the network.
    params : dict of str to float64 array
        By parameter name, as `initialize` draws them; never modified.
    x : (N, C, H, W) float64
        Images.
    mode : {"train", "eval"}
        BN by the batch's statistics, or by the running ones and no dropout.
    rng : numpy.random.Generator, optional
        Source of dropout masks; only plans with dropout need it in training.

    Returns
    -------
    logits : (N, classes) float64
    cache : NetworkCache
        For `network_backward`; its `streams` are x_0, ..., x_L.

    Raises
    ------
    ValueError
        If the images have other channels than the plan, are not finite, or
        leave one value per channel to a batch normalization in training; if
        a plan with dropout has no `rng` in training; if there is no such
        mode.

    Examples
    --------
    Height and width are free, as where the paper tests at 320x320 (Table 5):

    >>> import numpy as np
    >>> from preact.plan import cifar_plan
    >>> from preact.reference import initialize, network_forward
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2)
    >>> params = initialize(plan, seed=0)
    >>> logits, cache = network_forward(plan, params, np.ones((2, 3, 40, 40)))
    >>> logits.shape, cache.streams[-1].shape
    ((2, 10), (2, 64, 10, 10))
    """
    check_choice("mode", mode, get_args(Mode))
    check_batch(x.shape, plan.image[0])
    check_finite(x.size - int(np.isfinite(x).sum()), x.size)
    x, stem = forward(plan.stem, params, x, mode)
    streams, units = [x], []
    for unit, own, shape in zip(
        plan.units,
        unit_params(plan, params),
        plan.stream_shapes[1:],
        strict=True,
    ):
        mask = None
        if isinstance(unit.spec.on_shortcut, Dropout) and rng is not None:
            rate = unit.spec.on_shortcut.rate
            mask = dropout_mask(rng, (len(x), *shape), rate)
        x, cache = unit_forward(unit, own, x, mode=mode, mask=mask)
        streams.append(x)
        units.append(cache)
    x, tail = forward(plan.tail, params, x, mode)
    logits, head = linear_forward(
        x.mean((2, 3)), params["classifier.weight"], params["classifier.bias"]
    )
    return logits, NetworkCache(stem, units, tail, x.shape, head, streams)


def network_backward(
    plan: NetworkPlan, dlogits: Array, cache: NetworkCache
) -> tuple[Array, Params]:
    """Gradient of `network_forward`: (dx, gradients by parameter name).

    Parameters
    ----------
    plan : NetworkPlan
        Of the network.
    dlogits : (N, classes) float64
        dE/d logits.
    cache : NetworkCache
        What the forward pass returned beside its result.

    Returns
    -------
    dx : (N, C, H, W) float64
        dE/d images.
    grads : dict of str to float64 array
        Of every parameter; running statistics have none.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.plan import cifar_plan
    >>> from preact.reference import (
    ...     initialize, network_backward, network_forward
    ... )
    >>> plan = cifar_plan("full-preactivation", depth=8, convs=2)
    >>> params = initialize(plan, seed=0)
    >>> x = np.random.default_rng(0).normal(size=(2, *plan.image))
    >>> logits, cache = network_forward(plan, params, x)
    >>> dx, grads = network_backward(plan, logits, cache)  # E = |logits|^2 / 2
    >>> dx.shape, grads["stem.0.weight"].shape
    ((2, 3, 32, 32), (16, 3, 3, 3))
    >>> sorted({name.split(".")[-1] for name in params if name not in grads})
    ['running_mean', 'running_var']
    """
    dstreams, grads = stream_gradients(plan, dlogits, cache)
    dx, stem = backward(dstreams[0], cache.stem)
    return dx, {**stem, **grads}


def propagate(
    plan: NetworkPlan, params: Params, x: Array, labels: Labels
) -> tuple[list[Array], list[Array], list[Array], float]:
    """Run once forward and backward, and show what each unit saw.

    In training mode; dropout masks are the same in each call.

    Parameters
    ----------
    plan : NetworkPlan
        Of the network.
    params : dict of str to float64 array
        By parameter name, as `initialize` draws them; never modified.
    x : (N, C, H, W) float64
        Images.
    labels : (N,) int
        Classes, from 0.

    Returns
    -------
    streams : list of L + 1 (N, C, H, W) float64
        x_0, ..., x_L.
    branches : list of L (N, C, H, W) float64
        F_0, ..., F_{L-1}, without their factor.
    gradients : list of L + 1 (N, C, H, W) float64
        dE/dx_0, ..., dE/dx_L, E the mean cross-entropy on `labels`.
    loss : float
        E in nats.

    Raises
    ------
    ValueError
        If the images are none for the plan, as in `network_forward`, or the
        labels are not one of its classes for each image.

    References
    ----------
    Eqs. (4) and (5).

    Examples
    --------
    >>> import numpy as np
    >>> from preact.plan import stack_plan
    >>> from preact.reference import initialize, propagate
    >>> plan = stack_plan("full-preactivation", units=8, width=16)
    >>> x = np.random.default_rng(0).normal(size=(32, *plan.image))
    >>> streams, branches, gradients, loss = propagate(
    ...     plan, initialize(plan, seed=0), x, np.arange(32) % 10
    ... )
    >>> np.allclose(streams[-1], streams[0] + sum(branches))  # Eq. (4)
    True
    """
    rng = np.random.default_rng(0)
    logits, cache = network_forward(plan, params, x, rng=rng)
    check_labels(labels, *logits.shape)
    loss, dlogits = cross_entropy(logits, labels)
    gradients, _ = stream_gradients(plan, dlogits, cache)
    branches = [unit.F for unit in cache.units]
    return cache.streams, branches, gradients, loss


def running_statistics(
    plan: NetworkPlan, params: Params, cache: NetworkCache
) -> Params:
    """Return the running statistics after one more training batch.

    The running variance takes the unbiased estimate, as PyTorch's does,
    while normalization itself uses the biased one.
    """
    names = (
        placed.name
        for placed in plan.placed_layers
        if isinstance(placed.layer, BatchNorm)
    )
    sequences = [cache.stem]
    for unit in cache.units:
        gate = unit.gate.layers if unit.gate else []
        sequences += [unit.pre, unit.branch, unit.short, gate, unit.after]
    sequences.append(cache.tail)
    batches = (
        own
        for caches in sequences
        for _, own in caches
        if isinstance(own, BNCache)
    )
    updated: Params = {}
    for name, own in zip(names, batches, strict=True):
        count = own.x_hat.size / own.x_hat.shape[1]
        new = {
            "running_mean": own.mean,
            "running_var": own.var * count / (count - 1),
        }
        for key, value in new.items():
            old = params[f"{name}.{key}"]
            updated[f"{name}.{key}"] = old + BN_MOMENTUM * (value - old)
    return updated


def unit_params(plan: NetworkPlan, params: Params) -> list[Params]:
    """Split a network's parameters into one dictionary for each unit."""
    own: list[Params] = [{} for _ in plan.units]
    for name, value in params.items():
        if name.startswith("units."):
            _, index, rest = name.split(".", 2)
            own[int(index)][rest] = value
    return own


def stream_gradients(
    plan: NetworkPlan, dlogits: Array, cache: NetworkCache
) -> tuple[list[Array], Params]:
    """Backward from the logits to x_0: (dE/dx_0 ... dE/dx_L, gradients).

    The stem's own gradients are not among them.
    """
    dx, dweight, dbias = linear_backward(dlogits, cache.classifier)
    area = math.prod(cache.pooled[2:])
    dpooled = np.broadcast_to(dx[:, :, None, None] / area, cache.pooled)
    dx, tail = backward(dpooled, cache.tail)
    dstreams, grads = [dx], [tail]
    for i in reversed(range(len(plan.units))):
        dx, own = unit_backward(plan.units[i], dx, cache.units[i])
        dstreams.append(dx)
        grads.append({f"units.{i}.{key}": g for key, g in own.items()})
    merged: Params = {}
    for part in reversed(grads):
        merged |= part
    merged |= {"classifier.weight": dweight, "classifier.bias": dbias}
    return dstreams[::-1], merged
