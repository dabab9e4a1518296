"""Signal and gradient by depth *during* training, from the steps themselves.

The quantities are those of `preact.propagation`, measured on the batch that
is trained on, at iterations that lie evenly on a logarithmic scale.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor

from preact.nn import Network, Unit, watch
from preact.plan.open_paths import closing

ProfileValues = dict[str, list[float | None] | int]


def profiled_iterations(iterations: int) -> set[int]:
    """Return 0, 1, 3, 10, 12, 15, ..., 30, 100, ... and the last."""
    chosen, power = {0, iterations - 1}, 1
    chosen |= set(range(12, min(30, iterations), 3))
    while power < iterations:
        chosen |= {power, min(3 * power, iterations - 1)}
        power *= 10
    return chosen


@contextmanager
def watched(
    network: Network, iteration: int, scale: float = 1.0
) -> Iterator[ProfileValues]:
    """Watch one step of training; the profile is whole when it is over.

    It holds iteration, and signal_rms, gradient_norm and open_share, each a
    list of L + 1 numbers for x_0, ..., x_L. The gradient is that of the mean
    loss over this process's images, without the `scale` of half precision.
    """
    profile: ProfileValues = {"iteration": iteration}
    # Of units that own code makes, autograd tells what closes a path.
    ours = all(isinstance(unit, Unit) for unit in network.units)
    rules = [closing(unit.spec) for unit in network.plan.units]
    with watch(
        list(network.units),
        closes=rules if ours else None,
        signal=_rms,
        gradient=_norm,
    ) as record:
        yield profile
    for name, values, factor in (
        ("signal_rms", record.streams, 1.0),
        ("gradient_norm", record.gradients, scale),
        ("open_share", record.open_share, 1.0),
    ):
        profile[name] = [
            None if v is None else _shortened(float(v) / factor)
            for v in values
        ]


def _rms(x: Tensor) -> Tensor:
    """Root mean square; stays on its device, so nothing waits for it."""
    mean_square: Tensor = x.detach().float().square().mean()
    return mean_square.sqrt()


def _norm(dx: Tensor) -> Tensor:
    """Frobenius norm; likewise."""
    norm: Tensor = dx.detach().float().norm()
    return norm


def _shortened(value: float) -> float | None:
    """Four digits; None for what is not finite."""
    return float(f"{value:.4g}") if math.isfinite(value) else None
