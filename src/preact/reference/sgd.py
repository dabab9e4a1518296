"""Stochastic gradient descent with momentum and weight decay, in NumPy."""

from preact.reference.layers import Params


def sgd_step(
    params: Params,
    grads: Params,
    velocity: Params,
    *,
    lr: float,
    momentum: float = 0.9,
    weight_decay: float = 1e-4,
) -> tuple[Params, Params]:
    """Return (parameters, velocity) after one step.

    v <- momentum v + (dE/dw + weight_decay w), w <- w - lr v: decay on every
    parameter, as in the authors' release; entries without a gradient (running
    statistics) pass unchanged. Start with an empty `velocity`.

    Parameters
    ----------
    params : dict of str to float64 array
        By parameter name, as `initialize` draws them; never modified.
    grads : dict of str to float64 array
        Gradients by parameter name.
    velocity : dict of str to float64 array
        What the step before returned.
    lr : float
        Learning rate of this step.
    momentum : float
        Share of the velocity that is kept.
    weight_decay : float
        Of w itself, the derivative of w^2 / 2.

    Returns
    -------
    params, velocity : dict of str to float64 array
        New dictionaries; a velocity for each gradient.

    Raises
    ------
    KeyError
        If a gradient is of none of the parameters.

    References
    ----------
    Appendix: momentum 0.9, weight decay 0.0001.

    Examples
    --------
    >>> import numpy as np
    >>> from preact.reference import sgd_step
    >>> params, velocity = {"w": np.array([1.0])}, {}
    >>> for _ in range(2):  # of E = w
    ...     grads = {"w": np.array([1.0])}
    ...     params, velocity = sgd_step(
    ...         params, grads, velocity, lr=0.1, weight_decay=0.0
    ...     )
    >>> round(float(velocity["w"][0]), 9), round(float(params["w"][0]), 9)
    (1.9, 0.71)
    """
    moved, speeds = dict(params), {}
    for name, g in grads.items():
        step = g + weight_decay * params[name]
        if name in velocity:
            step = momentum * velocity[name] + step
        speeds[name] = step
        moved[name] = params[name] - lr * step
    return moved, speeds
