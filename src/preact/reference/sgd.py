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
    parameter, as in the paper's recipe; entries without a gradient (running
    statistics) pass unchanged. Start with an empty `velocity`.
    """
    moved, speeds = dict(params), {}
    for name, g in grads.items():
        step = g + weight_decay * params[name]
        if name in velocity:
            step = momentum * velocity[name] + step
        speeds[name] = step
        moved[name] = params[name] - lr * step
    return moved, speeds
