"""Signal and gradient by depth *during* training, from the steps themselves.

The quantities are those of `preact.propagation`, measured on the batch that
is trained on, at iterations that lie evenly on a logarithmic scale.

Chapter `08-training`.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from preact.nn import Network
from preact.spec import RELU, Scale

Profile = dict[str, list[float | None] | int]


def profiled_iterations(iterations: int) -> set[int]:
    """Return 0, 1, 3, 10, 30, ... and the last of `iterations`."""
    found, power = {0, iterations - 1}, 1
    while power < iterations:
        found |= {power, min(3 * power, iterations - 1)}
        power *= 10
    return found


@contextmanager
def watched(network: Network, iteration: int) -> Iterator[Profile]:
    """Watch one step of training; the profile is whole when it is over.

    Yields
    ------
    dict
        iteration; signal_rms, gradient_norm and open_share, each a list of
        L + 1 numbers for x_0, ..., x_L. The gradient is that of the mean
        loss over this process's images.
    """
    count = len(network.units) + 1
    signal, gradient, share = ([torch.tensor(0.0)] * count for _ in range(3))
    alive: list[Tensor] = []

    def see(i: int, x: Tensor) -> None:
        signal[i] = x.detach().float().square().mean().sqrt()
        share[i] = alive[0].float().mean()

        def hear(dx: Tensor) -> None:
            gradient[i] = dx.detach().float().norm()

        x.register_hook(hear)  # type: ignore[no-untyped-call]

    def before_units(_unit: object, args: tuple[Tensor]) -> None:
        alive[:] = [torch.ones_like(args[0], dtype=torch.bool)]
        see(0, args[0])

    def after_unit(i: int, x: Tensor) -> None:
        unit = network.plan.units[i]
        if x.shape != alive[0].shape:
            alive[0] = torch.ones_like(x, dtype=torch.bool)
        if unit.spec.on_shortcut == Scale(0.0):
            alive[0] = torch.zeros_like(alive[0])
        if RELU in unit.spec.after:
            alive[0] = alive[0] & (x.detach() > 0)
        see(i + 1, x)

    hooks = [network.units[0].register_forward_pre_hook(before_units)]
    for i, unit in enumerate(network.units):
        hooks.append(
            unit.register_forward_hook(
                lambda _unit, _args, x, i=i: after_unit(i, x)
            )
        )
    profile: Profile = {"iteration": iteration}
    try:
        yield profile
    finally:
        for hook in hooks:
            hook.remove()
    for name, values in (
        ("signal_rms", signal),
        ("gradient_norm", gradient),
        ("open_share", share),
    ):
        profile[name] = [_shortened(float(v)) for v in values]


def _shortened(value: float) -> float | None:
    """Four digits; None for what is not finite."""
    return float(f"{value:.4g}") if math.isfinite(value) else None
